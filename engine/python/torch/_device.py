"""torch.device: 'cpu' (the reference backend) or 'cuda' (the GPU through WebGPU, where there is one)."""

from . import _C

#: Device types that PyTorch knows; naming another is an error with this list in it.
KNOWN_TYPES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)
_KNOWN = frozenset(KNOWN_TYPES.split(", "))


class device:
    """A place where tensors live.

    `device("cuda")`, `device("cuda:0")`, `device("cuda", 0)` and `device(0)` name the GPU, `device("cpu")` the reference
    backend. As a context manager it is the device of tensors created inside.

    Raises:
        RuntimeError: the string names no device.
    """

    __slots__ = ("type", "index", "__weakref__")

    _stack = []

    def __new__(cls, type=None, index=None):
        if isinstance(type, device):
            return type
        self = object.__new__(cls)
        if isinstance(type, bool) or not isinstance(type, (str, int)):
            raise TypeError(
                f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}"
            )
        if isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            self.type, self.index = "cuda", type
            return self
        name, colon, number = type.partition(":")
        if colon:
            if index is not None:
                raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        if not name:
            raise RuntimeError("Device string must not be empty" if not type else f"Invalid device string: '{type}'")
        if name not in _KNOWN:
            raise RuntimeError(
                f"Expected one of {KNOWN_TYPES} device type at start of device string: {name}"
            )
        self.type, self.index = name, index
        return self

    def __repr__(self):
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return (device, (str(self),))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __enter__(self):
        device._stack.append(_default)
        set_default_device(self)
        return self

    def __exit__(self, *exc):
        set_default_device(device._stack.pop())


device.__module__ = "torch"

cpu = device("cpu")
cuda0 = device("cuda", 0)
_default = cpu


def engine_name(d):
    """The engine's name ('cpu' or 'cuda') for a device, a string, an index or None (the default device).

    Raises:
        RuntimeError: a device that exists in PyTorch and not here.
    """
    if d is None:
        return _default.type
    if d == "cpu":
        return d
    if d == "cuda":
        _C.need_gpu()
        return d
    if not isinstance(d, device):
        d = device(d)
    if d.type == "cpu":
        if d.index:
            raise RuntimeError(f"invalid device: {d}; there is one CPU, 'cpu'")
        return "cpu"
    if d.type == "cuda":
        if d.index:
            raise RuntimeError(
                f"CUDA error: invalid device ordinal: {d}; there is one GPU here, 'cuda' or 'cuda:0'"
            )
        _C.need_gpu()
        return "cuda"
    raise NotImplementedError(f"device '{d}' is not supported here; supported: 'cpu' and 'cuda' (WebGPU)")


def get_default_device():
    """The device of tensors created without device=."""
    return _default


def set_default_device(device):
    """Sets the device of tensors created without device=; None means 'cpu'."""
    global _default
    _default = cpu if device is None else globals()["cuda0"] if engine_name(device) == "cuda" else cpu
