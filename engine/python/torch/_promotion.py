"""Which dtype an operation on tensors and numbers has (c10 ResultTypeState): tensors with dimensions outrank 0-dim tensors, which
outrank Python numbers, unless the lower one is of a higher kind (bool < integer < floating point)."""

from . import _dtype
from ._dtype import promote_types
from ._tensor import Tensor


def result_type(*operands):
    """The result dtype of tensors and Python numbers together."""
    groups = [None, None, None]  # with dimensions, 0-dim, numbers
    for x in operands:
        if isinstance(x, Tensor):
            level, d = (0 if x.dim() else 1), x.dtype
        elif isinstance(x, bool):
            level, d = 2, _dtype.bool_
        elif isinstance(x, int):
            level, d = 2, _dtype.int64
        elif isinstance(x, float):
            level, d = 2, _dtype.get_default_dtype()
        else:
            raise TypeError(
                f"result_type(): argument 'tensor1' (position 1) must be Tensor, not {type(x).__name__}"
            )
        groups[level] = d if groups[level] is None else promote_types(groups[level], d)
    return _combine(groups[0], _combine(groups[1], groups[2]))


def _combine(higher, lower):
    if higher is None:
        return lower
    if lower is None or lower._rank <= higher._rank:
        return higher
    return promote_types(higher, lower)
