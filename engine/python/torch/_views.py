"""Views: the same storage in another shape or order. Nothing is computed and, but for reshape, nothing is copied."""

import math
import warnings

from . import _C
from ._size import Size
from ._tensor import wrap_dim

_call = _C.call
_wrap = _C.wrap
_integer = _C.integer


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


def view(self, *shape):
    """The same elements in another shape, without a copy; one size may be -1.

    Raises:
        RuntimeError: the number of elements differs, or the strides don't allow it (use reshape).
    """
    from ._dtype import dtype

    if len(shape) == 1 and isinstance(shape[0], dtype):
        from ._bit_view import view_dtype

        return view_dtype(self, shape[0])
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
    return _wrap(_call("unsqueeze", input._h, _integer("unsqueeze", "dim", dim)))


def squeeze(input, dim=None):
    """Drops dimensions of size 1: all of them, or `dim` (an int or a tuple) where its size is 1."""
    if dim is None:
        return _wrap(_call("squeeze_all", input._h))
    return _wrap(_call("squeeze", input._h, *[_integer("squeeze", "dim", d) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]))


def permute(input, *dims):
    """Reorders the dimensions."""
    dims = ints("permute", dims, "dims")
    return _wrap(_call("permute", input._h, *dims))


_REQUIRED = object()


def transpose(input, dim0, dim1=_REQUIRED):
    """Swaps two dimensions."""
    if dim1 is _REQUIRED:
        raise TypeError('transpose() missing 1 required positional arguments: "dim1"')
    return _wrap(_call("transpose", input._h, _integer("transpose", "dim0", dim0), _integer("transpose", "dim1", dim1)))


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
    return _wrap(_call("select", input._h, _integer("select", "dim", dim), _integer("select", "index", index)))


def narrow(input, dim, start, length):
    """`length` elements from `start` along `dim`."""
    return _wrap(_call("narrow", input._h, _integer("narrow", "dim", dim), int(start), _integer("narrow", "length", length)))


def unbind(input, dim=0):
    """The slices along `dim`, as a tuple."""
    first = _call("unbind", input._h, _integer("unbind", "dim", dim))
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
        function = "split"
    else:
        sizes = list(split_size_or_sections)
        if sum(sizes) != size:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {d}), "
                f"but got split_sizes={sizes}"
            )
        function = "split_with_sizes"
    first = _call(function, tensor._h, d, *sizes)
    return tuple([_wrap(first + i) for i in range(len(sizes))])


def chunk(input, chunks, dim=0):
    """`chunks` views along `dim`, of equal size but for the last; fewer if the size doesn't reach."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[wrap_dim(dim, input.dim())]
    return split(input, max(1, -(-size // chunks)), dim)


def tensor_split(input, indices_or_sections, dim=0):
    """Views of nearly equal size (an int), or cut at those indices."""
    d = wrap_dim(dim, input.dim())
    size = input.shape[d]
    if isinstance(indices_or_sections, int):
        n = indices_or_sections
        cuts = [i * (size // n) + min(i, size % n) for i in range(n + 1)]
    else:
        cuts = [0, *[min(max(c + size if c < 0 else c, 0), size) for c in map(int, indices_or_sections)], size]
    return tuple([narrow(input, d, a, max(0, b - a)) for a, b in zip(cuts, cuts[1:])])


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of the last-named dimensions, as a view with the diagonal last."""
    return _wrap(_call("diagonal", input._h, offset, dim1, dim2))


def as_strided(input, size, stride, storage_offset=None):
    """A view with exactly these sizes and strides."""
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return _wrap(_call("as_strided", input._h, len(size), *size, *stride, offset))


def unfold(self, dimension, size, step):
    """Windows of `size` every `step` along `dimension`, as a new last dimension (a view)."""
    d = wrap_dim(dimension, self.dim())
    length = self.shape[d] if self.dim() else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if self.dim() == 0:
        return as_strided(self, [size], [1])
    from .autograd.grad_mode import is_grad_enabled

    if self.requires_grad and not self.is_contiguous() and is_grad_enabled():
        self = self.contiguous()  # the gradient of as_strided needs the elements side by side
    n = (length - size) // step + 1
    strides = self.stride()
    return as_strided(
        self,
        [*self.shape[:d], n, *self.shape[d + 1 :], size],
        [*strides[:d], strides[d] * step, *strides[d + 1 :], strides[d]],
    )


def _H(self):
    """The transpose of a matrix."""
    if self.dim() not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.")
    return transpose(self, 0, 1) if self.dim() else self


def split_with_sizes(input, split_sizes, dim=0):
    """Views of those sizes along `dim`."""
    return split(input, list(split_sizes), dim)


def hsplit(input, indices_or_sections):
    """tensor_split along dimension 1 (0 for vectors)."""
    return tensor_split(input, indices_or_sections, 0 if input.dim() == 1 else 1)


def vsplit(input, indices_or_sections):
    """tensor_split along dimension 0."""
    return tensor_split(input, indices_or_sections, 0)


def adjoint(input):
    """The last two dimensions swapped."""
    return transpose(input, -2, -1)
