"""Views, joins and copies: whatever changes a tensor's shape or order and computes nothing."""

import math
import warnings

from . import _C
from ._size import Size
from ._tensor import Tensor, contiguous_format, preserve_format, wrap_dim

_call = _C.call
_wrap = _C.wrap
_ops = _C.ops


def ints(function, values, name="size", position=1):
    """(2, 3), ((2, 3),) or ([2, 3],) as a list of ints; 0-dim integer tensors count as ints."""
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        values = values[0]
    result = []
    for i, v in enumerate(values):
        if type(v) is not int:
            if isinstance(v, (bool, float, str)) or not hasattr(v, "__index__"):
                if len(values) == 1:
                    raise TypeError(
                        f"{function}(): argument '{name}' (position {position}) must be tuple of ints, not {type(v).__name__}"
                    )
                raise TypeError(
                    f"{function}(): argument '{name}' failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {type(v).__name__}"'
                )
            v = v.__index__()
        result.append(v)
    return result


# --- views -----------------------------------------------------------------------------------------------------------


def view(self, *shape):
    """The same elements in another shape, without a copy; one size may be -1.

    Raises:
        RuntimeError: the number of elements differs, or the strides don't allow it (use reshape).
    """
    from ._dtype import dtype

    if len(shape) == 1 and isinstance(shape[0], dtype):
        if shape[0] is self.dtype:
            return self
        raise NotImplementedError(
            "Tensor.view(dtype) is not supported here; to see bits use torch.finfo or the format explorer, to cast use .to(dtype)"
        )
    if not shape:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (torch.dtype dtype)\n * (tuple of ints size)\n"
        )
    return _wrap(_call("view", self._h, *ints("view", shape)))


def view_as(self, other):
    """view(other.shape)."""
    return view(self, other.shape)


def reshape(input, *shape):
    """The same elements in another shape: a view where that is possible, else a copy; one size may be -1."""
    if not shape:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    return _wrap(_call("reshape", input._h, *ints("reshape", shape, "shape")))


def reshape_as(self, other):
    """reshape(other.shape)."""
    return reshape(self, other.shape)


def flatten(input, start_dim=0, end_dim=-1):
    """Joins the dimensions from start_dim to end_dim into one."""
    shape = input.shape
    n = len(shape)
    start, end = wrap_dim(start_dim, n), wrap_dim(end_dim, n)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if n == 0:
        return reshape(input, 1)
    if start == end:
        return input
    return reshape(input, [*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]])


def ravel(input):
    """A 1-dim tensor of all elements."""
    return reshape(input, -1)


def unflatten(input, dim, sizes):
    """Splits dimension `dim` into several; one size may be -1."""
    dim = wrap_dim(dim, input.dim())
    sizes = ints("unflatten", (sizes,), "sizes")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = math.prod(s for s in sizes if s != -1)
    size = input.shape[dim]
    if -1 in sizes and known and size % known == 0:
        filled = [size // known if s == -1 else s for s in sizes]
    else:
        filled = sizes
    if math.prod(filled) != size or -1 in filled:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} ({size}) in the input tensor"
        )
    return view(input, [*input.shape[:dim], *filled, *input.shape[dim + 1 :]])


def unsqueeze(input, dim):
    """Inserts a dimension of size 1 before `dim`."""
    return _wrap(_call("unsqueeze", input._h, dim))


def squeeze(input, dim=None):
    """Drops dimensions of size 1: all of them, or `dim` (an int or a tuple) where its size is 1."""
    if dim is None:
        return _wrap(_call("squeeze_all", input._h))
    return _wrap(_call("squeeze", input._h, *(dim if isinstance(dim, (tuple, list)) else (dim,))))


def permute(input, *dims):
    """Reorders the dimensions."""
    dims = ints("permute", dims, "dims")
    return _wrap(_call("permute", input._h, *dims))


_REQUIRED = object()


def transpose(input, dim0, dim1=_REQUIRED):
    """Swaps two dimensions."""
    if dim1 is _REQUIRED:
        raise TypeError('transpose() missing 1 required positional arguments: "dim1"')
    return _wrap(_call("transpose", input._h, dim0, dim1))


swapaxes = swapdims = transpose


def t(input):
    """The transpose of a matrix; vectors and 0-dim tensors as they are.

    Raises:
        RuntimeError: more than 2 dimensions.
    """
    return _wrap(_call("t", input._h))


def _T(self):
    """The dimensions in reverse order."""
    n = self.dim()
    if n != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return _wrap(_call("permute", self._h, *range(n - 1, -1, -1)))


def _mT(self):
    """The last two dimensions swapped."""
    if self.dim() < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {self.dim()}-D tensor."
        )
    return transpose(self, -2, -1)


