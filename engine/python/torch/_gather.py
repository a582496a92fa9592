"""Reading by index tensors and masks: gather, index_select, masked_select, nonzero."""

from . import _C
from ._dtype import bool_
from ._layout import unsupported
from ._pointwise import store
from ._tensor import wrap_dim
from ._views import broadcast_shapes, broadcast_tensors, expand, select

_call = _C.call
_wrap = _C.wrap
_ops = _C.ops


def index_select(input, dim, index, *, out=None):
    """The slices along `dim` that the 1-dim integer tensor `index` names."""
    return store(_ops.index_select(input, dim, index), out)


def gather(input, dim, index, *, sparse_grad=False, out=None):
    """out[i][j] = input[index[i][j]][j] for dim 0, and likewise for other dims."""
    unsupported("gather", sparse_grad=sparse_grad)
    return store(_ops.gather(input, dim, index), out)


def take(input, index):
    """Elements of the flattened input at those indices."""
    return index_select(input.flatten(), 0, index.flatten()).reshape(index.shape)


def take_along_dim(input, indices, dim=None):
    """gather, with broadcasting; without `dim` on the flattened input."""
    if dim is None:
        return gather(input.flatten(), 0, indices.flatten())
    shape = list(broadcast_shapes(
        [1 if i == wrap_dim(dim, input.dim()) else s for i, s in enumerate(input.shape)],
        [1 if i == wrap_dim(dim, input.dim()) else s for i, s in enumerate(indices.shape)],
    ))  # fmt: skip
    d = wrap_dim(dim, input.dim())
    ishape, shape[d] = list(shape), indices.shape[d]
    ishape[d] = input.shape[d]
    return gather(expand(input, ishape), d, expand(indices, shape))


def masked_select(input, mask, *, out=None):
    """The elements where the bool tensor `mask` is true, as a 1-dim tensor. Both broadcast."""
    if mask.dtype is not bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    input, mask = broadcast_tensors(input, mask)
    index = nonzero(mask.flatten()).flatten()
    result = index_select(input.flatten(), 0, index)
    return result if out is None else out.copy_(result)


def nonzero(input, *, out=None, as_tuple=False):
    """Indices of the elements that aren't zero: one row each, or with `as_tuple` one tensor a dimension."""
    n = max(1, input.dim()) if as_tuple else input.dim()
    result = _wrap(_call("nonzero", (input.reshape(1) if as_tuple and not input.dim() else input)._h))
    if as_tuple:
        return tuple([select(result, 1, d) for d in range(n)])
    return result


def argwhere(input):
    """nonzero(input)."""
    return nonzero(input)
