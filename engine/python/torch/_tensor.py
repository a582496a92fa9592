"""torch.Tensor: a handle on a tensor of the engine, with PyTorch's operators and properties.

Operations live in the modules named for what they do (_pointwise, _reductions, _shape, …); _methods.py attaches them here.
"""

import warnings

from . import _C, _device, _dtype
from ._layout import check_memory_format, contiguous_format, strided
from ._size import Size
from ._tensor_str import format_tensor, tensor_str

_BY_NAME = _dtype.by_name
_CUDA = _device.cuda0
_CPU = _device.cpu


class _Handle:
    """Slots of a Tensor; apart, so that Tensor itself has a __dict__ for the attributes that programs add."""

    __slots__ = ("_h", "__weakref__")


_new = object.__new__


class Tensor(_Handle):
    """An n-dimensional array of one dtype. Make one with torch.tensor, torch.zeros, … rather than with this class."""

    __module__ = "torch"

    # dtype and shape once they have been asked for.
    _dt = None
    _sh = None

    # NumPy arrays and numbers leave mixed arithmetic to us.
    __array_priority__ = 1000

    def __new__(cls, *args, **kwargs):
        from ._creation import legacy_tensor

        tensor = legacy_tensor(*args, **kwargs)
        return tensor if cls is Tensor else tensor.as_subclass(cls)

    def __init__(self, *args, **kwargs):
        pass

    def __del__(self):
        try:
            _C.release(self._h)
        except AttributeError:
            pass  # construction failed before there was a handle

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        """A tensor of class `cls` that shares `data`'s storage and is a leaf."""
        result = _new(cls)
        result._h = _C.call("detach", data._h)
        if require_grad:
            result.requires_grad_()
        return result

    def as_subclass(self, cls):
        """The same tensor as an instance of `cls`."""
        result = _new(cls)
        result._h = _C.call("alias", self._h)
        return result

    # --- what it is --------------------------------------------------------------------------------------------------

    def _read_meta(self):
        d, _, shape = _C.call("meta", self._h).split("|", 3)[:3]
        self._dt = _BY_NAME[d]
        self._sh = tuple.__new__(Size, map(int, shape.split(","))) if shape else Size()

    def _forget_meta(self):
        """After anything that changes dtype or shape in place."""
        self._dt = self._sh = None

    def _meta(self, field):
        return _C.call("meta", self._h).split("|")[field]

    @property
    def dtype(self):
        """The torch.dtype of the elements."""
        known = self._dt
        if known is None:
            self._read_meta()
            return self._dt
        return known

    @property
    def shape(self):
        """The sizes of the dimensions, as torch.Size."""
        known = self._sh
        if known is None:
            self._read_meta()
            return self._sh
        return known

    @property
    def device(self):
        """Where the tensor lives: device(type='cpu') or device(type='cuda', index=0)."""
        return _CUDA if self._meta(1) == "cuda" else _CPU

    @property
    def is_cuda(self):
        return self._meta(1) == "cuda"

    @property
    def is_cpu(self):
        return self._meta(1) == "cpu"

    @property
    def layout(self):
        return strided

    is_sparse = is_quantized = is_meta = is_mps = is_xpu = is_nested = is_mkldnn = False

    @property
    def ndim(self):
        return len(self.shape)

    def dim(self):
        """The number of dimensions."""
        return len(self.shape)

    ndimension = dim

    def size(self, dim=None):
        """The shape, or the size of dimension `dim`.

        Raises:
            IndexError: no such dimension.
        """
        shape = self.shape
        if dim is None:
            return shape
        return shape[wrap_dim(dim, len(shape))]

    def numel(self):
        """The number of elements."""
        n = 1
        for s in self.shape:
            n *= s
        return n

    nelement = numel

    def stride(self, dim=None):
        """Elements to skip for one step along each dimension (or along `dim`)."""
        text = self._meta(3)
        strides = tuple(map(int, text.split(","))) if text else ()
        return strides if dim is None else strides[wrap_dim(dim, len(strides))]

    def storage_offset(self):
        """Elements of the storage before the first one of this tensor."""
        return int(self._meta(4))

    def element_size(self):
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.numel() * self.dtype.itemsize

    def is_contiguous(self, memory_format=contiguous_format):
        """Whether elements lie in memory in row-major order without gaps."""
        check_memory_format("is_contiguous", memory_format)
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.stride())):
            if size != 1:
                if stride != expected:
                    return False
                expected *= size
        return True

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def is_signed(self):
        return self.dtype.is_signed

    def is_inference(self):
        """Whether the tensor was made under torch.inference_mode()."""
        return bool(_C.call("is_inference", self._h))

    def is_set_to(self, tensor):
        """Whether both share storage, shape, strides and offset."""
        return self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()

    def data_ptr(self):
        """A number that is equal for tensors that start at the same element of the same storage."""
        return _C.call("data_ptr", self._h)

    @property
    def _version(self):
        """How often the storage has been written in place."""
        return _C.call("version", self._h)

    def get_device(self):
        """Index of the GPU, -1 for CPU tensors."""
        return 0 if self.is_cuda else -1

    def type(self, dtype=None, non_blocking=False):
        """The legacy type string ("torch.HalfTensor"), or the tensor cast to `dtype`."""
        if dtype is None:
            place = "torch.cuda." if self.is_cuda else "torch."
            return f"{place}{self.dtype._scalar_name}Tensor"
        if isinstance(dtype, str):
            name = dtype.removeprefix("torch.").removeprefix("cuda.").removesuffix("Tensor")
            for d in _BY_NAME.values():
                if d._scalar_name == name:
                    moved = self.cuda() if ".cuda." in dtype else self
                    return moved.to(d)
            raise ValueError(f"invalid type: '{dtype}'")
        return self.to(dtype)

    def type_as(self, other):
        """The tensor with `other`'s dtype and device."""
        return self.to(other)

    # --- values ------------------------------------------------------------------------------------------------------

    def flat_values(self):
        """All elements in row-major order as a list of Python numbers (not a PyTorch method)."""
        values = _C.call("values", self._h).to_py().tolist()
        d = self.dtype
        if d.is_floating_point:
            return values
        if d is _dtype.bool_:
            return [v != 0.0 for v in values]
        return [int(v) for v in values]

    def item(self):
        """The only element as a Python number.

        Raises:
            RuntimeError: there are more elements, or none.
        """
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self._item()

    def _item(self):
        d = self.dtype
        value = _C.call("item", self._h)
        if d.is_floating_point:
            # A zero loses its sign on the way from JavaScript, an array doesn't.
            return float(value) if value else self.flat_values()[0]
        return value != 0 if d is _dtype.bool_ else int(value)

    def tolist(self):
        """Nested lists of Python numbers; a number for a 0-dim tensor."""
        values = self.flat_values()
        shape = self.shape
        if not shape:
            return values[0]
        for size in reversed(shape[1:]):
            if size == 0:
                return _empty_nested(shape)
            values = [values[i : i + size] for i in range(0, len(values), size)]
        return values

    def numpy(self, *, force=False):
        """NumPy isn't part of this Python; `tolist()` gives the values."""
        if not force and self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if self.dtype is _dtype.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        raise NotImplementedError("Tensor.numpy() is not supported here: there is no NumPy. Use tolist() for the values.")

    def __array__(self, dtype=None):
        return self.numpy()

    def __bool__(self):
        n = self.numel()
        if n != 1:
            raise RuntimeError(
                "Boolean value of Tensor with "
                + ("no values is ambiguous" if n == 0 else "more than one value is ambiguous")
            )
        return bool(self._item())

    def _python_number(self, convert):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return convert(self._item())

    def __int__(self):
        return self._python_number(int)

    def __float__(self):
        return self._python_number(float)

    def __complex__(self):
        return self._python_number(complex)

    def __index__(self):
        if self.dtype.is_floating_point or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._item())

    def __len__(self):
        shape = self.shape
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self):
        return self.flip(0) if self.shape else self

    def __contains__(self, element):
        """`element in tensor`: whether any element equals it."""
        if isinstance(element, (Tensor, int, float, bool)):
            return bool((element == self).any().item())
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )

    def __repr__(self, *, tensor_contents=None):
        name = type(self)
        return tensor_str(self, "tensor(" if name is Tensor or name.__name__ == "Parameter" else f"{name.__name__}(")

    def __str__(self):
        return repr(self)

    def __format__(self, spec):
        return format_tensor(self, spec)

    def __hash__(self):
        return id(self)

    def __dir__(self):
        return sorted(set(object.__dir__(self)))

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
                "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
                "see https://github.com/pytorch/pytorch/pull/103001"
            )
        from copy import deepcopy

        result = _new(type(self))
        result._h = _C.call("clone", self.detach()._h)
        memo[id(self)] = result
        if self.requires_grad:
            result.requires_grad_()
        if self.grad is not None:
            result.grad = deepcopy(self.grad, memo)
        for name, value in self.__dict__.items():
            if name not in _OWN_ATTRIBUTES:
                result.__dict__[name] = deepcopy(value, memo)
        return result

    def __copy__(self):
        return Tensor._make_subclass(type(self), self, self.requires_grad)

    def __reduce_ex__(self, protocol):
        from .serialization import _pickled

        return _pickled(self)

    def __getattr__(self, name):
        if name[0] == "_":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        from ._unsupported import tensor_attribute

        raise AttributeError(tensor_attribute(type(self).__name__, name), name=name, obj=self)

    # --- autograd ----------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self):
        """Whether gradients are tracked for this tensor."""
        return _C.call("requires_grad", self._h)

    @requires_grad.setter
    def requires_grad(self, value):
        if not self.is_leaf:
            if value:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if value and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        _C.call("set_requires_grad", self._h, bool(value))

    def requires_grad_(self, requires_grad=True):
        """Starts (or stops) recording gradients for this leaf; returns it.

        Raises:
            RuntimeError: the tensor isn't floating point, or isn't a leaf.
        """
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self):
        """Whether the tensor was made by the program rather than by an op that records gradients."""
        return _C.call("is_leaf", self._h)

    @property
    def grad_fn(self):
        """The node of the graph that made this tensor; None for leaves."""
        name = self._meta(7)
        if not name:
            return None
        from .autograd.graph import node

        return node(self, name)

    @property
    def output_nr(self):
        """Which output of grad_fn this tensor is."""
        return _C.call("output_nr", self._h)

    @property
    def retains_grad(self):
        return bool(_C.call("retains_grad", self._h))

    @property
    def grad(self):
        """The gradient that backward() accumulated, or None.

        Warns:
            UserWarning: the tensor isn't a leaf and retain_grad() wasn't called, so that there won't be one.
        """
        handle = _C.call("grad", self._h)
        if not handle:
            self.__dict__.pop("_grad", None)
            if not self.is_leaf and not self.retains_grad:
                warnings.warn(_NON_LEAF_GRAD, UserWarning, stacklevel=2)
            return None
        return self._same_object("_grad", handle)

    def _same_object(self, slot, handle):
        """The Tensor that was returned for this grad before, so that `x.grad is x.grad`."""
        known = self.__dict__.get(slot)
        if known is not None and _C.call("same", known._h, handle):
            _C.release(handle)
            return known
        tensor = _C.wrap(handle)
        self.__dict__[slot] = tensor
        return tensor

    @grad.setter
    def grad(self, value):
        if value is None:
            _C.call("set_grad", self._h, 0)
            self.__dict__.pop("_grad", None)
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value.shape != self.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
        if value.dtype is not self.dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{value.dtype._cpp_name}' to a tensor with grad_dtype "
                f"'{self.dtype._scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
                "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
                "systems that assume they match."
            )
        if value.device != self.device:
            raise RuntimeError(
                f"attempting to assign a gradient with device type '{value.device.type}' to a tensor with device type "
                f"'{self.device.type}'. Please ensure that the gradient and the tensor are on the same device"
            )
        _C.call("set_grad", self._h, value._h)
        self.__dict__["_grad"] = value

    @grad.deleter
    def grad(self):
        self.grad = None

    @property
    def data(self):
        """The same storage outside autograd: edits aren't recorded and don't raise."""
        return _C.wrap(_C.call("data", self._h))

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        _C.call("set_data", self._h, value._h)
        self._forget_meta()

    def detach(self):
        """The same storage, cut off from the graph."""
        return _C.wrap(_C.call("detach", self._h))

    def detach_(self):
        """Cuts this tensor itself off from the graph; returns it."""
        _C.call("detach_", self._h)
        return self

    def retain_grad(self):
        """Keeps `.grad` of this non-leaf tensor in the next backward."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        _C.call("retain_grad", self._h)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Adds the gradients of this tensor to `.grad` of the leaves it was computed from.

        Args:
            gradient: the gradient with respect to this tensor; may be left out for one element.
            retain_graph: keep what backward needs, for another call.
            create_graph: record the backward, so that gradients can be differentiated.
            inputs: only these tensors get gradients.
        """
        from .autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        """Calls `hook(grad)` when the gradient of this tensor is computed; a Tensor it returns replaces the gradient.

        Returns a handle with `remove()`.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        from .autograd.graph import register_tensor_hook

        return register_tensor_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Calls `hook(tensor)` after `.grad` of this leaf has been accumulated. Returns a handle with `remove()`."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        from .autograd.graph import register_post_accumulate_hook

        return register_post_accumulate_hook(self, hook)

    def share_memory_(self):
        return self

    def is_shared(self):
        return False

    def is_pinned(self):
        return False

    def pin_memory(self):
        """Memory can't be pinned here: it would change no result, so this returns the tensor itself."""
        return self


_OWN_ATTRIBUTES = frozenset(("_grad", "_dt", "_sh"))

_NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def wrap_dim(dim, ndim):
    """`dim` as an index from 0. A 0-dim tensor counts as 1-dim.

    Raises:
        IndexError: out of range, with PyTorch's text.
    """
    n = ndim or 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim + n if dim < 0 else dim


def _empty_nested(shape):
    if len(shape) == 1:
        return []
    return [_empty_nested(shape[1:]) for _ in range(shape[0])]


_C._Tensor = Tensor
