"""Attaches the functions of the other modules to Tensor: x.exp() is torch.exp(x)."""

from . import _C, _creation, _dtype, _pointwise, _reductions, _shape
from ._tensor import Tensor, preserve_format

