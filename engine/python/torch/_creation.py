"""Tensors from Python values, sizes and ranges."""

import math
import numbers
import warnings
from array import array

from pyodide.ffi import to_js

from . import _C, _device, _dtype
from ._dtype import dtype as _dtype_class
from ._size import Size
from ._layout import check_memory_format, preserve_format, strided, unsupported
from ._tensor import Tensor

_engine_device = _device.engine_name


def _resolve_dtype(function, dtype):
    """A dtype argument; Python's float, int and bool stand for float64, int64 and bool."""
    if isinstance(dtype, _dtype_class):
        return dtype
    return _dtype.by_name[_C.dtype_name(function, "dtype", dtype)]


def finish(tensor, function, requires_grad, layout=None, pin_memory=False):
    """Checks the keywords that all creation functions share and marks the tensor."""
    if layout is not None and layout is not strided:
        raise NotImplementedError(f"{function}(): layout={layout} is not supported here; supported: torch.strided")
    if requires_grad is False:
        return tensor
    if requires_grad is not True:
        raise TypeError(f"{function}(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    if not tensor.dtype.is_floating_point:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return tensor.requires_grad_()


def parse_size(function, size, name="size"):
    """(2, 3), ((2, 3),), ([2, 3],) or (torch.Size,) as a tuple of ints."""
    if len(size) == 1:
        only = size[0]
        if isinstance(only, (tuple, list)):
            size = only
        elif not _is_index(only):
            raise TypeError(
                f"{function}(): argument '{name}' (position 1) must be tuple of ints, not {type(only).__name__}"
            )
    result = []
    for position, s in enumerate(size):
        if type(s) is not int:
            if not _is_index(s):
                raise TypeError(
                    f"{function}(): argument '{name}' failed to unpack the object at pos {position + 1} with error "
                    f'"type must be tuple of ints,but got {type(s).__name__}"'
                )
            s = s.__index__()
        result.append(s)
    for s in result:
        if s < 0:
            if function == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {s}: {result}")
    return result


def _is_index(value):
    if isinstance(value, Tensor):
        return not value.dtype.is_floating_point and value.numel() == 1
    return not isinstance(value, bool) and hasattr(value, "__index__")


def from_flat(values, shape, dtype, device):
    """A new tensor from a flat list of numbers, which the engine rounds to `dtype`."""
    return _C.wrap(_C.call("from_values", to_js(array("d", values)), dtype._name, device, *shape))


# --- torch.tensor ----------------------------------------------------------------------------------------------------


def _shape_of(data):
    shape = []
    while isinstance(data, (list, tuple, range)):
        shape.append(len(data))
        if not len(data):
            break
        data = data[0]
    return shape


def _flatten(data, shape, depth, into):
    if depth == len(shape):
        into.append(data)
        return
    if not isinstance(data, (list, tuple, range)):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    if depth == len(shape) - 1:
        into.extend(data)
    else:
        for item in data:
            _flatten(item, shape, depth + 1, into)


def _infer(values, tensors):
    """The dtype of a list of numbers: any float gives the default dtype, else any int int64, else bool."""
    found = None
    rank = -1
    for v in values:
        kind = v.__class__
        if kind is float:
            r = 2
        elif kind is bool:
            r = 0
        elif kind is int:
            r = 1
        elif isinstance(v, Tensor):
            if v.numel() != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            tensors.append(v)
            continue
        elif isinstance(v, float):
            r = 2
        elif isinstance(v, int):
            r = 1
        elif isinstance(v, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{kind.__name__}'")
        elif isinstance(v, complex):
            raise NotImplementedError("complex tensors are not supported here; supported: floating point, integers and bool")
        elif isinstance(v, numbers.Number) and hasattr(v, "__float__"):
            r = 2
        else:
            raise RuntimeError(f"Could not infer dtype of {kind.__name__}")
        if r > rank:
            rank = r
    if rank >= 0:
        found = (_dtype.bool_, _dtype.int64, _dtype.get_default_dtype())[rank]
    for t in tensors:
        found = t.dtype if found is None else _dtype.promote_types(found, t.dtype)
    return _dtype.get_default_dtype() if found is None else found


def _as_numbers(values, dtype):
    """The values as floats for the engine, with PyTorch's conversions and overflow errors."""
    if dtype.is_floating_point:
        try:
            return [float(v) for v in values]
        except OverflowError:
            return [_clipped_float(v) for v in values]
    if dtype is _dtype.bool_:
        return [1.0 if v else 0.0 for v in values]
    limits = _dtype.iinfo(dtype)
    low = limits.min if dtype.is_signed else -limits.max
    result = []
    for v in values:
        if v.__class__ is not int:
            v = _to_int(v, dtype)
        if not low <= v <= limits.max:
            if dtype is _dtype.int64:
                raise ValueError("Overflow when unpacking long long")
            raise RuntimeError(f"value cannot be converted to type {dtype._name} without overflow")
        if v < limits.min:
            v += limits.max + 1  # unsigned wraps negative numbers
        result.append(float(v))
    return result


def _clipped_float(v):
    try:
        return float(v)
    except OverflowError:
        return math.inf if v > 0 else -math.inf


def _to_int(v, dtype):
    if isinstance(v, Tensor):
        v = v.item()
    if isinstance(v, (list, tuple)):
        raise TypeError(f"'{type(v).__name__}' object cannot be interpreted as an integer")
    try:
        return int(v)
    except (ValueError, OverflowError):  # NaN and infinities
        raise RuntimeError(f"value cannot be converted to type {dtype._name} without overflow") from None


def _build(data, dtype, device, function):
    if isinstance(data, Tensor):
        source = data.detach()
        return source.to(device=source.device if device is None else device, dtype=dtype or source.dtype, copy=True)
    if not isinstance(data, (int, float, list, tuple, range, str, bytes, complex, dict, type(None))) and hasattr(
        data, "__len__"
    ):
        if hasattr(data, "tolist"):
            data = data.tolist()
        elif hasattr(data, "__getitem__"):
            data = [data[i] for i in range(len(data))]
    tensors = []
    values = []
    shape = _shape_of(data)
    if len(shape) > 20:
        raise ValueError("too many dimensions '{}'".format(type(data).__name__))
    _flatten(data, shape, 0, values)
    for v in values:
        if v.__class__ is list or v.__class__ is tuple:
            raise TypeError(
                f"'{type(v).__name__}' object cannot be interpreted as an integer"
                if any(x.__class__ is int for x in values)
                else f"must be real number, not {type(v).__name__}"
            )
    inferred = _infer(values, tensors)
    if dtype is None:
        dtype = inferred
    return from_flat(_as_numbers(values, dtype), shape, dtype, _engine_device(device))


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf tensor with a copy of `data`: a number, nested sequences of numbers, or a tensor.

    Without `dtype`, floats give the default dtype (float32), ints int64, bools bool. Numbers beyond a floating dtype's range
    become inf.

    Raises:
        ValueError: nested sequences of differing lengths.
        TypeError, RuntimeError: something in `data` isn't a number.
    """
    if dtype is not None:
        dtype = _resolve_dtype("tensor", dtype)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    return finish(_build(data, dtype, device, "tensor"), "tensor", requires_grad)


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor; a tensor of the right dtype and device is returned as it is."""
    if dtype is not None:
        dtype = _resolve_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data.to(device=data.device if device is None else device, dtype=dtype or data.dtype)
    return _build(data, dtype, device, "as_tensor")


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor, copied if `copy` is true."""
    result = as_tensor(obj, dtype, device)
    if copy and result is obj:
        result = result.clone()
    return finish(result.detach() if requires_grad else result, "asarray", requires_grad)


def from_numpy(ndarray, /):
    """NumPy isn't part of this Python.

    Raises:
        TypeError: always: `ndarray` can't be an array here.
    """
    raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A 0-dim tensor of the default dtype."""
    dtype = dtype or _dtype.get_default_dtype()
    return finish(_full((), s, dtype, device), "scalar_tensor", requires_grad, layout)


def legacy_tensor(*args, device=None, dtype=None):
    """torch.Tensor(2, 3), torch.Tensor([1, 2]): the legacy constructor."""
    dtype = dtype or _dtype.get_default_dtype()
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], Size):
        return _build(args[0], dtype, device, "Tensor")
    if len(args) == 1 and isinstance(args[0], Tensor):
        if args[0].dtype is not dtype:
            raise TypeError(f"expected {dtype._scalar_name} (got {args[0].dtype._scalar_name})")
        return args[0].detach()
    if not args:
        return empty(0, dtype=dtype, device=device)
    if isinstance(args[0], str):
        raise TypeError("new(): invalid data type 'str'")
    return empty(*args, dtype=dtype, device=device)


