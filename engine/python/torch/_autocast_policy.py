"""Autocast for functions that are composed in Python, rather than being one op of the engine."""

import functools

from . import _autocast_state, _dtype


def _dtype_of(policy, device, tensors):
    lower = _autocast_state.get_autocast_dtype(device)
    if policy == "lower":
        return lower
    if policy == "fp32" or any(t.dtype is _dtype.float32 for t in tensors):
        return _dtype.float32
    return lower  # "promote" without a float32 among the inputs


def autocast_policy(cpu=None, cuda=None):
    """Decorates a composed function with its autocast policy on each device (aten/src/ATen/autocast_mode.h).

    "fp32": float32; "lower": the region's dtype; "promote": float32 if any input is, else the region's dtype; None: left alone.
    Inside a region, eligible floating point tensors (not float64) are cast and the body runs with autocast off.
    """
    policies = {"cpu": cpu, "cuda": cuda}

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            tensors = [a for a in (*args, *kwargs.values()) if hasattr(a, "is_floating_point") and hasattr(a, "device")]
            if not tensors:
                return function(*args, **kwargs)
            device = tensors[0].device.type
            policy = policies[device]
            if policy is None or not _autocast_state.is_autocast_enabled(device):
                return function(*args, **kwargs)
            eligible = [t for t in tensors if t.is_floating_point() and t.dtype is not _dtype.float64]
            dtype = _dtype_of(policy, device, eligible)

            def cast(value):
                return value.to(dtype) if any(value is t for t in eligible) else value

            args = tuple(cast(a) for a in args)
            kwargs = {k: cast(v) for k, v in kwargs.items()}
            from .amp import autocast

            with autocast(device, enabled=False):
                return function(*args, **kwargs)

        return wrapper

    return decorate
