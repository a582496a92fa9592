"""Activation functions of torch.nn.functional. All are elementwise unless they say otherwise."""

import warnings

import torch

from .. import _C

__all__ = [
    "hardshrink",
    "softshrink",
    "relu",
    "relu_",
    "relu6",
    "leaky_relu",
    "prelu",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "mish",
    "sigmoid",
    "tanh",
    "tanhshrink",
    "softsign",
    "logsigmoid",
    "softplus",
    "hardtanh",
    "hardsigmoid",
    "hardswish",
    "threshold",
    "glu",
    "softmax",
    "softmin",
    "log_softmax",
    "gumbel_softmax",
]

_ops = _C.ops


def _apply(function, input, inplace):
    """function(input); in place, the input overwritten with it. The copy is what the gradient formula then reads."""
    return input.copy_(function(input.clone())) if inplace else function(input)


def _need_tensor(name, value):
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}")


def relu(input, inplace=False):
    """max(x, 0). NaN stays NaN."""
    _need_tensor("relu", input)
    return torch.relu_(input) if inplace else torch.relu(input)


def relu_(input):
    """relu, in place."""
    return torch.relu_(input)


def relu6(input, inplace=False):
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x for x > 0, else negative_slope * x."""
    return _apply(lambda x: _ops.leaky_relu(x, negative_slope), input, inplace)


def prelu(input, weight):
    """x for x > 0, else weight * x; one weight, or one for each index of dimension 1."""
    if weight.numel() != 1:
        if input.dim() < 1:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.size(1) if input.dim() > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} "
                f"and channel size = {channels}."
            )
    if input.dim() > 1 or weight.dim() > 0:
        weight = weight.reshape([-1 if i == min(1, input.dim() - 1) else 1 for i in range(input.dim())])
    return _ops._prelu_kernel(input, weight)


def elu(input, alpha=1.0, inplace=False):
    """x for x > 0, else alpha * (exp(x) - 1)."""
    return _apply(lambda x: _ops.elu(x, alpha, 1, 1), input, inplace)


def selu(input, inplace=False):
    """scale * elu(x, alpha), with the constants of Klambauer et al. 2017."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return _apply(lambda x: _ops.elu(x, alpha, scale, 1), input, inplace)


def celu(input, alpha=1.0, inplace=False):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return _apply(lambda x: _ops.elu(x, alpha, 1, 1.0 / alpha), input, inplace)


def gelu(input, *, approximate="none"):
    """x * Phi(x); approximate="tanh": 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _ops.gelu(input, approximate)


def silu(input, inplace=False):
    """x * sigmoid(x)."""
    return _apply(lambda x: _ops.silu(x), input, inplace)


def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    return _apply(lambda x: _ops.mish(x), input, inplace)


def sigmoid(input):
    """1 / (1 + exp(-x))."""
    return torch.sigmoid(input)


def tanh(input):
    """tanh(x)."""
    return torch.tanh(input)


def hardshrink(input, lambd=0.5):
    """x where |x| > lambd, else 0. NaN stays NaN."""
    return torch.where((input >= -lambd) & (input <= lambd), torch.zeros_like(input), input)


def softshrink(input, lambd=0.5):
    """x - lambd where x > lambd, x + lambd where x < -lambd, else 0. NaN stays NaN."""
    if not lambd >= 0:
        raise RuntimeError(
            f"lambda must be in range [0, {torch.finfo(input.dtype).max:g}] for input dtype {input.dtype._scalar_name}, "
            f"but found {lambd:g}"
        )
    inside = torch.where(input.isnan(), input, torch.zeros_like(input))
    return torch.where(input > lambd, input - lambd, torch.where(input < -lambd, input + lambd, inside))


def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


def softsign(input):
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def logsigmoid(input):
    """log(sigmoid(x)), without overflow: min(x, 0) - log1p(exp(-|x|))."""
    return _ops.log_sigmoid(input)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
    return _ops.softplus(input, beta, threshold)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """clamp(x, min_val, max_val)."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _apply(lambda x: _ops.hardtanh(x, min_val, max_val), input, inplace)


def hardsigmoid(input, inplace=False):
    """clamp(x / 6 + 1/2, 0, 1)."""
    return _apply(lambda x: _ops.hardsigmoid(x), input, inplace)


def hardswish(input, inplace=False):
    """x * hardsigmoid(x)."""
    return _apply(lambda x: _ops.hardswish(x), input, inplace)


def threshold(input, threshold, value, inplace=False):
    """x where x > threshold, else value."""
    return _apply(lambda x: torch.where(x > threshold, x, value), input, inplace)


def glu(input, dim=-1):
    """a * sigmoid(b), a and b the halves along dim. Errors: RuntimeError for a 0-dim input or an odd size."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.dim()} is size {size}")
    a, b = input.chunk(2, dim)
    return a * torch.sigmoid(b)


def _implicit_dim(name, ndim, stacklevel):
    """The dim that softmax used to choose when none was given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """exp(x) / sum(exp(x)) along dim. dtype: cast the input first, so that overflow is avoided."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return _ops.softmax(input, dim, dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)."""
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return _ops.softmax(-input, dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """log(softmax(x)) along dim, without forming the softmax."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return _ops.log_softmax(input, dim, dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Needs exponential random numbers, which this engine doesn't draw."""
    raise NotImplementedError("F.gumbel_softmax is not supported by this engine (it draws exponential random numbers).")
