"""`torch` as learners import it: PyTorch's names and behaviour, computed by the Subnormal engine.

Python composes; every number comes from an op of the engine. See docs/ARCHITECTURE.md.
"""

from .version import __version__
from . import _C
from ._dtype import (
    bfloat16, can_cast, dtype, finfo, float16, float32, float64, get_default_dtype, iinfo, int8, int16, int32, int64,
    promote_types, set_default_dtype, uint8,
)  # fmt: skip
from ._dtype import bool_ as bool
from ._size import Size
from ._device import device, get_default_device, set_default_device
from ._tensor import (
    Tensor, channels_last, channels_last_3d, contiguous_format, layout, memory_format, preserve_format, strided,
)  # fmt: skip
from ._tensor_str import set_printoptions
from ._creation import *  # noqa: F403
from ._pointwise import *  # noqa: F403
from ._shape import *  # noqa: F403
from ._reductions import *  # noqa: F403
from . import _methods

float = float32
double = float64
half = float16
long = int64
int = int32
short = int16
