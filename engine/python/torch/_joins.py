"""Joining, repeating and rearranging: cat, stack, repeat, flip, roll, tril, meshgrid, …"""

import warnings

from . import _C
from ._dtype import int64
from ._layout import check_memory_format, contiguous_format, preserve_format
from ._pointwise import store
from ._tensor import Tensor, wrap_dim
from ._views import diagonal as diagonal_view
from ._views import expand, ints, movedim, narrow, reshape, transpose

_call = _C.call
_wrap = _C.wrap
_ops = _C.ops


def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input.dim() == 2:
        return diagonal_view(input, diagonal).clone()
    if input.dim() == 1:
        return diag_embed(input, diagonal)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.dim()}D")


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """A batch of matrices with the last dimension on their diagonals."""
    from ._creation import arange

    size = input.shape[-1]
    n = size + abs(offset)
    rows = arange(n, device=input.device).unsqueeze(1)
    columns = arange(n, device=input.device)
    on = _ops.eq(columns - rows, offset)
    source = input if offset <= 0 else _pad_front(input, offset)
    if offset < 0:
        source = _pad_back(input, -offset)
    matrix = _ops.where(on, source.unsqueeze(-2), input.new_zeros(()))
    return matrix if (dim1, dim2) == (-2, -1) else movedim(matrix, (-2, -1), (dim1, dim2))


def _pad_front(input, n):
    return cat([input.new_zeros([*input.shape[:-1], n]), input], -1)


def _pad_back(input, n):
    return cat([input, input.new_zeros([*input.shape[:-1], n])], -1)


def cat(tensors, dim=0, *, out=None):
    """Joins tensors along `dim`; their other sizes must agree, their dtypes are promoted.

    Raises:
        RuntimeError: sizes differ.
    """
    tensors = _sequence("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    result = _ops.cat(tensors, dim)
    return result if out is None else out.copy_(result)


concat = concatenate = cat


def _sequence(function, tensors):
    if isinstance(tensors, Tensor):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"
        )
    return tuple(tensors)


