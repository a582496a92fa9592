"""Tensor's operators: x + y, y - x, x += y, …

Each calls its op directly (this is the hot path) and turns an operand that is neither tensor nor number into NotImplemented, so that
Python tries the other side and then raises its own TypeError.
"""

from . import _C
from ._conversion import number_beside
from ._tensor import Tensor

_ops = _C.ops
_inplace = _C.ops_


def __add__(self, other):
    try:
        return _ops.add(self, other, 1)
    except TypeError:
        return NotImplemented


def __sub__(self, other):
    try:
        return _ops.sub(self, other, 1)
    except TypeError:
        return NotImplemented


def __mul__(self, other):
    try:
        return _ops.mul(self, other)
    except TypeError:
        return NotImplemented


def __truediv__(self, other):
    try:
        return _ops.div(self, other)
    except TypeError:
        return NotImplemented


def __floordiv__(self, other):
    try:
        return _ops.floor_divide(self, other)
    except TypeError:
        return NotImplemented


def __mod__(self, other):
    try:
        return _ops.remainder(self, other)
    except TypeError:
        return NotImplemented


def __pow__(self, other):
    try:
        return _ops.pow(self, other)
    except TypeError:
        return NotImplemented


def __and__(self, other):
    try:
        return _ops.bitwise_and(self, other)
    except TypeError:
        return NotImplemented


def __or__(self, other):
    try:
        return _ops.bitwise_or(self, other)
    except TypeError:
        return NotImplemented


def __xor__(self, other):
    try:
        return _ops.bitwise_xor(self, other)
    except TypeError:
        return NotImplemented


def __lshift__(self, other):
    try:
        return _ops.bitwise_left_shift(self, other)
    except TypeError:
        return NotImplemented


def __rshift__(self, other):
    try:
        return _ops.bitwise_right_shift(self, other)
    except TypeError:
        return NotImplemented


def __eq__(self, other):
    try:
        return _ops.eq(self, other)
    except TypeError:
        return NotImplemented


def __ne__(self, other):
    try:
        return _ops.ne(self, other)
    except TypeError:
        return NotImplemented


def __lt__(self, other):
    try:
        return _ops.lt(self, other)
    except TypeError:
        return NotImplemented


def __le__(self, other):
    try:
        return _ops.le(self, other)
    except TypeError:
        return NotImplemented


def __gt__(self, other):
    try:
        return _ops.gt(self, other)
    except TypeError:
        return NotImplemented


def __ge__(self, other):
    try:
        return _ops.ge(self, other)
    except TypeError:
        return NotImplemented


def __matmul__(self, other):
    try:
        return _ops.matmul(self, other)
    except TypeError:
        return NotImplemented


def __radd__(self, other):
    try:
        return _ops.add(self, other, 1)
    except TypeError:
        return NotImplemented


def __rmul__(self, other):
    try:
        return _ops.mul(self, other)
    except TypeError:
        return NotImplemented


def __rand__(self, other):
    try:
        return _ops.bitwise_and(self, other)
    except TypeError:
        return NotImplemented


def __ror__(self, other):
    try:
        return _ops.bitwise_or(self, other)
    except TypeError:
        return NotImplemented


def __rxor__(self, other):
    try:
        return _ops.bitwise_xor(self, other)
    except TypeError:
        return NotImplemented


def __rsub__(self, other):
    try:
        return _ops.rsub(self, other, 1)
    except TypeError:
        return NotImplemented


def __rtruediv__(self, other):
    # PyTorch's order: h(h(1/a) * s), two roundings.
    try:
        return _ops.mul(_ops.reciprocal(self), other)
    except TypeError:
        return NotImplemented


def __rfloordiv__(self, other):
    try:
        return _ops.floor_divide(number_beside(self, other), self)
    except TypeError:
        return NotImplemented


def __rmod__(self, other):
    try:
        return _ops.remainder(number_beside(self, other), self)
    except TypeError:
        return NotImplemented


def __rpow__(self, other):
    try:
        return _ops.pow(other, self)
    except TypeError:
        return NotImplemented


def __rlshift__(self, other):
    try:
        return _ops.bitwise_left_shift(number_beside(self, other), self)
    except TypeError:
        return NotImplemented


def __rrshift__(self, other):
    try:
        return _ops.bitwise_right_shift(number_beside(self, other), self)
    except TypeError:
        return NotImplemented


def __rmatmul__(self, other):
    try:
        return _ops.matmul(other, self)
    except TypeError:
        return NotImplemented


def __iadd__(self, other):
    try:
        return _inplace.add(self, other, 1)
    except TypeError:
        return NotImplemented


def __isub__(self, other):
    try:
        return _inplace.sub(self, other, 1)
    except TypeError:
        return NotImplemented


def __imul__(self, other):
    try:
        return _inplace.mul(self, other)
    except TypeError:
        return NotImplemented


def __itruediv__(self, other):
    try:
        return _inplace.div(self, other)
    except TypeError:
        return NotImplemented


def __ifloordiv__(self, other):
    try:
        return _inplace.floor_divide(self, other)
    except TypeError:
        return NotImplemented


def __imod__(self, other):
    try:
        return _inplace.remainder(self, other)
    except TypeError:
        return NotImplemented


def __ipow__(self, other):
    try:
        return _inplace.pow(self, other)
    except TypeError:
        return NotImplemented


def __iand__(self, other):
    try:
        return _inplace.bitwise_and(self, other)
    except TypeError:
        return NotImplemented


def __ior__(self, other):
    try:
        return _inplace.bitwise_or(self, other)
    except TypeError:
        return NotImplemented


def __ixor__(self, other):
    try:
        return _inplace.bitwise_xor(self, other)
    except TypeError:
        return NotImplemented


def __ilshift__(self, other):
    try:
        return _inplace.bitwise_left_shift(self, other)
    except TypeError:
        return NotImplemented


def __irshift__(self, other):
    try:
        return _inplace.bitwise_right_shift(self, other)
    except TypeError:
        return NotImplemented


def __neg__(self):
    return _ops.neg(self)


def __pos__(self):
    return self


def __abs__(self):
    return _ops.abs(self)


def __invert__(self):
    try:
        return _ops.bitwise_not(self)
    except NotImplementedError:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors") from None


def __hash__(self):
    return id(self)


for _name, _function in list(globals().items()):
    if _name.startswith("__") and getattr(_function, "__module__", None) == __name__:
        setattr(Tensor, _name, _function)
