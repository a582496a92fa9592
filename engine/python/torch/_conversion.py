"""to() and its shorthands, copies in place, filling."""

from . import _C, _creation, _device, _dtype
from ._dtype import dtype as _dtype_class
from ._layout import check_memory_format, preserve_format
from ._tensor import Tensor

_call = _C.call
_wrap = _C.wrap


def to(self, *args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=preserve_format):
    """to(dtype), to(device), to(device, dtype), to(other): the tensor in that dtype and on that device.

    Returns the tensor itself where nothing changes and `copy` is false. Gradients flow back through it, in the source's dtype.
    """
    if args:
        first = args[0]
        if isinstance(first, Tensor):
            dtype, device = first.dtype, first.device
            args = args[1:]
        elif isinstance(first, _dtype_class) or first in (float, int, bool):
            dtype, args = first, args[1:]
        else:
            device, args = first, args[1:]
            if args and (args[0] is None or isinstance(args[0], _dtype_class)):
                dtype, args = args[0], args[1:]
        args = args[1:]  # non_blocking: copies are always in order here
        if args:
            copy, args = args[0], args[1:]
        if args:
            raise TypeError("to() received an invalid combination of arguments")
    check_memory_format("to", memory_format)
    result = self
    if device is not None:
        name = _device.engine_name(device)
        if name != self.device.type:
            result = _wrap(_call("to_device", self._h, name))
    if dtype is not None:
        if not isinstance(dtype, _dtype_class):
            from ._creation import _resolve_dtype

            dtype = _resolve_dtype("to", dtype)
        if dtype is not result.dtype:
            return _wrap(_call("cast", result._h, dtype._name))
    if copy and result is self:
        return _wrap(_call("clone", self._h))
    return result


def _shorthand(name, dtype):
    def method(self, memory_format=preserve_format):
        check_memory_format(name, memory_format)
        if self.dtype is dtype:
            return self
        return _wrap(_call("cast", self._h, dtype._name))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"to({dtype})."
    return method


SHORTHANDS = {
    name: _shorthand(name, d)
    for name, d in {
        "float": _dtype.float32, "double": _dtype.float64, "half": _dtype.float16, "bfloat16": _dtype.bfloat16,
        "long": _dtype.int64, "int": _dtype.int32, "short": _dtype.int16, "char": _dtype.int8, "byte": _dtype.uint8,
        "bool": _dtype.bool_,
    }.items()
}  # fmt: skip


def cpu(self, memory_format=preserve_format):
    """to("cpu")."""
    check_memory_format("cpu", memory_format)
    return to(self, "cpu")


def cuda(self, device=None, non_blocking=False, memory_format=preserve_format):
    """to("cuda")."""
    check_memory_format("cuda", memory_format)
    return to(self, "cuda" if device is None else device)


def copy_(self, src, non_blocking=False):
    """Writes `src` into this tensor: cast, broadcast, and moved between devices as needed."""
    if isinstance(src, (int, float)):
        return self.copy_(_creation.scalar_tensor(src, dtype=self.dtype, device=self.device))
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    _call("copy_", self._h, src._h)
    return self


def fill_(self, value):
    """Writes one number, or a 0-dim tensor, everywhere.

    Raises:
        RuntimeError: the number doesn't fit a 16-bit dtype, or the tensor isn't 0-dim.
    """
    if isinstance(value, Tensor):
        if value.dim() != 0:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions."
            )
        _call("copy_", self._h, value._h)
        return self
    _call("fill_", self._h, *_C._number("fill_", "value", 1, value))
    return self


def zero_(self):
    """Writes 0 everywhere."""
    _call("fill_", self._h, -2, 0)
    return self


def fill(input, value):
    """A copy filled with `value`."""
    return fill_(input.clone(), value)


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a number on the main diagonal."""
    if wrap:
        raise NotImplementedError("fill_diagonal_(): wrap=True is not supported here")
    fill_(self.diagonal(), fill_value)
    return self


def apply_(self, callable):
    """Replaces each element by callable(element), in Python: for small tensors on the CPU."""
    if self.is_cuda:
        raise TypeError("apply_ is only implemented on CPU tensors")
    values = [float(callable(v)) for v in self.flat_values()]
    return self.copy_(_creation.from_flat(values, self.shape, self.dtype, "cpu"))


def map_(self, tensor, callable):
    """Replaces each element by callable(element, tensor's element), in Python."""
    pairs = zip(self.flat_values(), tensor.expand(self.shape).flat_values())
    values = [float(callable(a, b)) for a, b in pairs]
    return self.copy_(_creation.from_flat(values, self.shape, self.dtype, self.device.type))


def result_type(tensor1, tensor2):
    """The dtype that an operation on both (tensors or numbers) would have."""
    from . import _promotion

    return _promotion.result_type(tensor1, tensor2)


def is_tensor(obj):
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input):
    """Whether the tensor's dtype is floating point."""
    return input.dtype.is_floating_point


def is_complex(input):
    """False: there are no complex dtypes here."""
    return False


def is_nonzero(input):
    """Whether a one-element tensor isn't 0."""
    if input.numel() != 1:
        raise RuntimeError(
            "Boolean value of Tensor with "
            + ("no values is ambiguous" if input.numel() == 0 else "more than one value is ambiguous")
        )
    return bool(input._item())


def numel(input):
    """The number of elements."""
    return input.numel()


def is_storage(obj):
    """False: storages aren't exposed here."""
    return False


def number_beside(tensor, number):
    """A number as a 0-dim tensor, with the dtype and device that it would have as an operand beside `tensor` (or another number)."""
    from ._creation import tensor as new_tensor

    if isinstance(tensor, (int, float)):
        return new_tensor(number)
    return new_tensor(number, dtype=result_type(tensor, number), device=tensor.device)
