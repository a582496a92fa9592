"""Elementwise functions. Every one takes a tensor of any shape and returns a new one of the broadcast shape."""

from . import _C
from ._conversion import number_beside

_ops = _C.ops
_inplace = _C.ops_


def store(result, out):
    """`out=`: writes `result` into `out` and returns it; without `out` returns `result`."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise NotImplementedError(
            f"out= with another shape than the result's is not supported here: out has {list(out.shape)}, the result "
            f"{list(result.shape)}"
        )
    return out.copy_(result)


def _unary(name, op, doc):
    def function(input, *, out=None):
        result = getattr(_ops, op)(input)
        return result if out is None else store(result, out)

    def in_place(self):
        return getattr(_inplace, op)(self)

    function.__name__ = function.__qualname__ = name
    in_place.__name__ = in_place.__qualname__ = name + "_"
    function.__doc__ = doc
    in_place.__doc__ = f"In-place {name}."
    return function, in_place


#: name: (op, one line of documentation). Aliases share an op.
UNARY = {
    "abs": ("abs", "|x|."),
    "absolute": ("abs", "|x|."),
    "neg": ("neg", "-x."),
    "negative": ("neg", "-x."),
    "sign": ("sign", "-1, 0 or 1; NaN stays NaN."),
    "sgn": ("sign", "-1, 0 or 1; NaN stays NaN."),
    "ceil": ("ceil", "The smallest whole number that isn't below x."),
    "floor": ("floor", "The largest whole number that isn't above x."),
    "trunc": ("trunc", "x without its fraction."),
    "fix": ("trunc", "x without its fraction."),
    "frac": ("frac", "The fraction of x, with its sign."),
    "reciprocal": ("reciprocal", "1 / x; 0 gives inf."),
    "square": ("square", "x * x."),
    "sqrt": ("sqrt", "Square root; negative numbers give NaN."),
    "rsqrt": ("rsqrt", "1 / sqrt(x); in 16 bits both steps round."),
    "exp": ("exp", "e^x. float16 overflows above 11.09, float32 above 88.7."),
    "exp2": ("exp2", "2^x."),
    "expm1": ("expm1", "e^x - 1, accurate near 0."),
    "log": ("log", "Natural logarithm; 0 gives -inf, negative numbers NaN."),
    "log2": ("log2", "Logarithm to base 2."),
    "log10": ("log10", "Logarithm to base 10."),
    "log1p": ("log1p", "log(1 + x), accurate near 0."),
    "sin": ("sin", "Sine of radians."),
    "cos": ("cos", "Cosine of radians."),
    "tan": ("tan", "Tangent of radians."),
    "asin": ("asin", "Arcsine."),
    "arcsin": ("asin", "Arcsine."),
    "acos": ("acos", "Arccosine."),
    "arccos": ("acos", "Arccosine."),
    "atan": ("atan", "Arctangent."),
    "arctan": ("atan", "Arctangent."),
    "arcsinh": ("asinh", "Inverse hyperbolic sine."),
    "arccosh": ("acosh", "Inverse hyperbolic cosine."),
    "arctanh": ("atanh", "Inverse hyperbolic tangent."),
    "sinh": ("sinh", "Hyperbolic sine."),
    "cosh": ("cosh", "Hyperbolic cosine."),
    "tanh": ("tanh", "Hyperbolic tangent."),
    "asinh": ("asinh", "Inverse hyperbolic sine."),
    "acosh": ("acosh", "Inverse hyperbolic cosine."),
    "atanh": ("atanh", "Inverse hyperbolic tangent."),
    "sigmoid": ("sigmoid", "1 / (1 + e^-x)."),
    "expit": ("sigmoid", "1 / (1 + e^-x)."),
    "erf": ("erf", "Error function."),
    "erfc": ("erfc", "1 - erf(x)."),
    "relu": ("relu", "max(x, 0); NaN stays NaN."),
    "logical_not": ("logical_not", "not x, as bool."),
    "bitwise_not": ("bitwise_not", "~x for integers and bool."),
    "isnan": ("isnan", "Whether each element is NaN."),
    "isinf": ("isinf", "Whether each element is inf or -inf."),
    "isfinite": ("isfinite", "Whether each element is neither inf nor NaN."),
    "isposinf": ("isposinf", "Whether each element is inf."),
    "isneginf": ("isneginf", "Whether each element is -inf."),
    "signbit": ("signbit", "Whether the sign bit is set; true for -0."),
    "deg2rad": ("deg2rad", "Degrees to radians."),
    "rad2deg": ("rad2deg", "Radians to degrees."),
    "logit": ("logit", "log(x / (1 - x))."),
}

BINARY = {
    "mul": ("mul", "input * other. A Python number is read in float32 even next to 16-bit tensors."),
    "multiply": ("mul", "input * other."),
    "remainder": ("remainder", "The remainder with the divisor's sign, as Python's %."),
    "fmod": ("fmod", "The remainder with the dividend's sign, as C's fmod."),
    "floor_divide": ("floor_divide", "floor(input / other)."),
    "maximum": ("maximum", "The larger element; NaN wins."),
    "minimum": ("minimum", "The smaller element; NaN wins."),
    "fmax": ("fmax", "The larger element; a number wins over NaN."),
    "fmin": ("fmin", "The smaller element; a number wins over NaN."),
    "atan2": ("atan2", "The angle of (other, input) in radians."),
    "arctan2": ("atan2", "The angle of (other, input) in radians."),
    "hypot": ("hypot", "sqrt(input^2 + other^2)."),
    "logaddexp": ("logaddexp", "log(e^input + e^other)."),
    "copysign": ("copysign", "input's magnitude with other's sign."),
    "heaviside": ("heaviside", "0 for negative, other for zero, 1 for positive input."),
    "ldexp": ("ldexp", "input * 2^other."),
    "xlogy": ("xlogy", "input * log(other); 0 where input is 0."),
    "eq": ("eq", "Elementwise ==, as bool."),
    "ne": ("ne", "Elementwise !=, as bool."),
    "not_equal": ("ne", "Elementwise !=, as bool."),
    "lt": ("lt", "Elementwise <, as bool."),
    "less": ("lt", "Elementwise <, as bool."),
    "le": ("le", "Elementwise <=, as bool."),
    "less_equal": ("le", "Elementwise <=, as bool."),
    "gt": ("gt", "Elementwise >, as bool."),
    "greater": ("gt", "Elementwise >, as bool."),
    "ge": ("ge", "Elementwise >=, as bool."),
    "greater_equal": ("ge", "Elementwise >=, as bool."),
    "logical_and": ("logical_and", "Elementwise and, as bool."),
    "logical_or": ("logical_or", "Elementwise or, as bool."),
    "logical_xor": ("logical_xor", "Elementwise exclusive or, as bool."),
    "bitwise_and": ("bitwise_and", "Bitwise and of integers or bool."),
    "bitwise_or": ("bitwise_or", "Bitwise or of integers or bool."),
    "bitwise_xor": ("bitwise_xor", "Bitwise exclusive or of integers or bool."),
    "bitwise_left_shift": ("bitwise_left_shift", "input << other for integers."),
    "bitwise_right_shift": ("bitwise_right_shift", "input >> other for integers."),
}


#: Functions whose first argument may be a number: torch.mul(2, x).
_NUMBER_FIRST = frozenset({"mul", "multiply", "remainder", "floor_divide"})


def _tensor_first(input, other):
    """`input`, as a tensor if it is a number beside a tensor or another number."""
    if isinstance(input, (int, float)) and isinstance(other, (int, float, _C._Tensor)):
        return number_beside(other, input)
    return input


def _binary(name, op, doc):
    def function(input, other, *, out=None):
        if name in _NUMBER_FIRST:
            input = _tensor_first(input, other)
        result = getattr(_ops, op)(input, other)
        return result if out is None else store(result, out)

    def in_place(self, other):
        return getattr(_inplace, op)(self, other)

    function.__name__ = function.__qualname__ = name
    in_place.__name__ = in_place.__qualname__ = name + "_"
    function.__doc__ = doc
    in_place.__doc__ = f"In-place {name}."
    return function, in_place


#: The in-place methods of this module, by name.
INPLACE = {}

for _name, (_op, _doc) in UNARY.items():
    globals()[_name], INPLACE[_name + "_"] = _unary(_name, _op, _doc)
for _name, (_op, _doc) in BINARY.items():
    globals()[_name], INPLACE[_name + "_"] = _binary(_name, _op, _doc)
for _name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "maximum", "minimum", "fmax", "fmin"):
    del INPLACE[_name + "_"]


def add(input, other, *, alpha=1, out=None):
    """input + alpha * other."""
    result = _ops.add(_tensor_first(input, other), other, alpha)
    return result if out is None else store(result, out)


def sub(input, other, *, alpha=1, out=None):
    """input - alpha * other."""
    result = _ops.sub(_tensor_first(input, other), other, alpha)
    return result if out is None else store(result, out)


subtract = sub


def rsub(input, other, *, alpha=1):
    """other - alpha * input."""
    return _ops.rsub(input, other, alpha)


_ROUNDING = (None, "trunc", "floor")


def _rounding(rounding_mode):
    if rounding_mode not in _ROUNDING:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return rounding_mode


def div(input, other, *, rounding_mode=None, out=None):
    """input / other; `rounding_mode` "trunc" or "floor" rounds the quotient. Integers divide as floats without it."""
    input = _tensor_first(input, other)
    if rounding_mode is None:
        result = _ops.div(input, other)
    elif _rounding(rounding_mode) == "floor":
        result = _ops.div_floor(input, other)
    else:
        result = _ops.trunc_divide(input, other)
    return result if out is None else store(result, out)


divide = true_divide = div


def pow(input, exponent, *, out=None):
    """input ** exponent, elementwise. Either may be a number."""
    result = _ops.pow(input, exponent)
    return result if out is None else store(result, out)


def float_power(input, exponent, *, out=None):
    """input ** exponent in float64."""
    from ._dtype import float64

    base = input.to(float64) if isinstance(input, _C._Tensor) else input
    power = exponent.to(float64) if isinstance(exponent, _C._Tensor) else exponent
    return store(_ops.pow(base, power), out)


def where(condition, input=None, other=None, *, out=None):
    """input where `condition` is true, else other, broadcast. With `condition` alone: its nonzero indices, one tensor a dimension."""
    if input is None and other is None:
        from ._gather import nonzero

        return nonzero(condition, as_tuple=True)
    result = _ops.where(condition, input, other)
    return result if out is None else store(result, out)


def clamp(input, min=None, max=None, *, out=None):
    """Limits elements to [min, max]; each bound may be a number, a tensor, or left out. NaN stays NaN.

    Raises:
        RuntimeError: neither bound is given, or a number doesn't fit a 16-bit dtype.
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    _check_bounds(min, max)
    result = _ops.clamp(input, min, max)
    return result if out is None else store(result, out)


