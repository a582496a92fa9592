"""Attaches the functions of the other modules to Tensor: x.exp() is torch.exp(x)."""

from . import _C, _creation, _device, _dtype, _pointwise, _reductions, _shape
from ._tensor import Tensor, preserve_format

_ops = _C.ops
_inplace = _C.ops_
_isinstance = isinstance


def _dunder(function):
    """An operator that gives NotImplemented for operands that aren't tensors or numbers, so that Python tries the other side."""

    def method(self, other):
        if _isinstance(other, (Tensor, int, float)):
            return function(self, other)
        return NotImplemented

    return method


def _operators():
    table = {
        "__add__": lambda a, b: _ops.add(a, b, 1),
        "__radd__": lambda a, b: _ops.add(a, b, 1),
        "__sub__": lambda a, b: _ops.sub(a, b, 1),
        "__rsub__": lambda a, b: _pointwise.rsub(a, b),
        "__mul__": lambda a, b: _ops.mul(a, b),
        "__rmul__": lambda a, b: _ops.mul(a, b),
        "__truediv__": lambda a, b: _ops.div(a, b),
        "__rtruediv__": lambda a, b: _ops.mul(_ops.reciprocal(a), b),
        "__floordiv__": lambda a, b: _ops.floor_divide(a, b),
        "__rfloordiv__": lambda a, b: _pointwise.floor_divide(_scalar_like(a, b), a),
        "__mod__": lambda a, b: _ops.remainder(a, b),
        "__rmod__": lambda a, b: _pointwise.remainder(_scalar_like(a, b), a),
        "__pow__": lambda a, b: _ops.pow(a, b),
        "__rpow__": lambda a, b: _pointwise.pow(b, a),
        "__eq__": lambda a, b: _ops.eq(a, b),
        "__ne__": lambda a, b: _ops.ne(a, b),
        "__lt__": lambda a, b: _ops.lt(a, b),
        "__le__": lambda a, b: _ops.le(a, b),
        "__gt__": lambda a, b: _ops.gt(a, b),
        "__ge__": lambda a, b: _ops.ge(a, b),
        "__and__": lambda a, b: _ops.bitwise_and(a, b),
        "__rand__": lambda a, b: _ops.bitwise_and(a, b),
        "__or__": lambda a, b: _ops.bitwise_or(a, b),
        "__ror__": lambda a, b: _ops.bitwise_or(a, b),
        "__xor__": lambda a, b: _ops.bitwise_xor(a, b),
        "__rxor__": lambda a, b: _ops.bitwise_xor(a, b),
        "__lshift__": lambda a, b: _pointwise.bitwise_left_shift(a, b),
        "__rshift__": lambda a, b: _pointwise.bitwise_right_shift(a, b),
        "__iadd__": lambda a, b: _inplace.add(a, b, 1),
        "__isub__": lambda a, b: _inplace.sub(a, b, 1),
        "__imul__": lambda a, b: _inplace.mul(a, b),
        "__itruediv__": lambda a, b: _inplace.div(a, b),
        "__ifloordiv__": lambda a, b: _inplace.floor_divide(a, b),
        "__imod__": lambda a, b: _inplace.remainder(a, b),
        "__ipow__": lambda a, b: _inplace.pow(a, b),
        "__iand__": lambda a, b: _inplace.bitwise_and(a, b),
        "__ior__": lambda a, b: _inplace.bitwise_or(a, b),
        "__ixor__": lambda a, b: _inplace.bitwise_xor(a, b),
    }
    for name, function in table.items():
        method = _dunder(function)
        method.__name__ = method.__qualname__ = name
        setattr(Tensor, name, method)
    Tensor.__neg__ = lambda self: _ops.neg(self)
    Tensor.__pos__ = lambda self: self
    Tensor.__abs__ = lambda self: _ops.abs(self)
    Tensor.__invert__ = lambda self: _ops.bitwise_not(self)
    Tensor.__hash__ = lambda self: id(self)


def _scalar_like(tensor, number):
    """A 0-dim tensor for a number on the left, of the dtype it would have as an operand."""
    return _creation.tensor(number, device=tensor.device)


_operators()
