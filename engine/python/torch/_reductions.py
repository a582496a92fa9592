"""Sums, means, extrema and other functions that reduce dimensions."""

import math
import numbers

from . import _C, _dtype
from ._pointwise import store
from ._tensor import Tensor, wrap_dim

_ops = _C.ops
_multi = _C.multi


def dims_of(dim, ndim):
    """A dim argument (None, int, or sequence; empty means all) as a list for the engine, or None."""
    if dim is None:
        return None
    if isinstance(dim, int):
        return [dim]
    dims = [d.__index__() for d in dim]
    return dims or None


def check_keepdim(function, keepdim):
    if keepdim is not True and keepdim is not False:
        raise TypeError(f"{function}(): argument 'keepdim' must be bool, not {type(keepdim).__name__}")


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, **unknown):
    """Sum over all elements, or over `dim` (an int or several). 16-bit inputs add in float32 and round once; integers give int64."""
    check_keepdim("sum", keepdim)
    if unknown:  # after the check of keepdim, as in PyTorch
        raise TypeError(f"sum() got an unexpected keyword argument '{next(iter(unknown))}'")
    result = _ops.sum(input, dims_of(dim, 0), keepdim, dtype)
    return result if out is None else store(result, out)


def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Sum that counts NaN as 0."""
    return sum(_ops.where(_ops.isnan(input), 0.0, input), dim, keepdim, dtype=dtype, out=out)


def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean over all elements or over `dim`. 16-bit inputs accumulate in float32.

    Raises:
        RuntimeError: an integer input without `dtype`.
    """
    check_keepdim("mean", keepdim)
    result = _ops.mean(input, dims_of(dim, 0), keepdim, dtype)
    return result if out is None else store(result, out)


def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean of the elements that aren't NaN."""
    count = sum(_ops.logical_not(_ops.isnan(input)), dim, keepdim)
    return store(nansum(input, dim, keepdim, dtype=dtype) / count, out)


def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Product over all elements or over one `dim`."""
    check_keepdim("prod", keepdim)
    return store(_ops.prod(input, None if dim is None else [dim], keepdim, dtype), out)


_UNSET = object()


def _correction(name, dim, unbiased, correction):
    """(dim, correction) from the overloads var(dim, unbiased), var(unbiased) and var(dim, correction=)."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not _UNSET:
        if correction is not _UNSET:
            raise TypeError(f"{name}() received an invalid combination of arguments: unbiased and correction")
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is _UNSET or correction is None else correction


def var(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET, out=None):
    """Variance over all elements or over `dim`; divides by N - correction (1, Bessel's, by default)."""
    dim, c = _correction("var", dim, unbiased, correction)
    return store(_ops.var(input, dims_of(dim, 0), c, keepdim), out)


def std(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET, out=None):
    """Standard deviation: the square root of var."""
    dim, c = _correction("std", dim, unbiased, correction)
    return store(_ops.std(input, dims_of(dim, 0), c, keepdim), out)


def var_mean(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET):
    """(variance, mean)."""
    dim, c = _correction("var_mean", dim, unbiased, correction)
    return var(input, dim, correction=c, keepdim=keepdim), mean(input, dim, keepdim)


def std_mean(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET):
    """(standard deviation, mean)."""
    dim, c = _correction("std_mean", dim, unbiased, correction)
    return std(input, dim, correction=c, keepdim=keepdim), mean(input, dim, keepdim)


# --- named results ---------------------------------------------------------------------------------------------------


class ReturnType(tuple):
    """Base of results such as torch.return_types.max: a tuple whose fields have names."""

    __slots__ = ()
    _fields = ()

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"


def return_type(name, *fields):
    """A ReturnType class with these fields."""
    body = {"__slots__": (), "_fields": fields, "__module__": "torch.return_types"}
    for i, field in enumerate(fields):
        body[field] = property(lambda self, i=i: self[i])
    return type(name, (ReturnType,), body)


