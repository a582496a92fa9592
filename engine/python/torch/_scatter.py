"""Writing at indices: scatter, index_add, index_put and the like. Each has an in-place form with a trailing underscore."""

from . import _C, _dtype
from ._tensor import Tensor, wrap_dim

_ops = _C.ops
_inplace = _C.ops_


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for other dims; src may be a number."""
    return scatter_(input.clone(), dim, index, src, value=value, reduce=reduce)


def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
    """In-place scatter."""
    if src is None:
        src = value
    if reduce is not None:
        raise NotImplementedError(f"scatter_(): reduce='{reduce}' is not supported here; supported: scatter_add_")
    if not isinstance(src, Tensor):
        return _inplace.scatter_value(self, dim, index, float(src))
    return _inplace.scatter(self, dim, index, src)


def scatter_add(input, dim, index, src):
    """A copy with src added at the indices (see scatter)."""
    return _ops.scatter_add(input, dim, index, src)


def scatter_add_(self, dim, index, src):
    """In-place scatter_add."""
    return _inplace.scatter_add(self, dim, index, src)


def index_add(input, dim, index, source, *, alpha=1):
    """A copy with alpha * source's slices added to those at `index` along `dim`."""
    return _ops.index_add(input, dim, index, source, float(alpha))


def index_add_(self, dim, index, source, *, alpha=1):
    """In-place index_add."""
    return _inplace.index_add(self, dim, index, source, float(alpha))


def index_fill(input, dim, index, value):
    """A copy with `value` in the slices at `index` along `dim`."""
    return index_fill_(input.clone(), dim, index, value)


def index_fill_(self, dim, index, value):
    """In-place index_fill."""
    d = wrap_dim(dim, self.dim())
    if index.dtype is not _dtype.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if isinstance(value, Tensor):
        value = value.item()
    shape = list(self.shape)
    if not shape:
        return self.fill_(value)
    shape[d] = index.numel()
    view = [1] * self.dim()
    view[d] = index.numel()
    filled = self.new_full((), 0).clone().fill_(value) if self.dtype.is_floating_point else self.new_full((), value)
    return _inplace.scatter(self, d, index.long().reshape(view).expand(shape), filled.expand(shape))


def index_copy(input, dim, index, source):
    """A copy with source's slices at `index` along `dim`."""
    return index_copy_(input.clone(), dim, index, source)


def index_copy_(self, dim, index, source):
    """In-place index_copy."""
    if source.dtype is not self.dtype:
        raise RuntimeError(
            f"index_copy_(): self and source expected to have the same dtype, but got (self) {self.dtype._scalar_name} and "
            f"(source) {source.dtype._scalar_name}"
        )
    d = wrap_dim(dim, self.dim())
    shape = [1] * self.dim()
    shape[d] = index.numel()
    return _inplace.scatter(self, d, index.long().reshape(shape).expand(source.shape), source)


def index_put(input, indices, values, accumulate=False):
    """A copy with input[indices] = values (or += with accumulate)."""
    return index_put_(input.clone(), indices, values, accumulate)


def index_put_(self, indices, values, accumulate=False):
    """In-place index_put."""
    if not accumulate:
        self[tuple(slice(None) if i is None else i for i in indices)] = values
        return self
    from ._indexing import put_at

    put_at(self, tuple(slice(None) if i is None else i for i in indices), values, True)
    return self


def masked_scatter(input, mask, source):
    """A copy with source's elements, in order, where `mask` is true."""
    return masked_scatter_(input.clone(), mask, source)


def masked_scatter_(self, mask, source):
    """In-place masked_scatter."""
    if mask.dtype is not _dtype.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask.dtype._cpp_name}")
    if source.dtype is not self.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{self.dtype._scalar_name} and {source.dtype._scalar_name}"
        )
    mask = mask.expand(self.shape)
    n = int(mask.sum())
    self[mask] = source.flatten()[:n]
    return self
