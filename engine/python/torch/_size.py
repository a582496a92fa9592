"""torch.Size: the shape of a tensor."""

import operator


class Size(tuple):
    """A tuple of ints that prints as torch.Size([2, 3])."""

    __slots__ = ()

    def __new__(cls, sizes=(), /):
        if type(sizes) is Size:
            return sizes
        items = []
        for position, item in enumerate(sizes):
            try:
                items.append(operator.index(item))
            except TypeError:
                raise TypeError(
                    f"torch.Size() takes an iterable of 'int' (item {position} is '{type(item).__name__}')"
                ) from None
        return tuple.__new__(cls, items)

    def numel(self):
        """The number of elements of a tensor of this shape; 1 for an empty Size."""
        n = 1
        for s in self:
            n *= s
        return n

    def __repr__(self):
        return "torch.Size([" + ", ".join(map(str, self)) + "])"

    def __getitem__(self, key):
        result = tuple.__getitem__(self, key)
        return tuple.__new__(Size, result) if isinstance(key, slice) else result

    def __add__(self, other):
        if not isinstance(other, tuple):
            raise TypeError(f'can only concatenate tuple (not "{type(other).__name__}") to torch.Size')
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(other, self))

    def __mul__(self, n):
        return tuple.__new__(Size, tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self):
        return (Size, (tuple(self),))


Size.__module__ = "torch"
