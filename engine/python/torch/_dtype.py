"""dtypes, their limits (finfo, iinfo), and type promotion between them.

Source of the promotion table: c10/core/ScalarType.h (promoteTypes).
"""


class dtype:
    """The type of a tensor's elements. There is one object a dtype, so `is` compares them.

    Attributes: is_floating_point, is_complex, is_signed, itemsize (bytes).
    """

    __slots__ = ("_name", "is_floating_point", "is_signed", "itemsize", "_rank", "_scalar_name", "_cpp_name")

    is_complex = False

    def __init__(self, name, is_floating_point, is_signed, itemsize, rank, scalar_name, cpp_name):
        self._name = name
        self.is_floating_point = is_floating_point
        self.is_signed = is_signed
        self.itemsize = itemsize
        self._rank = rank  # 0 bool, 1 integer, 2 floating point
        self._scalar_name = scalar_name  # what C++ messages call it: "Half"
        self._cpp_name = cpp_name  # what templated C++ messages call it: "c10::Half"

    def __repr__(self):
        return "torch." + self._name

    def __reduce__(self):
        return self._name

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def to_real(self):
        return self

    def to_complex(self):
        raise NotImplementedError("complex dtypes are not supported here; supported: floating point, integers and bool")


dtype.__module__ = "torch"

float32 = dtype("float32", True, True, 4, 2, "Float", "float")
float64 = dtype("float64", True, True, 8, 2, "Double", "double")
float16 = dtype("float16", True, True, 2, 2, "Half", "c10::Half")
bfloat16 = dtype("bfloat16", True, True, 2, 2, "BFloat16", "c10::BFloat16")
int64 = dtype("int64", False, True, 8, 1, "Long", "long int")
int32 = dtype("int32", False, True, 4, 1, "Int", "int")
int16 = dtype("int16", False, True, 2, 1, "Short", "short int")
int8 = dtype("int8", False, True, 1, 1, "Char", "signed char")
uint8 = dtype("uint8", False, False, 1, 1, "Byte", "unsigned char")
bool_ = dtype("bool", False, False, 1, 0, "Bool", "bool")

#: Every dtype by the name that the engine uses.
by_name = {
    d._name: d for d in (float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, bool_)
}

#: dtypes of PyTorch that no tensor can have here.
UNSUPPORTED = frozenset(
    "complex32 complex64 complex128 chalf cfloat cdouble uint16 uint32 uint64 float8_e4m3fn float8_e5m2 "
    "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 quint8 qint8 qint32 quint4x2 quint2x4".split()
)

_default = float32


def get_default_dtype():
    """The dtype of tensors made from Python floats and of `torch.zeros` and the like."""
    return _default


def set_default_dtype(d, /):
    """Sets the default floating point dtype.

    Raises:
        TypeError: `d` isn't a floating point dtype.
    """
    global _default
    from . import _C

    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d
    _C.call("set_default_dtype", d._name)


_INTEGER_WIDTH = {uint8: 1, int8: 1, int16: 2, int32: 4, int64: 8}
_FLOAT_WIDTH = {float16: 2, bfloat16: 2, float32: 4, float64: 8}


def promote_types(type1, type2):
    """The smallest dtype that both convert to: float16 with bfloat16 gives float32, uint8 with int8 gives int16."""
    for position, d in ((1, type1), (2, type2)):
        if not isinstance(d, dtype):
            raise TypeError(
                f"promote_types(): argument 'type{position}' (position {position}) must be torch.dtype, "
                f"not {type(d).__name__}"
            )
    if type1 is type2:
        return type1
    if type1._rank != type2._rank:
        return type1 if type1._rank > type2._rank else type2
    if type1._rank == 2:
        a, b = _FLOAT_WIDTH[type1], _FLOAT_WIDTH[type2]
        if a == b:
            return float32  # float16 with bfloat16: neither holds the other
        return type1 if a > b else type2
    a, b = _INTEGER_WIDTH[type1], _INTEGER_WIDTH[type2]
    if a == b:
        return int16  # uint8 with int8
    return type1 if a > b else type2


def can_cast(from_, to):
    """Whether PyTorch's casting rules let an operation store dtype `from_` in a tensor of dtype `to`."""
    for name, position, d in (("from_", 1, from_), ("to", 2, to)):
        if not isinstance(d, dtype):
            raise TypeError(
                f"can_cast(): argument '{name}' (position {position}) must be torch.dtype, not {type(d).__name__}"
            )
    if from_.is_floating_point and not to.is_floating_point:
        return False
    return not (from_ is not bool_ and to is bool_)


# Largest finite value, eps, smallest normal number and `resolution` (10^-digits10) of each floating point dtype.
_FLOAT_LIMITS = {
    # (2 - 2^-10) * 2^15, 2^-10, 2^-14
    float16: (65504.0, 2.0**-10, 2.0**-14, 1e-3),
    # (2 - 2^-7) * 2^127, 2^-7, 2^-126
    bfloat16: ((2 - 2.0**-7) * 2.0**127, 2.0**-7, 2.0**-126, 1e-2),
    # (2 - 2^-23) * 2^127, 2^-23, 2^-126
    float32: ((2 - 2.0**-23) * 2.0**127, 2.0**-23, 2.0**-126, 1e-6),
    # (2 - 2^-52) * 2^1023, 2^-52, 2^-1022
    float64: ((2 - 2.0**-52) * 2.0**1023, 2.0**-52, 2.0**-1022, 1e-15),
}


class finfo:
    """Limits of a floating point dtype: bits, eps, max, min, tiny, smallest_normal, resolution, dtype.

    `eps` is the step from 1.0 to the next number; `tiny` is the smallest *normal* number (subnormals go lower).
    """

    __slots__ = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")

    def __init__(self, type=None, /):
        d = _default if type is None else type
        if not isinstance(d, dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {d.__class__.__name__}")
        if d not in _FLOAT_LIMITS:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        self.max, self.eps, self.tiny, self.resolution = _FLOAT_LIMITS[d]
        self.min = -self.max
        self.smallest_normal = self.tiny
        self.bits = d.itemsize * 8
        self.dtype = d._name

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


class iinfo:
    """Limits of an integer dtype: bits, max, min, dtype."""

    __slots__ = ("bits", "max", "min", "dtype")

    def __init__(self, type, /):
        if not isinstance(type, dtype):
            raise TypeError(
                f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}"
            )
        if type.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            )
        if type is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        self.bits = type.itemsize * 8
        self.max = 2 ** (self.bits - 1) - 1 if type.is_signed else 2**self.bits - 1
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.dtype = type._name

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)


finfo.__module__ = "torch"
iinfo.__module__ = "torch"
