"""assert_close: values, shapes, dtypes and devices, with PyTorch's messages (torch/testing/_comparison.py)."""

import collections.abc

from .. import _dtype
from .._pointwise import isclose
from .._tensor import Tensor

# (rtol, atol) by dtype; integers and bools compare exactly.
_PRECISION = {
    _dtype.float16: (0.001, 1e-5),
    _dtype.bfloat16: (0.016, 1e-5),
    _dtype.float32: (1.3e-6, 1e-5),
    _dtype.float64: (1e-7, 1e-7),
}


class _Mismatch(Exception):
    def __init__(self, kind, message, place=()):
        super().__init__(message)
        self.kind, self.message, self.place = kind, message, place


def _tolerances(rtol, atol, *dtypes):
    if (rtol is None) ^ (atol is None):
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}."
        )
    if rtol is not None:
        return rtol, atol
    pairs = [_PRECISION.get(d, (0.0, 0.0)) for d in dtypes]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True,
    check_layout=True, check_stride=False, msg=None,
):  # fmt: skip
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    Tensors, numbers, None, and sequences and mappings of them. Default tolerances by dtype (rtol, atol): float16 (1e-3, 1e-5),
    bfloat16 (1.6e-2, 1e-5), float32 (1.3e-6, 1e-5), float64 (1e-7, 1e-7), else exact. Shapes never broadcast.
    """
    options = {
        "rtol": rtol, "atol": atol, "equal_nan": equal_nan, "check_device": check_device, "check_dtype": check_dtype,
        "check_stride": check_stride,
    }  # fmt: skip
    try:
        _compare(actual, expected, options, ())
    except _Mismatch as m:
        text = m.message
        if m.place:
            text += "\n\nThe failure occurred for item " + "".join(f"[{p!r}]" if not isinstance(p, int) else f"[{p}]" for p in m.place)
        if msg is not None:
            text = msg(text) if callable(msg) else msg
        raise m.kind(text) from None


def _compare(actual, expected, options, place):
    if isinstance(actual, Tensor) or isinstance(expected, Tensor):
        if not (isinstance(actual, Tensor) and isinstance(expected, Tensor)):
            raise _Mismatch(
                TypeError if not place else AssertionError,
                "No comparison pair was able to handle inputs of type "
                f"{type(actual)} and {type(expected)}.",
                place,
            )
        _compare_tensors(actual, expected, options, place)
    elif isinstance(actual, (str, bytes)) or isinstance(expected, (str, bytes)):
        if actual != expected:
            raise _Mismatch(TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", place)
    elif isinstance(actual, collections.abc.Mapping) and isinstance(expected, collections.abc.Mapping):
        missing = set(expected) - set(actual)
        extra = set(actual) - set(expected)
        if missing or extra:
            raise _Mismatch(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(extra)}",
                place,
            )
        for key in actual:
            _compare(actual[key], expected[key], options, (*place, key))
    elif isinstance(actual, collections.abc.Sequence) and isinstance(expected, collections.abc.Sequence):
        if len(actual) != len(expected):
            raise _Mismatch(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place
            )
        for i, (a, e) in enumerate(zip(actual, expected)):
            _compare(a, e, options, (*place, i))
    elif actual is None or expected is None:
        if actual is not expected:
            raise _Mismatch(AssertionError, f"None mismatch: {actual} is not {expected}", place)
    elif isinstance(actual, bool) and isinstance(expected, bool):
        if actual is not expected:
            raise _Mismatch(AssertionError, f"Booleans mismatch: {actual} is not {expected}", place)
    elif isinstance(actual, (int, float)) and isinstance(expected, (int, float)):
        _compare_numbers(actual, expected, options, place)
    else:
        raise _Mismatch(
            TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", place
        )


def _compare_numbers(actual, expected, options, place):
    if options["check_dtype"] and type(actual) is not type(expected):
        raise _Mismatch(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", place)
    kinds = [_dtype.float64 if isinstance(v, float) else _dtype.int64 for v in (actual, expected)]
    rtol, atol = _tolerances(options["rtol"], options["atol"], *kinds)
    if actual == expected or (options["equal_nan"] and actual != actual and expected != expected):
        return
    difference = abs(actual - expected)
    if difference <= atol + rtol * abs(expected) and difference != float("inf"):
        return
    raise _Mismatch(
        AssertionError,
        _message(
            "Scalars", f"Expected {expected} but got {actual}.", difference, None, atol,
            float("inf") if expected == 0 else difference / abs(expected), None, rtol,
        ),
        place,
    )  # fmt: skip


def _compare_tensors(actual, expected, options, place):
    def attribute(name, a, e):
        raise _Mismatch(AssertionError, f"The values for attribute '{name}' do not match: {a} != {e}.", place)

    if actual.shape != expected.shape:
        attribute("shape", actual.shape, expected.shape)
    if options["check_stride"] and actual.stride() != expected.stride():
        attribute("stride()", actual.stride(), expected.stride())
    if options["check_device"] and actual.device != expected.device:
        attribute("device", actual.device, expected.device)
    if options["check_dtype"] and actual.dtype is not expected.dtype:
        attribute("dtype", actual.dtype, expected.dtype)
    rtol, atol = _tolerances(options["rtol"], options["atol"], actual.dtype, expected.dtype)
    actual, expected = actual.detach(), expected.detach()
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    if actual.dtype is not expected.dtype:
        common = _dtype.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(common), expected.to(common)
    matches = isclose(actual, expected, rtol, atol, options["equal_nan"])
    if bool(matches.all()):
        return
    n = actual.numel()
    wrong = n - int(matches.sum())
    if not actual.dtype.is_floating_point:
        actual, expected = actual.long(), expected.long()
    flat = matches.flatten()
    absolute = (actual.flatten() - expected.flatten()).abs().masked_fill(flat, 0)
    relative = (absolute / expected.flatten().abs()).masked_fill(flat, 0)
    shape = tuple(actual.shape)
    a, a_at = _greatest(absolute)
    r, r_at = _greatest(relative)
    raise _Mismatch(
        AssertionError,
        _message(
            "Tensor-likes", f"Mismatched elements: {wrong} / {n} ({wrong / n:.1%})", a, _unravel(a_at, shape), atol, r,
            _unravel(r_at, shape), rtol,
        ),
        place,
    )  # fmt: skip


def _greatest(tensor):
    values = tensor.tolist()
    for i, v in enumerate(values):
        if v != v:  # NaN counts as the greatest
            return v, i
    best = max(range(len(values)), key=values.__getitem__)
    return values[best], best


def _unravel(flat, shape):
    index = []
    for size in reversed(shape):
        flat, i = divmod(flat, size)
        index.append(i)
    return tuple(reversed(index))


def _message(what, extra, absolute, absolute_at, atol, relative, relative_at, rtol):
    equality = rtol == 0 and atol == 0

    def line(kind, difference, at, allowed):
        text = (
            f"{kind.title()} difference: {difference}"
            if at is None
            else f"Greatest {kind} difference: {difference} at index {at}"
        )
        return text + ("" if equality else f" (up to {allowed} allowed)")

    return (
        f"{what} are not {'equal' if equality else 'close'}!\n\n{extra}\n"
        + line("absolute", absolute, absolute_at, atol)
        + "\n"
        + line("relative", relative, relative_at, rtol)
    )


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Deprecated; assert_close without the dtype and device checks."""
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, msg=msg or None
    )