max_result = return_type("max", "values", "indices")
min_result = return_type("min", "values", "indices")
median_result = return_type("median", "values", "indices")
mode_result = return_type("mode", "values", "indices")
kthvalue_result = return_type("kthvalue", "values", "indices")
sort_result = return_type("sort", "values", "indices")
topk_result = return_type("topk", "values", "indices")
cummax_result = return_type("cummax", "values", "indices")
cummin_result = return_type("cummin", "values", "indices")
aminmax_result = return_type("aminmax", "min", "max")


def _extremum(name, whole, along, elementwise, result):
    def function(input, *args, dim=_UNSET, other=_UNSET, keepdim=False, out=None):
        if args:
            if isinstance(args[0], Tensor):
                other = args[0]
            elif args[0] is not None:
                dim = args[0]
            if len(args) > 1:
                keepdim = args[1]
        if out is not None:
            raise NotImplementedError(f"{name}(): out= is not supported here")
        if other is not _UNSET:
            return getattr(_ops, elementwise)(input, other)
        if dim is _UNSET:
            return getattr(_ops, whole)(input)
        check_keepdim(name, keepdim)
        return result(getattr(_multi, along)(2, input, dim, keepdim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{name}(input): the extremum of all elements. {name}(input, dim, keepdim): (values, indices) along `dim`. "
        f"{name}(input, other): elementwise. NaN wins."
    )
    return function


max = _extremum("max", "max", "max_dim", "maximum", max_result)
min = _extremum("min", "min", "min_dim", "minimum", min_result)


def amax(input, dim=(), keepdim=False, *, out=None):
    """The largest elements over `dim` (several allowed); ties share the gradient."""
    return store(_ops.amax(input, dims_of(dim, 0), keepdim), out)


def amin(input, dim=(), keepdim=False, *, out=None):
    """The smallest elements over `dim` (several allowed); ties share the gradient."""
    return store(_ops.amin(input, dims_of(dim, 0), keepdim), out)


def aminmax(input, *, dim=None, keepdim=False, out=None):
    """(min, max) over all elements or over `dim`."""
    return aminmax_result((amin(input, () if dim is None else dim, keepdim), amax(input, () if dim is None else dim, keepdim)))


def argmax(input, dim=None, keepdim=False):
    """Index of the largest element: in the flattened input, or along `dim`."""
    return _ops.argmax(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Index of the smallest element: in the flattened input, or along `dim`."""
    return _ops.argmin(input, dim, keepdim)


def all(input, dim=None, keepdim=False, *, out=None):
    """Whether all elements are true (nonzero), overall or along `dim`."""
    return store(_ops.all(input, dims_of(dim, 0), keepdim), out)


def any(input, dim=None, keepdim=False, *, out=None):
    """Whether any element is true (nonzero), overall or along `dim`."""
    return store(_ops.any(input, dims_of(dim, 0), keepdim), out)


def count_nonzero(input, dim=None):
    """How many elements aren't 0."""
    return sum(_ops.ne(input, 0), dim)


def logsumexp(input, dim, keepdim=False, *, out=None):
    """log(sum(e^x)) over `dim`, without overflow."""
    return store(_ops.logsumexp(input, dims_of(dim, 0), keepdim), out)


def cumsum(input, dim, *, dtype=None, out=None):
    """Running sum along `dim`."""
    return store(_ops.cumsum(input, dim, dtype), out)


def cumprod(input, dim, *, dtype=None, out=None):
    """Running product along `dim`."""
    return store(_ops.cumprod(input, dim, dtype), out)


def logcumsumexp(input, dim, *, out=None):
    """log of the running sum of e^x along `dim`."""
    return store(_ops.logcumsumexp(input, dim), out)


def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """Differences of neighbours along `dim`, n times."""
    from ._shape import cat, narrow

    parts = [p for p in (prepend, input, append) if p is not None]
    x = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        size = x.shape[wrap_dim(dim, x.dim())]
        x = narrow(x, dim, 1, size - 1) - narrow(x, dim, 0, size - 1)
    return store(x, out)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm over all elements or over `dim`: (sum |x|^p)^(1/p); inf gives the largest |x|. 16-bit inputs accumulate in float32."""
    if p in ("fro", None):
        p = 2
    if isinstance(p, str):
        raise NotImplementedError(f"torch.norm with p='{p}' is not supported here; supported: 'fro' and numbers")
    return store(vector_norm(input, p, dim, keepdim, dtype=dtype), out)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """torch.linalg.vector_norm: the `ord`-norm of vectors."""
    if not isinstance(ord, numbers.Real):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' must be Number, not {type(ord).__name__}")
    return store(_ops.linalg_vector_norm(x, float(ord), dims_of(dim, 0), keepdim, dtype), out)


def dist(input, other, p=2):
    """The p-norm of input - other."""
    return norm(input - other, p)


# --- order -----------------------------------------------------------------------------------------------------------


def sort(input, dim=-1, descending=False, stable=False, *, out=None):
    """(values, indices) in order along `dim`; NaN sorts as the largest."""
    return sort_result(_multi.sort(2, input, dim, descending))


def argsort(input, dim=-1, descending=False, stable=False):
    """The indices that sort along `dim`."""
    return _multi.sort(2, input, dim, descending)[1]


def msort(input):
    """Values sorted along dimension 0."""
    return sort(input, 0)[0]


def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None):
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order."""
    return topk_result(_multi.topk(2, input, k, dim, largest, sorted))


def kthvalue(input, k, dim=-1, keepdim=False):
    """(values, indices) of the k-th smallest element along `dim`, k from 1."""
    from ._shape import select, narrow

    values, indices = _multi.sort(2, input, dim, False)
    size = input.shape[wrap_dim(dim, input.dim())] if input.dim() else 1
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {wrap_dim(dim, input.dim())}")
    take = (lambda t: narrow(t, dim, k - 1, 1)) if keepdim else (lambda t: select(t, dim, k - 1))
    return kthvalue_result((take(values), take(indices)))


def median(input, dim=None, keepdim=False):
    """The lower middle value: of all elements, or (values, indices) along `dim`. NaN if there is any."""
    if dim is None:
        flat = input.flatten()
        return _median(flat, 0, False)[0]
    return median_result(_median(input, dim, keepdim))


def _median(input, dim, keepdim):
    from ._shape import narrow, select

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
    from ._creation import tensor as make
    from ._shape import index_select

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
            raise RuntimeError("quantile() q values must be in the range [0, 1]")
        rank = v * (n - 1)
        low = math.floor(rank)
        pick = lambda i: index_select(values, d, make([i], device=input.device))
        a, b = pick(low), pick(builtins_min(low + 1, n - 1))
        r = _ops.lerp(a, b, rank - low)
        results.append(r if keepdim and dim is not None else r.squeeze(d))
    from ._shape import stack

    return store(results[0] if scalar else stack(results, 0), out)


from builtins import min as builtins_min  # noqa: E402  (min above is torch's)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct values in order; with return_inverse where each element went, with return_counts how often each occurs."""
    from ._creation import tensor as make

    if dim is not None:
        raise NotImplementedError("unique(): dim= is not supported here")
    values = input.flatten().flat_values()
    distinct = []
    seen = {}
    for v in builtins_sorted(v for v in values if v == v):
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


from builtins import sorted as builtins_sorted  # noqa: E402


def bincount(input, weights=None, minlength=0):
    """How often each non-negative int occurs in a 1-dim tensor."""
    from ._creation import zeros

    if input.dtype.is_floating_point or input.dim() != 1:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    values = input.tolist()
    if values and builtins_min(values) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    size = builtins_max([minlength, *[v + 1 for v in values]])
    if weights is None:
        result = zeros(size, dtype=_dtype.int64, device=input.device)
        source = input.new_ones(input.shape, dtype=_dtype.int64)
    else:
        result = zeros(size, dtype=_dtype.float64, device=input.device)
        source = weights.to(_dtype.float64)
    return result.scatter_add(0, input.long(), source)


from builtins import max as builtins_max  # noqa: E402