clip = clamp


def _check_bounds(min, max):
    """Two tensors or two numbers; a 0-dim tensor counts as a number. Raises TypeError."""
    if min is None or max is None:
        return
    numbers = [not isinstance(bound, _C._Tensor) for bound in (min, max)]
    if numbers[0] == numbers[1] or (max if numbers[0] else min).dim() == 0:
        return
    kinds = [type(bound).__name__ for bound in (min, max)]
    wrong = ", ".join(f"!{kind}!" for kind in kinds)
    raise TypeError(
        f"clamp() received an invalid combination of arguments - got ({', '.join(kinds)}), but expected one of:\n"
        f" * (Tensor min = None, Tensor max = None)\n"
        f"      didn't match because some of the arguments have invalid types: ({wrong})\n"
        f" * (Number min = None, Number max = None)\n"
        f"      didn't match because some of the arguments have invalid types: ({wrong})\n"
    )


def clamp_min(input, min, *, out=None):
    """The same with a lower bound only."""
    return clamp(input, min, None, out=out)


def clamp_max(input, max, *, out=None):
    """The same with an upper bound only."""
    return clamp(input, None, max, out=out)


def lerp(input, end, weight, *, out=None):
    """input + weight * (end - input)."""
    result = _ops.lerp(input, end, weight)
    return result if out is None else store(result, out)


