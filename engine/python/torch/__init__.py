"""`torch` as learners import it: PyTorch's names and behaviour, computed by the Subnormal engine.

Python composes; every number comes from an op of the engine (docs/ARCHITECTURE.md). Importing this package touches no engine: the
session snapshots Python after the import and binds the engine afterwards (torch._C.bind).
"""

import math as _math

from . import _C
from .version import __version__
from ._dtype import (
    bfloat16, can_cast, dtype, finfo, float16, float32, float64, get_default_dtype, iinfo, int8, int16, int32, int64,
    promote_types, set_default_dtype, uint8,
)  # fmt: skip
from ._dtype import bool_ as bool
from ._size import Size
from ._device import device, get_default_device, set_default_device
from ._layout import (
    channels_last, channels_last_3d, contiguous_format, layout, memory_format, preserve_format, strided,
)  # fmt: skip
from ._tensor import Tensor
from ._tensor_str import set_printoptions
from ._creation import (
    BFloat16Tensor, BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor,
    ShortTensor, arange, as_tensor, asarray, empty, empty_like, eye, from_numpy, full, full_like, linspace, logspace, ones,
    ones_like, scalar_tensor, tensor, zeros, zeros_like,
)  # fmt: skip
from ._creation import range_ as range
from ._pointwise import (
    add, addcdiv, addcmul, allclose, clamp, clamp_max, clamp_min, clip, conj, div, divide, equal, float_power, isclose, isreal,
    lerp, log_softmax, masked_fill, nan_to_num, positive, pow, real, round, rsub, softmax, sub, subtract, true_divide, where,
)  # fmt: skip
from ._scatter import (
    index_add, index_copy, index_fill, index_put, index_put_, masked_scatter, scatter, scatter_add,
)  # fmt: skip
from ._views import (
    adjoint, as_strided, broadcast_shapes, broadcast_tensors, broadcast_to, chunk, diagonal, flatten, hsplit, moveaxis,
    movedim, narrow, permute, ravel, reshape, select, split, split_with_sizes, squeeze, swapaxes, swapdims, t,
    tensor_split, transpose, unbind, unflatten, unsqueeze, vsplit,
)  # fmt: skip
from ._joins import (
    atleast_1d, atleast_2d, atleast_3d, block_diag, cartesian_prod, cat, clone, column_stack, combinations, concat,
    concatenate, diag, diag_embed, dstack, flip, fliplr, flipud, hstack, kron, meshgrid, repeat_interleave, roll, rot90,
    row_stack, stack, tile, tril, tril_indices, triu, triu_indices, vstack,
)  # fmt: skip
from ._gather import (
    argwhere, gather, index_select, masked_select, nonzero, take, take_along_dim,
)  # fmt: skip
from ._reductions import (
    all, amax, amin, aminmax, any, argmax, argmin, corrcoef, count_nonzero, cov, cumprod, cumsum, diff, dist,
    logcumsumexp, logsumexp, max, mean, min, nanmean, nansum, norm, prod, std, std_mean, sum, var, var_mean,
)  # fmt: skip
from ._sorting import (
    argsort, bincount, histc, isin, kthvalue, median, msort, quantile, sort, topk, unique, unique_consecutive,
)  # fmt: skip
from ._linalg import (
    addmm, addmv, addr, baddbmm, bmm, cdist, chain_matmul, cosine_similarity, cross, dot, einsum, ger, inner, matmul,
    matrix_power, mm, mv, outer, tensordot, trace, vdot,
)  # fmt: skip
from ._random import (
    Generator, bernoulli, default_generator, get_rng_state, initial_seed, manual_seed, multinomial, normal, rand, rand_like,
    randint, randint_like, randn, randn_like, randperm, seed, set_rng_state,
)  # fmt: skip
from ._conversion import (
    fill, is_complex, is_floating_point, is_nonzero, is_storage, is_tensor, numel, result_type,
)  # fmt: skip
from ._autocast_state import (
    autocast_decrement_nesting, autocast_increment_nesting, clear_autocast_cache, get_autocast_cpu_dtype, get_autocast_dtype,
    get_autocast_gpu_dtype, is_autocast_cache_enabled, is_autocast_cpu_enabled, is_autocast_enabled,
    set_autocast_cache_enabled, set_autocast_dtype, set_autocast_enabled,
)  # fmt: skip
from ._settings import (
    are_deterministic_algorithms_enabled, compile, get_float32_matmul_precision, get_num_interop_threads, get_num_threads,
    is_anomaly_enabled, is_deterministic_algorithms_warn_only_enabled, is_grad_enabled, is_inference_mode_enabled,
    set_float32_matmul_precision, set_flush_denormal, set_num_interop_threads, set_num_threads, set_warn_always, typename,
    use_deterministic_algorithms,
)  # fmt: skip
from . import _pointwise
from . import _indexing, _methods, _operators

pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None

float = float32
double = float64
half = float16
long = int64
int = int32
short = int16

# Elementwise functions of one and two tensors come from a table (_pointwise.UNARY, _pointwise.BINARY).
for _name in (*_pointwise.UNARY, *_pointwise.BINARY):
    if _name != "expit":
        globals()[_name] = getattr(_pointwise, _name)
for _name in _pointwise.UNARY:
    if _name + "_" in _pointwise.INPLACE:
        globals()[_name + "_"] = _pointwise.INPLACE[_name + "_"]
for _name, _function in _methods.NUMPY_NAMED.items():
    if _name in globals():
        globals()[_name] = _function
del _name, _function

from . import _missing_modules  # noqa: E402

_missing_modules.install()

from . import version  # noqa: E402
from . import autograd  # noqa: E402
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from . import linalg, special, return_types, random, types  # noqa: E402
from . import backends, testing, serialization  # noqa: E402
from .serialization import load, save  # noqa: E402
from . import amp  # noqa: E402
from .amp import GradScaler, autocast  # noqa: E402
from . import cpu, cuda, utils, nn, optim  # noqa: E402
from ._nn_functions import (  # noqa: E402
    celu, dropout, dropout_, embedding, group_norm, layer_norm, pairwise_distance, prelu, rms_norm, selu, threshold,
)  # fmt: skip

__all__ = [_n for _n in globals() if not _n.startswith("_") and _n != "sys"]


def __getattr__(name):
    from ._unsupported import missing

    raise missing("torch", name)