def _legacy(name, dtype):
    def constructor(*args):
        return legacy_tensor(*args, dtype=dtype)

    constructor.__name__ = constructor.__qualname__ = name
    constructor.__doc__ = f"Legacy constructor of {dtype} tensors."
    return constructor


FloatTensor = _legacy("FloatTensor", _dtype.float32)
DoubleTensor = _legacy("DoubleTensor", _dtype.float64)
HalfTensor = _legacy("HalfTensor", _dtype.float16)
BFloat16Tensor = _legacy("BFloat16Tensor", _dtype.bfloat16)
LongTensor = _legacy("LongTensor", _dtype.int64)
IntTensor = _legacy("IntTensor", _dtype.int32)
ShortTensor = _legacy("ShortTensor", _dtype.int16)
CharTensor = _legacy("CharTensor", _dtype.int8)
ByteTensor = _legacy("ByteTensor", _dtype.uint8)
BoolTensor = _legacy("BoolTensor", _dtype.bool_)


# --- sizes -----------------------------------------------------------------------------------------------------------


def _full(size, value, dtype, device):
    return _C.wrap(_C.call("full", *_C.scalar(value), dtype._name, _engine_device(device), *size))


def _sized(function, size, size_keyword, value, dtype, device, requires_grad, layout, out):
    if size_keyword is not None:
        size = (size_keyword,)
    elif not size:
        raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    if out is not None:
        shape = parse_size(function, size)
        if tuple(out.shape) != tuple(shape):
            raise NotImplementedError(f"{function}(): out= of another shape is not supported here")
        return out.fill_(value)
    dtype = _dtype.get_default_dtype() if dtype is None else _resolve_dtype(function, dtype)
    return finish(_full(parse_size(function, size), value, dtype, device), function, requires_grad, layout)


