"""torch.backends: flags of PyTorch's libraries.

A flag that permits PyTorch to compute faster and less exactly (TF32, reduced-precision sums) is accepted with a warning that it
changes nothing here; a flag that can't hold here raises; the others change nothing in PyTorch's results either.
"""

import sys
import types
import warnings


class _Flags(types.ModuleType):
    """A module whose attributes may only be set to what holds here."""

    def __init__(self, name, values, why):
        super().__init__(name, f"Flags of {name}.")
        object.__setattr__(self, "_values", dict(values))
        object.__setattr__(self, "_why", why)
        sys.modules[name] = self

    def __getattr__(self, name):
        values = object.__getattribute__(self, "_values")
        if name in values:
            return values[name][0]
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __setattr__(self, name, value):
        values = object.__getattribute__(self, "_values")
        if name.startswith("__") or isinstance(value, types.ModuleType):
            return object.__setattr__(self, name, value)
        if name not in values:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        current, allowed = values[name]
        if value is True and name.startswith("allow_"):
            warnings.warn(f"{self.__name__}.{name} = True changes nothing here: {self._why}.", UserWarning, stacklevel=2)
        elif value not in allowed:
            raise RuntimeError(f"{self.__name__}.{name} = {value!r} is not supported here: {self._why}")
        # A new dict, not a change of the old one: a session that undoes what a script has set puts the old one back.
        object.__setattr__(self, "_values", {**values, name: (value, allowed)})


_BOTH = (True, False)
_exact = "float32 products are exact float32 and 16-bit products accumulate in float32"

cuda = _Flags("torch.backends.cuda", {}, _exact)
cuda.matmul = _Flags(
    "torch.backends.cuda.matmul",
    {
        "allow_tf32": (False, (False,)),
        "allow_fp16_reduced_precision_reduction": (False, (False,)),
        "allow_bf16_reduced_precision_reduction": (False, (False,)),
        "fp32_precision": ("ieee", ("ieee", "none")),
    },
    _exact,
)
cudnn = _Flags(
    "torch.backends.cudnn",
    {
        "enabled": (False, _BOTH),
        "benchmark": (False, _BOTH),
        "deterministic": (True, _BOTH),
        "allow_tf32": (False, (False,)),
    },
    _exact,
)
mps = _Flags("torch.backends.mps", {}, "there is no MPS device")
mkldnn = _Flags("torch.backends.mkldnn", {"enabled": (False, (False,))}, "there is no oneDNN")


def _false():
    """False."""
    return False


for _module in (mps, mkldnn, cudnn):
    object.__setattr__(_module, "is_available", _false)
object.__setattr__(mps, "is_built", _false)
object.__setattr__(cuda, "is_built", lambda: True)