def addcmul(input, tensor1, tensor2, *, value=1, out=None):
    """input + value * tensor1 * tensor2."""
    result = _ops.addcmul(input, tensor1, tensor2, value)
    return result if out is None else store(result, out)


def addcdiv(input, tensor1, tensor2, *, value=1, out=None):
    """input + value * tensor1 / tensor2."""
    result = _ops.addcdiv(input, tensor1, tensor2, value)
    return result if out is None else store(result, out)


def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    """Replaces NaN (by 0), inf and -inf (by the dtype's largest and smallest numbers), or by what is given."""
    result = _ops.nan_to_num(input, nan, posinf, neginf)
    return result if out is None else store(result, out)


def round(input, *, decimals=0, out=None):
    """To the nearest whole number (or that many decimals), ties to even."""
    result = _ops.round(input, decimals)
    return result if out is None else store(result, out)


def _fill_value(value):
    """A 0-dim cpu tensor as the number it holds, which is checked against the dtype as a number is."""
    if isinstance(value, _C._Tensor) and value.dim() == 0 and value.device.type == "cpu" and not value.requires_grad:
        return value.item()
    return value


def masked_fill(input, mask, value):
    """A copy with `value` (a number or a 0-dim tensor) where the bool tensor `mask` is true.

    Raises:
        RuntimeError: `mask` isn't bool, or the number doesn't fit a 16-bit dtype.
    """
    if input.shape != mask.shape:
        _check_broadcast(mask.shape, input.shape)
    return _ops.masked_fill(input, mask, _fill_value(value))


