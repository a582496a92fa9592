"""Filling tensors with initial values. All functions write into `tensor` without recording gradients and return it."""

import math
import warnings

import torch

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid")


def calculate_gain(nonlinearity, param=None):
    """The factor by which a nonlinearity shrinks its input's standard deviation (He et al. 2015), inverted.

    param: the negative slope of leaky_relu (default 0.01). Errors: ValueError for an unknown name or a slope that is no number.
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform on [a, b)."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal with the given mean and standard deviation."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal truncated to [a, b], by drawing again what falls outside (or, for improbable intervals, by rejection from a uniform)."""

    def cdf(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if (mean < a - 2 * std) or (mean > b + 2 * std):
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with torch.no_grad():
        if cdf((b - mean) / std) - cdf((a - mean) / std) > 0.3:
            # The bounds as the tensor's dtype holds them.
            low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
            result = tensor.normal_(mean, std, generator=generator)
            while bool((mask := (result < low) | (result > high)).any()):
                again = torch.empty_like(result).normal_(mean, std, generator=generator)
                result = torch.where(mask, again, result)
            return tensor if result is tensor else tensor.copy_(result)
        mode = max(a, min(mean, b))
        log_peak = -0.5 * ((mode - mean) / std) ** 2
        result = tensor.uniform_(a, b, generator=generator)
        pending = None
        while True:
            candidates = result if pending is None else torch.empty_like(result).uniform_(a, b, generator=generator)
            log_density = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
            rejected = torch.empty_like(result).uniform_(generator=generator).log_().gt(log_density)
            if pending is None:
                pending = rejected
            else:
                result = torch.where(pending & ~rejected, candidates, result)
                pending = pending & rejected
            if not bool(pending.any()):
                return tensor if result is tensor else tensor.copy_(result)


def constant_(tensor, val):
    """Every element is `val`."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Every element is 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Every element is 0."""
    return constant_(tensor, 0.0)


def eye_(tensor):
    """The identity matrix. 2-d only."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        return tensor.copy_(torch.eye(*tensor.shape))


def _calculate_fan_in_and_fan_out(tensor):
    """(inputs, outputs) of one unit: a weight is (out, in, *window)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.size(1) * window, tensor.size(0) * window


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    valid = ["fan_in", "fan_out"]
    if mode not in valid:
        raise ValueError(f"Mode {mode} not supported, please use one of {valid}")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform with standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std  # a uniform on [-b, b] has standard deviation b / sqrt(3)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out))."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with standard deviation gain / sqrt(fan) (He et al. 2015). a: negative slope of leaky_relu."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with standard deviation gain / sqrt(fan)."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Needs a QR decomposition, which this engine doesn't have."""
    raise NotImplementedError("nn.init.orthogonal_ is not supported (it needs a QR decomposition); use xavier_uniform_.")
