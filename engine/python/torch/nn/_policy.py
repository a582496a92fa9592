"""Autocast for functions that are composed here, rather than being one op of the engine."""

import functools

import torch


def _first_tensor(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            return value
    return None


def autocast_policy(cpu=None, cuda=None):
    """Decorates a composed function with its autocast policy on each device: "fp32", "lower" (the region's dtype) or None.

    Inside a region, eligible floating point tensors are cast and the body runs with autocast off, as PyTorch's wrappers do.
    """
    policies = {"cpu": cpu, "cuda": cuda}

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            tensor = _first_tensor((*args, *kwargs.values()))
            if tensor is None:
                return function(*args, **kwargs)
            device = tensor.device.type
            policy = policies[device]
            if policy is None or not torch.is_autocast_enabled(device):
                return function(*args, **kwargs)
            dtype = torch.float32 if policy == "fp32" else torch.get_autocast_dtype(device)

            def cast(value):
                if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                    return value
                return value if value.dtype is torch.float64 else value.to(dtype)

            args = tuple(cast(a) for a in args)
            kwargs = {k: cast(v) for k, v in kwargs.items()}
            with torch.autocast(device, enabled=False):
                return function(*args, **kwargs)

        return wrapper

    return decorate