def _check_broadcast(a, b):
    """Raises RuntimeError where two shapes don't broadcast, in this order of names."""
    for i in range(1, min(len(a), len(b)) + 1):
        if a[-i] != b[-i] and 1 not in (a[-i], b[-i]):
            raise RuntimeError(
                f"The size of tensor a ({a[-i]}) must match the size of tensor b ({b[-i]}) at non-singleton dimension "
                f"{max(len(a), len(b)) - i}"
            )


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + e^(beta x)) / beta; x itself where beta x exceeds the threshold."""
    return _ops.softplus(input, beta, threshold)


def softmax(input, dim=None, dtype=None):
    """e^x / sum(e^x) along `dim`, shape kept. 16-bit inputs are computed in float32 and rounded once."""
    if dim is None:
        raise TypeError('softmax() missing 1 required positional arguments: "dim"')
    return _ops.softmax(input, dim, dtype)


def log_softmax(input, dim=None, dtype=None):
    """log(softmax(x)) along `dim`, without forming the softmax."""
    if dim is None:
        raise TypeError('log_softmax() missing 1 required positional arguments: "dim"')
    return _ops.log_softmax(input, dim, dtype)


def conj(input):
    """The tensor itself: there are no complex dtypes here."""
    return input


def real(input):
    """The tensor itself: there are no complex dtypes here."""
    return input


def positive(input):
    """+input."""
    return input


def isreal(input):
    """All true: there are no complex dtypes here."""
    return _ops.eq(input, input).logical_or(True)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """|input - other| <= atol + rtol * |other|, elementwise, as bool; equal infinities are close."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype._scalar_name} did not match {other.dtype._scalar_name}")
    if rtol < 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if atol < 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    close = _ops.eq(input, other)
    if equal_nan and input.dtype.is_floating_point:
        close = close | (_ops.isnan(input) & _ops.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    a, b = input, other
    if not a.dtype.is_floating_point:
        from ._dtype import get_default_dtype

        a, b = a.to(get_default_dtype()), b.to(get_default_dtype())
    allowed = atol + (rtol * b).abs()
    error = (a - b).abs()
    return close | (_ops.isfinite(error) & (error <= allowed))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, as a bool (see isclose)."""
    if not isinstance(other, _C._Tensor):
        raise TypeError(f"allclose(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return bool(isclose(input, other, rtol, atol, equal_nan).all().item())


def equal(input, other):
    """Whether both have the same shape and elements, as a bool."""
    if not isinstance(other, _C._Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    if input.shape != other.shape:
        return False
    if input.device != other.device:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {input.device} and {other.device}!"
        )
    return bool(_ops.eq(input, other).all().item())


def _add_(self, other, *, alpha=1):
    """In-place add."""
    return _inplace.add(self, other, alpha)


def _sub_(self, other, *, alpha=1):
    """In-place sub."""
    return _inplace.sub(self, other, alpha)


def _div_(self, other, *, rounding_mode=None):
    """In-place div."""
    if rounding_mode is None:
        return _inplace.div(self, other)
    if _rounding(rounding_mode) == "floor":
        return _inplace.div_floor(self, other)
    return _inplace.trunc_divide(self, other)


def _pow_(self, exponent):
    """In-place pow."""
    return _inplace.pow(self, exponent)


def _clamp_(self, min=None, max=None):
    """In-place clamp."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    _check_bounds(min, max)
    return _inplace.clamp(self, min, max)


def _lerp_(self, end, weight):
    """In-place lerp."""
    return _inplace.lerp(self, end, weight)


def _addcmul_(self, tensor1, tensor2, *, value=1):
    """In-place addcmul."""
    return _inplace.addcmul(self, tensor1, tensor2, value)


def _addcdiv_(self, tensor1, tensor2, *, value=1):
    """In-place addcdiv."""
    return _inplace.addcdiv(self, tensor1, tensor2, value)


def _masked_fill_(self, mask, value):
    """In-place masked_fill."""
    return _inplace.masked_fill(self, mask, _fill_value(value))


def _nan_to_num_(self, nan=None, posinf=None, neginf=None):
    """In-place nan_to_num."""
    return _inplace.nan_to_num(self, nan, posinf, neginf)


def _round_(self, *, decimals=0):
    """In-place round."""
    return _inplace.round(self, decimals)


INPLACE.update(
    add_=_add_, sub_=_sub_, subtract_=_sub_, div_=_div_, divide_=_div_, true_divide_=_div_, pow_=_pow_, clamp_=_clamp_,
    clip_=_clamp_, lerp_=_lerp_, addcmul_=_addcmul_, addcdiv_=_addcdiv_, masked_fill_=_masked_fill_,
    nan_to_num_=_nan_to_num_, round_=_round_,
    clamp_min_=lambda self, min: _inplace.clamp(self, min, None),
    clamp_max_=lambda self, max: _inplace.clamp(self, None, max),
)  # fmt: skip
