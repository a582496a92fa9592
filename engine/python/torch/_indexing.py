"""x[...] and x[...] = v: ints, slices, None, Ellipsis, bools, masks, index tensors, lists, and any mix of them.

Basic indices (int, slice, None, Ellipsis) give views. Index tensors and masks gather a copy; those that stand side by side put their
broadcast shape in their place, those that are apart put it in front (NumPy's rule).
"""

import warnings

from . import _C, _creation, _dtype
from ._tensor import Tensor

_call = _C.call
_wrap = _C.wrap
_ops = _C.ops

_BAD_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"
)
_ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a "
    "number"
)
_INDEX_DTYPES = (_dtype.int64, _dtype.int32, _dtype.uint8, _dtype.bool_)


def getitem(self, index):
    """self[index]."""
    if index.__class__ is int:
        return _wrap(_call("select", self._h, 0, _checked(self.shape, 0, index, 0)))
    view, chosen = _apply(self, _as_tuple(index))
    if chosen:
        return _gather(view, chosen)
    return _wrap(_call("alias", self._h)) if view is self else view


def _checked(shape, dim, index, position):
    """The index, if dimension `dim` has it. Messages name its position among the indices, as PyTorch's do."""
    if not shape:
        raise IndexError(_ZERO_DIM)
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return index


def _as_tuple(index):
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and 0 < len(index) < 32 and any(
        item is None or item is Ellipsis or isinstance(item, (slice, list, tuple, Tensor)) for item in index
    ):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
            "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
            "which will result either in an error or a different result",
            UserWarning,
            stacklevel=4,
        )
        return tuple(index)
    return (index,)


def _named_dims(items):
    """How many dimensions the items index: not None, Ellipsis or bools; a mask as many as it has."""
    n = 0
    for item in items:
        if item is None or item is Ellipsis or item is True or item is False:
            continue
        if isinstance(item, Tensor) and item.dtype in (_dtype.bool_, _dtype.uint8):
            n += item.dim()
        else:
            n += 1
    return n


def _apply(self, items):
    """The view that the basic items give, and [(dim, index tensor)] for the others."""
    items = [
        _creation.tensor(list(item), device=self.device) if isinstance(item, (list, tuple, range)) else item
        for item in items
    ]
    for i, item in enumerate(items):
        if isinstance(item, Tensor) and item.numel() == 0 and item.dtype is _dtype.get_default_dtype():
            items[i] = item.long()  # an empty list
        if isinstance(item, str):
            raise TypeError("new(): invalid data type 'str'")
    named = _named_dims(items)
    if named > self.dim():
        if self.dim() == 0 and not isinstance(items[0], slice):
            raise IndexError(_ZERO_DIM)
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    view = self
    dim = 0
    chosen = []
    seen_ellipsis = False
    for position, item in enumerate(items):
        if item.__class__ is int:
            _checked(view.shape, dim, item, position)
            view = _wrap(_call("select", view._h, dim, item))
        elif isinstance(item, slice):
            start, stop, step = _slice(item)
            if not (start is None and stop is None and step == 1):
                size = view.shape[dim]
                start, stop, _ = slice(start, stop).indices(size)
                view = _wrap(_call("slice", view._h, dim, start, stop, step))
            dim += 1
        elif item is None:
            view = _wrap(_call("unsqueeze", view._h, dim))
            dim += 1
        elif item is Ellipsis:
            skipped = 0 if seen_ellipsis else self.dim() - named
            seen_ellipsis = True
            dim += skipped
        elif item is True or item is False:
            view = _bool_index(view, dim, item, chosen)
            dim += 1
        elif isinstance(item, Tensor):
            if item.dtype not in _INDEX_DTYPES:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            if item.dim() == 0 and item.dtype not in (_dtype.bool_, _dtype.uint8):
                number = int(item.item())
                _checked(view.shape, dim, number, position)
                view = _wrap(_call("select", view._h, dim, number))
            elif item.dtype in (_dtype.bool_, _dtype.uint8):
                if item.dim() == 0:
                    view = _bool_index(view, dim, bool(item.item()), chosen)
                    dim += 1
                    continue
                if item.dtype is _dtype.uint8:
                    warnings.warn(
                        "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                        UserWarning,
                        stacklevel=4,
                    )
                    item = item.bool()
                chosen.append((dim, item))
                dim += item.dim()
            else:
                chosen.append((dim, item))
                dim += 1
        else:
            if hasattr(item, "__index__") and not isinstance(item, float):
                number = _checked(view.shape, dim, item.__index__(), position)
                view = _wrap(_call("select", view._h, dim, number))
                continue
            raise IndexError(_BAD_INDEX.format(type(item).__name__))
    for dim, item in chosen:
        if item.dtype is _dtype.bool_:
            for d in range(item.dim()):
                if item.shape[d] != view.shape[dim + d]:
                    raise IndexError(
                        f"The shape of the mask {list(item.shape)} at index {d} does not match the shape of the indexed tensor "
                        f"{list(view.shape)} at index {dim + d}"
                    )
    return view, chosen


