"""torch.types: names for annotations."""

from typing import Union

from ._device import device as _device_class
from ._dtype import dtype as _dtype
from ._size import Size as _size
from ._tensor import Tensor as Tensor

Number = Union[int, float, bool]
Device = Union[_device_class, str, int, None]
__all__ = ["Device", "Number", "Tensor"]