def zeros(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, names=None):
    """A tensor of zeros. Sizes are arguments or one sequence."""
    unsupported("zeros", names=names)
    return _sized("zeros", size, None, 0, dtype, device, requires_grad, layout, out)


def ones(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, names=None):
    """A tensor of ones. Sizes are arguments or one sequence."""
    unsupported("ones", names=names)
    return _sized("ones", size, None, 1, dtype, device, requires_grad, layout, out)


def empty(
    *size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None
):
    """A tensor whose values mean nothing yet; here they are zeros."""
    check_memory_format("empty", memory_format)
    return _sized("empty", size, None, 0, dtype, device, requires_grad, layout, out)


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor filled with one number, whose kind gives the dtype if none is given.

    Raises:
        RuntimeError: the number doesn't fit a 16-bit dtype.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    if isinstance(fill_value, Tensor):
        dtype = dtype or fill_value.dtype
        fill_value = fill_value.item()
    if dtype is None:
        dtype = (
            _dtype.bool_
            if isinstance(fill_value, bool)
            else _dtype.int64
            if isinstance(fill_value, int)
            else _dtype.get_default_dtype()
        )
    else:
        dtype = _resolve_dtype("full", dtype)
    result = _full(parse_size("full", (size,)), fill_value, dtype, device)
    if out is not None:
        return out.copy_(result)
    return finish(result, "full", requires_grad, layout)


def _like(function, input, value, dtype, layout, device, requires_grad, memory_format):
    if not isinstance(input, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    check_memory_format(function, memory_format)
    dtype = input.dtype if dtype is None else _resolve_dtype(function, dtype)
    device = input.device if device is None else device
    return finish(_full(input.shape, value, dtype, device), function, requires_grad, layout)


def zeros_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=preserve_format):
    """Zeros of `input`'s shape, dtype and device."""
    return _like("zeros_like", input, 0, dtype, layout, device, requires_grad, memory_format)


def ones_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=preserve_format):
    """Ones of `input`'s shape, dtype and device."""
    return _like("ones_like", input, 1, dtype, layout, device, requires_grad, memory_format)