def _slice(item):
    bounds = []
    for bound in (item.start, item.stop, item.step):
        if bound is not None and bound.__class__ is not int:
            if isinstance(bound, float) or not hasattr(bound, "__index__"):
                raise TypeError("slice indices must be integers or None or have an __index__ method")
            bound = bound.__index__()
        bounds.append(bound)
    start, stop, step = bounds
    if step is None:
        step = 1
    elif step == 0:
        raise ValueError("slice step cannot be zero")
    elif step < 0:
        raise ValueError("step must be greater than zero")
    return start, stop, step


def _bool_index(view, dim, flag, chosen):
    view = _wrap(_call("unsqueeze", view._h, dim))
    chosen.append((dim, _creation.from_flat([0.0] if flag else [], (int(flag),), _dtype.int64, view.device.type)))
    return view


def _as_index_tensors(chosen, device):
    """Masks become one index tensor a dimension; all are broadcast together."""
    result = []
    for dim, item in chosen:
        if item.dtype is _dtype.bool_:
            for d, index in enumerate(item.nonzero(as_tuple=True)):
                result.append((dim + d, index))
        else:
            result.append((dim, item.long() if item.dtype is not _dtype.int64 else item))
    shapes = [tuple(index.shape) for _, index in result]
    try:
        from ._views import broadcast_shapes

        shape = broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join(str(list(s)) for s in shapes)
        ) from None
    return [(dim, index.expand(shape) if tuple(index.shape) != tuple(shape) else index) for dim, index in result], shape


def _gather(view, chosen):
    indices, _ = _as_index_tensors(chosen, view.device)
    dims = [dim for dim, _ in indices]
    return _ops.index(view, [index for _, index in indices], dims)


def setitem(self, index, value):
    """self[index] = value; the value is cast to self's dtype and broadcast."""
    view, chosen = _apply(self, _as_tuple(index))
    if not isinstance(value, Tensor):
        if not isinstance(value, (int, float)):
            kind = f"torch.{'cuda.' if self.is_cuda else ''}{self.dtype._scalar_name}Tensor"
            raise TypeError(f"can't assign a {type(value).__name__} to a {kind}")
        value = _creation._full((), value, _dtype.float64 if isinstance(value, float) else _dtype.int64, "cpu").to(
            dtype=self.dtype, device=self.device
        )
    elif chosen and value.dtype is not self.dtype and not (
        value.numel() == 1 and len(chosen) == 1 and chosen[0][1].dtype is _dtype.bool_
    ):
        _check_fits(value, view, chosen)
        _check_same_dtype(self, value)
    if not chosen:
        value = _without_leading_ones(value, view.dim())
        if value.shape != view.shape:
            value = value.expand(view.shape)
        _call("copy_", view._h, value._h)
        return
    if len(chosen) == 1 and chosen[0][1].dtype is _dtype.bool_ and value.numel() == 1:
        dim, mask = chosen[0]
        mask = mask.reshape([1] * dim + list(mask.shape) + [1] * (view.dim() - dim - mask.dim()))
        _C.ops_.masked_fill(view, mask, value.reshape(()).to(self.dtype))
        return
    _put(view, chosen, value, False)


def _check_same_dtype(target, value):
    if value.dtype is not target.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{target.dtype._scalar_name} for the destination and {value.dtype._scalar_name} for the source."
        )


def _check_fits(value, view, chosen):
    """Raises RuntimeError unless `value` broadcasts to what the indices select."""
    indices, shape = _as_index_tensors(chosen, view.device)
    dims = [dim for dim, _ in indices]
    rest = [s for d, s in enumerate(view.shape) if d not in dims]
    adjacent = dims == list(range(dims[0], dims[0] + len(dims)))
    at = dims[0] if adjacent else 0
    target = [*rest[:at], *shape, *rest[at:]]
    sizes = list(_without_leading_ones(value, len(target)).shape)
    fits = len(sizes) <= len(target) and all(a in (1, b) for a, b in zip(reversed(sizes), reversed(target)))
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of shape {target}"
        )


def put_at(self, index, values, accumulate):
    """index_put_: self[index] = values, or += with accumulate (an index that occurs twice then counts twice)."""
    view, chosen = _apply(self, _as_tuple(index))
    if chosen:
        _check_same_dtype(self, values)
        _put(view, chosen, values, accumulate)
    elif accumulate:
        view.add_(values)
    else:
        view.copy_(values)


def _put(view, chosen, value, accumulate):
    indices, shape = _as_index_tensors(chosen, view.device)
    dims = [dim for dim, _ in indices]
    value = _without_leading_ones(value, len(shape) + view.dim() - len(dims))
    _C.ops_.index_put(view, value, [index for _, index in indices], dims, accumulate)


def _without_leading_ones(value, dims):
    """Leading dimensions of size 1 that the target hasn't are dropped."""
    shape = value.shape
    while len(shape) > dims and shape[0] == 1:
        value = value.reshape(shape[1:])
        shape = value.shape
    return value


Tensor.__getitem__ = getitem
def delitem(self, index):
    """Raises TypeError: a tensor has no places to take away."""
    raise TypeError("Tensor does not support deleting items")


Tensor.__setitem__ = setitem
Tensor.__delitem__ = delitem
