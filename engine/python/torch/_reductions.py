"""Sums, means, extrema and other functions that reduce dimensions."""

import numbers

from . import _C, _dtype, return_types
from ._layout import unsupported
from ._pointwise import store
from ._tensor import Tensor, wrap_dim

_ops = _C.ops
_multi = _C.multi


def dims_of(dim, function):
    """A dim argument (None, int, or sequence; empty means all) as a list for the engine, or None."""
    if dim is None:
        return None
    if dim.__class__ is int:
        return [dim]
    if isinstance(dim, (str, float, bool)):
        raise TypeError(f"{function}(): argument 'dim' must be tuple of ints, not {type(dim).__name__}")
    if isinstance(dim, Tensor):
        return [dim.__index__()]
    return [d.__index__() for d in dim] or None


def check_keepdim(function, keepdim):
    if keepdim is not True and keepdim is not False:
        raise TypeError(f"{function}(): argument 'keepdim' must be bool, not {type(keepdim).__name__}")


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, **unknown):
    """Sum over all elements, or over `dim` (an int or several). 16-bit inputs add in float32 and round once; integers give int64."""
    check_keepdim("sum", keepdim)
    if unknown:  # after the check of keepdim, as in PyTorch
        raise TypeError(f"sum() got an unexpected keyword argument '{next(iter(unknown))}'")
    result = _ops.sum(input, dims_of(dim, "sum"), keepdim, dtype)
    return result if out is None else store(result, out)


def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Sum that counts NaN as 0."""
    if input.dtype.is_floating_point:
        input = _ops.where(_ops.isnan(input), 0.0, input)
    return sum(input, dim, keepdim, dtype=dtype, out=out)


def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean over all elements or over `dim`. 16-bit inputs accumulate in float32.

    Raises:
        RuntimeError: an integer input without `dtype`.
    """
    check_keepdim("mean", keepdim)
    result = _ops.mean(input, dims_of(dim, "mean"), keepdim, dtype)
    return result if out is None else store(result, out)


def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean of the elements that aren't NaN."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype._scalar_name}"
        )
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
    return store(_ops.var(input, dims_of(dim, "var"), c, keepdim), out)


def std(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET, out=None):
    """Standard deviation: the square root of var."""
    dim, c = _correction("std", dim, unbiased, correction)
    return store(_ops.std(input, dims_of(dim, "std"), c, keepdim), out)


def var_mean(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET):
    """(variance, mean)."""
    dim, c = _correction("var_mean", dim, unbiased, correction)
    return var(input, dim, correction=c, keepdim=keepdim), mean(input, dim, keepdim)


def std_mean(input, dim=None, unbiased=_UNSET, keepdim=False, *, correction=_UNSET):
    """(standard deviation, mean)."""
    dim, c = _correction("std_mean", dim, unbiased, correction)
    return std(input, dim, correction=c, keepdim=keepdim), mean(input, dim, keepdim)


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


max = _extremum("max", "max", "max_dim", "maximum", return_types.max)
min = _extremum("min", "min", "min_dim", "minimum", return_types.min)


def amax(input, dim=(), keepdim=False, *, out=None):
    """The largest elements over `dim` (several allowed); ties share the gradient."""
    return store(_ops.amax(input, dims_of(dim, "amax"), keepdim), out)


def amin(input, dim=(), keepdim=False, *, out=None):
    """The smallest elements over `dim` (several allowed); ties share the gradient."""
    return store(_ops.amin(input, dims_of(dim, "amin"), keepdim), out)


def aminmax(input, *, dim=None, keepdim=False, out=None):
    """(min, max) over all elements or over `dim`."""
    unsupported("aminmax", out=out)
    return return_types.aminmax((amin(input, () if dim is None else dim, keepdim), amax(input, () if dim is None else dim, keepdim)))


def argmax(input, dim=None, keepdim=False):
    """Index of the largest element: in the flattened input, or along `dim`."""
    return _ops.argmax(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Index of the smallest element: in the flattened input, or along `dim`."""
    return _ops.argmin(input, dim, keepdim)


def all(input, dim=None, keepdim=False, *, out=None):
    """Whether all elements are true (nonzero), overall or along `dim`."""
    return store(_ops.all(input, dims_of(dim, "all"), keepdim), out)


def any(input, dim=None, keepdim=False, *, out=None):
    """Whether any element is true (nonzero), overall or along `dim`."""
    return store(_ops.any(input, dims_of(dim, "any"), keepdim), out)


def count_nonzero(input, dim=None):
    """How many elements aren't 0."""
    return sum(_ops.ne(input, 0), dim)


def logsumexp(input, dim, keepdim=False, *, out=None):
    """log(sum(e^x)) over `dim`, without overflow."""
    return store(_ops.logsumexp(input, dims_of(dim, "logsumexp"), keepdim), out)


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
    """Differences of neighbours along `dim`, n times; of bool whether they differ."""
    from ._joins import cat
    from ._views import narrow

    parts = [p for p in (prepend, input, append) if p is not None]
    if input.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    x = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        size = x.shape[wrap_dim(dim, x.dim())]
        if size == 0:
            break
        after, before = narrow(x, dim, 1, size - 1), narrow(x, dim, 0, size - 1)
        x = _ops.logical_xor(after, before) if x.dtype is _dtype.bool_ else after - before
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
    return store(_ops.linalg_vector_norm(x, float(ord), dims_of(dim, "vector_norm"), keepdim, dtype), out)


def dist(input, other, p=2):
    """The p-norm of input - other."""
    return norm(input - other, p)


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables (rows) over observations (columns)."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov(): weights are not supported here")
    x = input.reshape(1, -1) if input.dim() < 2 else input
    centred = x - mean(x, 1, True)
    return (centred @ centred.t() / (x.shape[1] - correction)).squeeze()


def corrcoef(input):
    """The correlation matrix of variables (rows) over observations (columns)."""
    c = cov(input)
    if c.dim() == 0:
        return c / c
    d = c.diagonal().sqrt()
    return (c / d.unsqueeze(1) / d.unsqueeze(0)).clamp(-1, 1)