def empty_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=preserve_format):
    """An uninitialised tensor (here: zeros) of `input`'s shape, dtype and device."""
    return _like("empty_like", input, 0, dtype, layout, device, requires_grad, memory_format)


def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=preserve_format):
    """`fill_value` in `input`'s shape, dtype and device."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    return _like("full_like", input, fill_value, dtype, layout, device, requires_grad, memory_format)


# --- ranges ----------------------------------------------------------------------------------------------------------


def _number(v):
    return v.item() if isinstance(v, Tensor) else v


def arange(*args, start=None, end=None, step=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """arange(end), arange(start, end), arange(start, end, step): evenly spaced numbers in [start, end).

    Integers give int64, a float among the arguments the default dtype.

    Raises:
        RuntimeError: step is 0, or has the wrong sign.
    """
    if len(args) == 1:
        end = args[0]
    elif len(args) == 2:
        start, end = args
    elif len(args) == 3:
        start, end, step = args
    elif args or end is None:
        raise TypeError("arange() received an invalid combination of arguments; give end, start and end, or start, end and step")
    start = 0 if start is None else _number(start)
    step = 1 if step is None else _number(step)
    end = _number(end)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        floating = any(isinstance(v, float) for v in (start, end, step))
        dtype = _dtype.get_default_dtype() if floating else _dtype.int64
    else:
        dtype = _resolve_dtype("arange", dtype)
        if not dtype.is_floating_point and int(step) == 0:
            raise ValueError("step must be nonzero")
    result = _C.wrap(_C.call("arange", start, end, step, dtype._name, _engine_device(device)))
    if out is not None:
        return out.copy_(result)
    return finish(result, "arange", requires_grad, layout)


def range_(start, end, step=1, **options):
    """Deprecated torch.range: arange that includes the end."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=2,
    )
    options.setdefault("dtype", _dtype.get_default_dtype())
    return arange(start, end + step / 2, step, **options)


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """`steps` evenly spaced numbers from start to end, both included."""
    start, end = _number(start), _number(end)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = _dtype.get_default_dtype() if dtype is None else _resolve_dtype("linspace", dtype)
    result = _C.wrap(_C.call("linspace", float(start), float(end), int(steps), dtype._name, _engine_device(device)))
    if out is not None:
        return out.copy_(result)
    return finish(result, "linspace", requires_grad, layout)


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """base ** linspace(start, end, steps)."""
    exponents = linspace(start, end, steps, dtype=_dtype.float64).tolist()
    dtype = _dtype.get_default_dtype() if dtype is None else _resolve_dtype("logspace", dtype)
    values = [_clipped_float_pow(base, e) for e in exponents]
    result = from_flat(values, (len(values),), dtype, _engine_device(device))
    if out is not None:
        return out.copy_(result)
    return finish(result, "logspace", requires_grad, layout)


def _clipped_float_pow(base, exponent):
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The identity matrix, n rows and m (default n) columns."""
    m = n if m is None else m
    for size in (n, m):
        if size < 0:
            raise RuntimeError(f"{'n' if size == n else 'm'} must be greater or equal to 0, got {size}")
    dtype = _dtype.get_default_dtype() if dtype is None else _resolve_dtype("eye", dtype)
    rows = arange(n, device=device).unsqueeze(1)
    result = _C.ops.eq(rows, arange(m, device=device)).to(dtype)
    if out is not None:
        return out.copy_(result)
    return finish(result, "eye", requires_grad, layout)


# --- methods ---------------------------------------------------------------------------------------------------------


def _new_sized(name, value):
    def method(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
        return _sized(
            name, size, None, value, dtype or self.dtype, device or self.device, requires_grad, layout, None
        )

    method.__name__ = method.__qualname__ = "new_" + name
    method.__doc__ = f"torch.{name} with this tensor's dtype and device."
    return method


new_zeros = _new_sized("zeros", 0)
new_ones = _new_sized("ones", 1)
new_empty = _new_sized("empty", 0)


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """torch.full with this tensor's dtype and device."""
    return full(
        size, fill_value, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad, layout=layout
    )


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """torch.tensor(data) with this tensor's dtype and device."""
    return finish(_build(data, dtype or self.dtype, device or self.device, "new_tensor"), "new_tensor", requires_grad)
