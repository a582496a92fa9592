"""Order and counting: sort, topk, median, quantile, unique, bincount."""

import builtins
import math

from . import _C, _dtype, return_types
from ._creation import tensor as make
from ._creation import zeros
from ._gather import index_select
from ._joins import stack
from ._layout import unsupported
from ._pointwise import store
from ._reductions import any as _any
from ._tensor import Tensor, wrap_dim
from ._views import narrow, select

_ops = _C.ops
_multi = _C.multi


def sort(input, dim=-1, descending=False, stable=False, *, out=None):
    """(values, indices) in order along `dim`; NaN sorts as the largest."""
    unsupported("sort", out=out)
    return return_types.sort(_multi.sort(2, input, dim, descending))


def argsort(input, dim=-1, descending=False, stable=False):
    """The indices that sort along `dim`."""
    return _multi.sort(2, input, dim, descending)[1]


def msort(input):
    """Values sorted along dimension 0."""
    return sort(input, 0)[0]


def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None):
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order."""
    unsupported("topk", out=out)
    return return_types.topk(_multi.topk(2, input, k, dim, largest, sorted))


def _of_a_number(function, input, dim, keepdim):
    """What function(input, dim) picks from a 0-dim tensor: as from a tensor with one element."""
    wrap_dim(dim, 0)
    return function(input.reshape(1), 0, False)


def kthvalue(input, k, dim=-1, keepdim=False):
    """(values, indices) of the k-th smallest element along `dim`, k from 1."""
    if input.dim() == 0:
        return _of_a_number(lambda x, d, keep: kthvalue(x, k, d, keep), input, dim, keepdim)
    values, indices = _multi.sort(2, input, dim, False)
    size = input.shape[wrap_dim(dim, input.dim())] if input.dim() else 1
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {wrap_dim(dim, input.dim())}")
    take = (lambda t: narrow(t, dim, k - 1, 1)) if keepdim else (lambda t: select(t, dim, k - 1))
    return return_types.kthvalue((take(values), take(indices)))


def median(input, dim=None, keepdim=False):
    """The lower middle value: of all elements, or (values, indices) along `dim`. NaN if there is any."""
    if dim is None:
        flat = input.flatten()
        if flat.numel() == 0 and flat.dtype.is_floating_point:
            return flat.new_full((), math.nan)
        return _median(flat, 0, False)[0]
    return return_types.median(_median(input, dim, keepdim))


def _median(input, dim, keepdim):
    if input.dim() == 0:
        return _of_a_number(_median, input, dim, keepdim)
    if input.shape[wrap_dim(dim, input.dim())] == 0:
        raise IndexError(f"median(): Expected reduction dim {wrap_dim(dim, input.dim())} to have non-zero size.")
    values, indices = _multi.sort(2, input, dim, False)
    size = input.shape[wrap_dim(dim, input.dim())] if input.dim() else 1
    k = (size - 1) // 2
    take = (lambda t, i: narrow(t, dim, i, 1)) if keepdim else (lambda t, i: select(t, dim, i))
    value, index = take(values, k), take(indices, k)
    if input.dtype.is_floating_point:
        last, last_index = take(values, size - 1), take(indices, size - 1)  # NaN sorts last
        bad = _ops.isnan(last)
        value, index = _ops.where(bad, last, value), _ops.where(bad, last_index, index)
    return value, index


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The q-quantile, interpolated linearly.

    Raises:
        RuntimeError: the dtype isn't float32 or float64.
    """
    if input.dtype not in (_dtype.float32, _dtype.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation != "linear":
        raise NotImplementedError(f"quantile(): interpolation='{interpolation}' is not supported here; supported: 'linear'")
    scalar = not isinstance(q, Tensor) or q.dim() == 0
    qs = [float(q)] if scalar else q.tolist()
    x = input.flatten() if dim is None else input
    d = 0 if dim is None else wrap_dim(dim, input.dim())
    values = _multi.sort(2, x, d, False)[0]
    n = x.shape[d]
    results = []
    for v in qs:
        if not 0 <= v <= 1:
            what = f"q must be in the range [0, 1] but got {v:g}" if scalar else "q values must be in the range [0, 1]"
            raise RuntimeError(f"quantile() {what}")
        rank = v * (n - 1)
        low = math.floor(rank)
        pick = lambda i: index_select(values, d, make([i], device=input.device))
        a, b = pick(low), pick(min(low + 1, n - 1))
        r = _ops.lerp(a, b, rank - low)
        results.append(r if keepdim and dim is not None else r.squeeze(d))
    return store(results[0] if scalar else stack(results, 0), out)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct values in order; with return_inverse where each element went, with return_counts how often each occurs."""
    if dim is not None:
        raise NotImplementedError("unique(): dim= is not supported here")
    values = input.flatten().flat_values()
    distinct = []
    seen = {}
    for v in builtins.sorted(v for v in values if v == v):
        if v not in seen:
            seen[v] = len(distinct)
            distinct.append(v)
    counts = [0] * len(distinct)
    inverse = []
    for v in values:
        if v != v:  # every NaN is distinct
            seen_at = len(distinct)
            distinct.append(v)
            counts.append(0)
        else:
            seen_at = seen[v]
        counts[seen_at] += 1
        inverse.append(seen_at)
    results = [make(distinct, dtype=input.dtype, device=input.device)]
    if return_inverse:
        results.append(make(inverse, dtype=_dtype.int64, device=input.device).reshape(input.shape))
    if return_counts:
        results.append(make(counts, dtype=_dtype.int64, device=input.device))
    return results[0] if len(results) == 1 else tuple(results)


def bincount(input, weights=None, minlength=0):
    """How often each non-negative int occurs in a 1-dim tensor."""
    if input.dtype.is_floating_point or input.dim() != 1:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    values = input.tolist()
    if values and min(values) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    size = max([minlength, *[v + 1 for v in values]])
    if weights is None:
        result = zeros(size, dtype=_dtype.int64, device=input.device)
        source = input.new_ones(input.shape, dtype=_dtype.int64)
    else:
        result = zeros(size, dtype=_dtype.float64, device=input.device)
        source = weights.to(_dtype.float64)
    return result.scatter_add(0, input.long(), source)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The values without repetitions that follow each other."""
    if dim is not None:
        raise NotImplementedError("unique_consecutive(): dim= is not supported here")
    values, counts, inverse = [], [], []
    for v in input.flatten().flat_values():
        if not values or v != values[-1]:
            values.append(v)
            counts.append(0)
        counts[-1] += 1
        inverse.append(len(values) - 1)
    results = [make(values, dtype=input.dtype, device=input.device)]
    if return_inverse:
        results.append(make(inverse, dtype=_dtype.int64, device=input.device).reshape(input.shape))
    if return_counts:
        results.append(make(counts, dtype=_dtype.int64, device=input.device))
    return results[0] if len(results) == 1 else tuple(results)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Whether each element occurs in test_elements, as bool."""
    a = elements if isinstance(elements, Tensor) else test_elements.new_full((), elements)
    b = test_elements if isinstance(test_elements, Tensor) else a.new_full((), test_elements)
    found = _any(_ops.eq(a.unsqueeze(-1), b.flatten()), -1)
    return _ops.logical_not(found) if invert else found


def histc(input, bins=100, min=0, max=0, *, out=None):
    """Counts of the elements in `bins` equal intervals of [min, max] (by default the range of the input)."""
    values = [v for v in input.flatten().flat_values() if v == v]
    low, high = float(min), float(max)
    if low == high and values:
        ordered = builtins.sorted(values)
        low, high = float(ordered[0]), float(ordered[-1])
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("max must be larger than min")
    counts = [0] * bins
    for v in values:
        if low <= v <= high:
            counts[builtins.min(int((v - low) / (high - low) * bins), bins - 1)] += 1
    return store(make(counts, dtype=input.dtype, device=input.device), out)