def movedim(input, source, destination):
    """Moves dimensions to other positions, keeping the order of the rest."""
    n = input.dim()
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({source} dims) should contain the same number of dims as destination ({destination} dims)"
        )
    source = [wrap_dim(d, n) for d in source]
    destination = [wrap_dim(d, n) for d in destination]
    for name, dims in (("source", source), ("destination", destination)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    order = [None] * n
    for s, d in zip(source, destination):
        order[d] = s
    rest = iter([d for d in range(n) if d not in source])
    return permute(input, [next(rest) if d is None else d for d in order])


moveaxis = movedim


def expand(self, *sizes):
    """A view in which dimensions of size 1 are repeated; -1 keeps a size.

    Raises:
        RuntimeError: another size than 1 would have to change.
    """
    return _wrap(_call("expand", self._h, *ints("expand", sizes)))


def expand_as(self, other):
    """expand(other.shape)."""
    return expand(self, other.shape)


def broadcast_to(input, size):
    """A view of shape `size` (see expand)."""
    return expand(input, size)


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max(map(len, shapes), default=0)
    result = [1] * n
    for position, s in enumerate(shapes):
        for i in range(-1, -1 - len(s), -1):
            if s[i] != 1 and result[i] not in (1, s[i]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {s[i]} at {i}! Mismatching argument at index {position} had "
                    f"{s}; but expected shape should be broadcastable to {result}"
                )
            if s[i] != 1:
                result[i] = s[i]
    return Size(result)


def broadcast_tensors(*tensors):
    """Views of the tensors in their common broadcast shape.

    Raises:
        RuntimeError: the shapes don't broadcast.
    """
    shape = ()
    for t in tensors:
        other = tuple(t.shape)
        n = max(len(shape), len(other))
        a, b = (1,) * (n - len(shape)) + shape, (1,) * (n - len(other)) + other
        for d in range(n - 1, -1, -1):
            if a[d] != b[d] and 1 not in (a[d], b[d]):
                raise RuntimeError(
                    f"The size of tensor a ({a[d]}) must match the size of tensor b ({b[d]}) at non-singleton dimension {d}"
                )
        shape = tuple([y if x == 1 else x for x, y in zip(a, b)])
    return tuple([expand(t, shape) for t in tensors])


def select(input, dim, index):
    """The slice at `index` along `dim`, which is dropped."""
    return _wrap(_call("select", input._h, dim, int(index)))


def narrow(input, dim, start, length):
    """`length` elements from `start` along `dim`."""
    return _wrap(_call("narrow", input._h, dim, int(start), int(length)))


def unbind(input, dim=0):
    """The slices along `dim`, as a tuple."""
    first = _call("unbind", input._h, dim)
    return tuple([_wrap(first + i) for i in range(input.shape[dim])])


def split(tensor, split_size_or_sections, dim=0):
    """Views of at most that size (an int) or of those sizes (a list) along `dim`."""
    d = wrap_dim(dim, tensor.dim())
    size = tensor.shape[d]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
        if step == 0 and size:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
            )
        sizes = [min(step, size - i) for i in range(0, size, step or 1)] or [0]
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != size:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {d}), "
                f"but got split_sizes={sizes}"
            )
    first = _call("split", tensor._h, d, *sizes)
    return tuple([_wrap(first + i) for i in range(len(sizes))])


def chunk(input, chunks, dim=0):
    """`chunks` views along `dim`, of equal size but for the last; fewer if the size doesn't reach."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[wrap_dim(dim, input.dim())]
    return split(input, max(1, -(-size // chunks)), dim)


def tensor_split(input, indices_or_sections, dim=0):
    """Views of nearly equal size (an int), or cut at those indices."""
    size = input.shape[wrap_dim(dim, input.dim())]
    if isinstance(indices_or_sections, int):
        n = indices_or_sections
        sizes = [size // n + (i < size % n) for i in range(n)]
    else:
        cuts = [0, *[min(max(c + size if c < 0 else c, 0), size) for c in map(int, indices_or_sections)], size]
        sizes = [max(0, b - a) for a, b in zip(cuts, cuts[1:])]
    return split(input, sizes, dim)


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of the last-named dimensions, as a view with the diagonal last."""
    return _wrap(_call("diagonal", input._h, offset, dim1, dim2))


def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    if input.dim() == 2:
        return globals()["diagonal"](input, diagonal).clone()
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


def as_strided(input, size, stride, storage_offset=None):
    """A view with exactly these sizes and strides."""
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return _wrap(_call("as_strided", input._h, len(size), *size, *stride, offset))


def unfold(self, dimension, size, step):
    """Windows of `size` every `step` along `dimension`, as a new last dimension (a view)."""
    d = wrap_dim(dimension, self.dim())
    n = (self.shape[d] - size) // step + 1
    strides = self.stride()
    return as_strided(
        self,
        [*self.shape[:d], n, *self.shape[d + 1 :], size],
        [*strides[:d], strides[d] * step, *strides[d + 1 :], strides[d]],
    )


# --- joins and copies ------------------------------------------------------------------------------------------------


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
    n = input.shape[wrap_dim(dim, input.dim())]
    counts = repeats.tolist() if isinstance(repeats, Tensor) else repeats
    if isinstance(counts, int):
        counts = [counts] * n
    if len(counts) == 1:
        counts = counts * n
    if len(counts) != n:
        raise RuntimeError("repeats must have the same size as input along dim")
    index = make([i for i, c in enumerate(counts) for _ in range(c)], dtype=_dtype_int64(), device=input.device)
    return index_select(input, dim, index)


def _dtype_int64():
    from ._dtype import int64

    return int64


def flip(input, *dims):
    """Reverses the order along `dims`."""
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
    from ._pointwise import store

    return store(_ops.tril(input, diagonal), out)


def triu(input, diagonal=0, *, out=None):
    """The upper triangle: zero below the diagonal."""
    from ._pointwise import store

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
    return _wrap(_call("clone", input._h))


def contiguous(self, memory_format=contiguous_format):
    """The tensor itself if its elements lie in row-major order, else such a copy."""
    if self.is_contiguous():
        return self
    return _wrap(_call("contiguous", self._h))


# --- by index tensors ------------------------------------------------------------------------------------------------


def index_select(input, dim, index, *, out=None):
    """The slices along `dim` that the 1-dim integer tensor `index` names."""
    from ._pointwise import store

    return store(_ops.index_select(input, dim, index), out)


def gather(input, dim, index, *, sparse_grad=False, out=None):
    """out[i][j] = input[index[i][j]][j] for dim 0, and likewise for other dims."""
    from ._pointwise import store

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
    from ._dtype import bool_

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


def _H(self):
    """The transpose of a matrix."""
    if self.dim() not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.")
    return transpose(self, 0, 1) if self.dim() else self
