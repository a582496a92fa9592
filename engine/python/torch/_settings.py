"""Process-wide settings of PyTorch: accepted where they change nothing here, refused where they would change results."""

import warnings

_threads = 1
_precision = "highest"
_deterministic = True
_warn_only = False


def set_num_threads(n, /):
    """Accepted: results don't depend on threads here."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")


def get_num_threads():
    """1."""
    return 1


def set_num_interop_threads(n, /):
    """Accepted: results don't depend on threads here."""


def get_num_interop_threads():
    """1."""
    return 1


def get_float32_matmul_precision():
    """"highest": float32 products are exact float32."""
    return _precision


def set_float32_matmul_precision(precision, /):
    """Accepts "highest". "high" and "medium" allow TF32 or bfloat16 products on some GPUs; here they warn and change nothing."""
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(
            f"Expected one of 'highest', 'high', 'medium' for float32 matmul precision, but got {precision!r}"
        )
    if precision != "highest":
        warnings.warn(
            f"set_float32_matmul_precision('{precision}') changes nothing here: float32 products stay float32.",
            UserWarning,
            stacklevel=2,
        )


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Accepted: everything is deterministic here."""


def are_deterministic_algorithms_enabled():
    """True: everything is deterministic here."""
    return True


def is_deterministic_algorithms_warn_only_enabled():
    """False."""
    return False


def set_warn_always(b, /):
    """Accepted."""


def set_flush_denormal(mode):
    """False: flushing subnormals isn't supported here; they are what this course is about."""
    return False


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """Returns the function or module unchanged, with a warning: there is no compiler here, and results would be the same."""
    if model is None:
        return lambda f: compile(f)
    if not disable:
        warnings.warn("torch.compile does nothing here: the model runs as it is.", UserWarning, stacklevel=2)
    return model


def typename(obj, /):
    """The type string of a tensor, or the qualified name of an object's type."""
    from ._tensor import Tensor

    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__qualname__", None) or type(obj).__name__
    if not isinstance(obj, type) and not hasattr(obj, "__qualname__"):
        module = type(obj).__module__
    return name if module in ("", "builtins", "__builtin__") else f"{module}.{name}"


def is_grad_enabled():
    """Whether operations are recorded for backward."""
    from .autograd.grad_mode import is_grad_enabled as enabled

    return enabled()


def is_inference_mode_enabled():
    """Whether inference_mode is on."""
    from .autograd.grad_mode import is_inference_mode_enabled as enabled

    return enabled()


def is_anomaly_enabled():
    """Whether anomaly detection is on."""
    from .autograd.anomaly_mode import is_anomaly_enabled as enabled

    return enabled()