def stack(tensors, dim=0, *, out=None):
    """Joins tensors of one shape along a new dimension `dim`."""
    tensors = _sequence("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    result = _ops.stack(tensors, dim)
    return result if out is None else out.copy_(result)


def hstack(tensors, *, out=None):
    """cat along dimension 1 (0 for vectors)."""
    tensors = [atleast_1d(t) for t in tensors]
    return cat(tensors, 0 if tensors[0].dim() == 1 else 1, out=out)


def vstack(tensors, *, out=None):
    """cat along dimension 0 of tensors with at least two dimensions."""
    return cat([atleast_2d(t) for t in tensors], 0, out=out)


row_stack = vstack


def column_stack(tensors, *, out=None):
    """hstack with vectors as columns."""
    return hstack([t.reshape(-1, 1) if t.dim() <= 1 else t for t in tensors], out=out)


def atleast_1d(*tensors):
    """Views with at least one dimension."""
    return _each(tensors, lambda t: t if t.dim() else t.reshape(1))


def atleast_2d(*tensors):
    """Views with at least two dimensions; vectors become rows."""
    return _each(tensors, lambda t: t if t.dim() > 1 else t.reshape(1, -1))


def _each(tensors, function):
    if len(tensors) == 1:
        only = tensors[0]
        return function(only) if isinstance(only, Tensor) else tuple(map(function, only))
    return tuple(map(function, tensors))


def repeat(self, *repeats):
    """Copies of the tensor side by side, `repeats` times along each dimension."""
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    repeats = ints("repeat", repeats, "repeats")
    if len(repeats) < self.dim():
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    shape = [1] * (len(repeats) - self.dim()) + list(self.shape)
    x = self.reshape(shape)
    for d, n in enumerate(repeats):
        x = x.unsqueeze(2 * d)
    x = expand(x, [v for n, s in zip(repeats, shape) for v in (n, s)])
    result = reshape(x, [n * s for n, s in zip(repeats, shape)])
    return result if result.data_ptr() != self.data_ptr() else result.clone()


def tile(input, *dims):
    """repeat, with 1 for the dimensions that aren't named."""
    dims = ints("tile", dims, "dims")
    return repeat(input, [1] * (input.dim() - len(dims)) + dims)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Repeats each element, `repeats` times (an int, or a tensor with one number an element)."""
    from ._creation import tensor as make

    if dim is None:
        input, dim = input.flatten(), 0
    n = input.shape[wrap_dim(dim, max(input.dim(), 1))] if input.dim() else 1
    counts = repeats.tolist() if isinstance(repeats, Tensor) else repeats
    if isinstance(counts, int):
        counts = [counts] * n
    if len(counts) == 1:
        counts = counts * n
    if len(counts) != n:
        raise RuntimeError("repeats must have the same size as input along dim")
    index = make([i for i, c in enumerate(counts) for _ in range(c)], dtype=int64, device=input.device)
    return _ops.index_select(input, dim, index)


def flip(input, *dims):
    """Reverses the order along `dims`."""
    if not dims:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    dims = ints("flip", dims, "dims")
    n = input.dim()
    wrapped = [wrap_dim(d, n) for d in dims]
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return _ops.flip(input, wrapped)


def fliplr(input):
    """Reverses the columns."""
    return flip(input, 1)


def flipud(input):
    """Reverses the rows."""
    return flip(input, 0)


def roll(input, shifts, dims=None):
    """Shifts elements along `dims`, those that fall off coming in at the other end."""
    if dims is None:
        return roll(input.flatten(), shifts, 0).reshape(input.shape)
    if input.dim() == 0:
        raise IndexError(f"Dimension specified as {dims if isinstance(dims, int) else dims[0]} but tensor has no dimensions")
    shifts = (shifts,) if isinstance(shifts, int) else shifts
    dims = (dims,) if isinstance(dims, int) else dims
    for shift, d in zip(shifts, dims):
        size = input.shape[wrap_dim(d, input.dim())]
        k = shift % size if size else 0
        input = cat([narrow(input, d, size - k, k), narrow(input, d, 0, size - k)], d) if k else input.clone()
    return input


def rot90(input, k=1, dims=(0, 1)):
    """Rotates by 90 degrees k times in the plane of two dimensions."""
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return flip(input, dims)
    return transpose(flip(input, dims[1]), *dims) if k == 1 else flip(transpose(input, *dims), dims[1])


def tril(input, diagonal=0, *, out=None):
    """The lower triangle: zero above the diagonal."""
    return store(_ops.tril(input, diagonal), out)


def triu(input, diagonal=0, *, out=None):
    """The upper triangle: zero below the diagonal."""
    return store(_ops.triu(input, diagonal), out)


def meshgrid(*tensors, indexing=None):
    """Grids of coordinates from vectors; indexing "ij" (the default, with a warning) or "xy"."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.", UserWarning, stacklevel=2
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    n = len(tensors)
    shape = [t.numel() for t in tensors]
    grids = [
        expand(t.reshape([-1 if i == d else 1 for i in range(n)]), shape) for d, t in enumerate(tensors)
    ]
    if swap:
        grids = [grids[1], grids[0], *grids[2:]]
    return tuple(grids)


def block_diag(*tensors):
    """A matrix with the given matrices on its diagonal."""
    matrices = [atleast_2d(t) for t in tensors]
    width = sum(m.shape[1] for m in matrices)
    rows, before = [], 0
    for m in matrices:
        parts = [m.new_zeros(m.shape[0], before), m, m.new_zeros(m.shape[0], width - before - m.shape[1])]
        rows.append(cat([p for p in parts if p.shape[1]], 1))
        before += m.shape[1]
    return cat(rows, 0)


def clone(input, *, memory_format=preserve_format):
    """A copy with its own storage; gradients flow through it."""
    check_memory_format("clone", memory_format)
    return _wrap(_call("clone", input._h))


def contiguous(self, memory_format=contiguous_format):
    """The tensor itself if its elements lie in row-major order, else such a copy."""
    check_memory_format("contiguous", memory_format)
    if self.is_contiguous():
        return self
    return _wrap(_call("contiguous", self._h))


def dstack(tensors, *, out=None):
    """cat along dimension 2 of tensors with at least three dimensions."""
    return cat([atleast_3d(t) for t in tensors], 2, out=out)


def atleast_3d(*tensors):
    """Views with at least three dimensions; vectors become [1, n, 1], matrices [n, m, 1]."""

    def three(t):
        if t.dim() > 2:
            return t
        return t.unsqueeze(-1) if t.dim() == 2 else t.reshape(1, -1, 1)

    return _each(tensors, three)


def kron(input, other, *, out=None):
    """The Kronecker product: other, scaled by each element of input, in blocks."""
    n = max(input.dim(), other.dim())
    a = reshape(input, [1] * (n - input.dim()) + list(input.shape))
    b = reshape(other, [1] * (n - other.dim()) + list(other.shape))
    product = reshape(a, [v for s in a.shape for v in (s, 1)]) * reshape(b, [v for s in b.shape for v in (1, s)])
    return store(reshape(product, [s * r for s, r in zip(a.shape, b.shape)]), out)


def cartesian_prod(*tensors):
    """All combinations of one element from each vector, one a row."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")], 1)


def combinations(input, r=2, with_replacement=False):
    """All choices of r elements of a vector, one a row."""
    import itertools

    from ._creation import tensor

    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    index = tensor([list(c) for c in choose(range(input.shape[0]), r)], dtype=int64, device=input.device)
    return _ops.index_select(input, 0, index.reshape(-1)).reshape(-1, r)


def tril_indices(row, col, offset=0, *, dtype=int64, device=None):
    """Row and column indices of a matrix's lower triangle, as a [2, count] tensor."""
    return _triangle(row, col, lambda i, j: j <= i + offset, dtype, device)


def triu_indices(row, col, offset=0, *, dtype=int64, device=None):
    """Row and column indices of a matrix's upper triangle, as a [2, count] tensor."""
    return _triangle(row, col, lambda i, j: j >= i + offset, dtype, device)


def _triangle(rows, columns, inside, dtype, device):
    from ._creation import tensor

    pairs = [(i, j) for i in range(rows) for j in range(columns) if inside(i, j)]
    return tensor([[i for i, _ in pairs], [j for _, j in pairs]], dtype=dtype, device=device)
