"""Functions of torch.nn.functional that layers are made of: linear, embedding, dropout, norms, attention, padding."""

import math

import torch

from .. import _C
from .._autocast_policy import autocast_policy

_ops = _C.ops


def linear(input, weight, bias=None):
    """input @ weight.T + bias. input (*, in), weight (out, in) or (in), bias (out) or None; in autocast's lower dtype."""
    return _ops.linear(input, weight, bias)


def bilinear(input1, input2, weight, bias=None):
    """Not in this engine."""
    raise NotImplementedError("F.bilinear is not supported by this engine; use einsum('bi,oij,bj->bo', x1, weight, x2).")


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """weight[input]: rows of a table. padding_idx: a row that gets no gradient. Errors: IndexError outside the table."""
    for name, value in (("max_norm", max_norm), ("scale_grad_by_freq", scale_grad_by_freq), ("sparse", sparse)):
        if value:
            raise NotImplementedError(f"embedding({name}=...) is not supported by this engine; leave it at its default.")
    if padding_idx is not None:
        rows = weight.size(0)
        if padding_idx >= rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        if padding_idx < -rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    return _ops.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def dropout(input, p=0.5, training=True, inplace=False):
    """Zeroes elements with probability p and divides the rest by 1 - p; the identity when not training."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        mask = torch.zeros((), dtype=input.dtype, device=input.device)
    else:
        mask = torch.empty_like(input, requires_grad=False).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(mask) if inplace else input * mask


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions; variance without Bessel's correction."""
    return _ops.layer_norm(input, tuple(normalized_shape), weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions. eps defaults to the dtype's machine epsilon."""
    return _ops.rms_norm(input, tuple(normalized_shape), weight, eps)


def _check_more_than_one(size):
    values = size[0] * math.prod(size[2:])
    if values == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    """Normalizes each index of dimension 1 over the batch (training) or with running statistics, which training updates."""
    if training:
        _check_more_than_one(input.size())
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
    for name, tensor in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.numel() != input.size(1):
            raise RuntimeError(f"{name} should contain {input.size(1)} elements not {tensor.numel()}")
    for parameter in (weight, bias):
        if parameter is not None and parameter.dtype != input.dtype and parameter.dtype != torch.float32:
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    half = input.dtype in (torch.float16, torch.bfloat16)
    if not half and any(p is not None and p.dtype != input.dtype for p in (weight, bias)):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    x = input.float() if half else input
    dims = [d for d in range(x.dim()) if d != 1]
    shape = [-1 if d == 1 else 1 for d in range(x.dim())]
    # Statistics are accumulated in double precision; then y = fma(x, alpha, beta) (aten/src/ATen/native/cpu/batch_norm_kernel.cpp).
    if training:
        x64 = x.double()
        mean = x64.mean(dims)
        var = (x64 - mean.view(shape)).pow(2).mean(dims)
        if running_mean is not None:
            _update_running(running_mean, mean, momentum)
        if running_var is not None:
            n = x.numel() / x.size(1)
            _update_running(running_var, var * (n / (n - 1)), momentum)
    else:
        mean, var = running_mean.double(), running_var.double()
    alpha = (1 / torch.sqrt(var + eps)).to(x.dtype)
    if weight is not None:
        alpha = alpha * weight.to(x.dtype)
    beta = -mean.to(x.dtype) * alpha
    if bias is not None:
        beta = beta + bias.to(x.dtype)
    return torch.addcmul(beta.view(shape), x, alpha.view(shape)).to(input.dtype)


@torch.no_grad()
def _update_running(running, batch, momentum):
    """running = (1 - momentum) * running + momentum * batch, rounded once."""
    running.copy_(momentum * batch.double() + (1 - momentum) * running.double())


@autocast_policy(cuda="fp32")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalizes groups of dimension 1 together with all later dimensions, sample by sample; float32 inside."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    channels = input.size(1)
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    for parameter in (weight, bias):
        if parameter is not None and parameter.dtype not in (input.dtype, torch.float32):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    grouped = x.reshape(x.size(0), num_groups, -1)
    normalized = _ops.layer_norm(grouped, (grouped.size(-1),), None, None, eps).view(x.shape)
    shape = [-1 if d == 1 else 1 for d in range(x.dim())]
    if weight is not None:
        normalized = normalized * weight.to(x.dtype).view(shape)
    if bias is not None:
        normalized = normalized + bias.to(x.dtype).view(shape)
    return normalized.to(input.dtype)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """input / max(norm of input along dim, eps). In float16 eps is 0, so a zero vector gives NaN."""
    if out is not None:
        raise NotImplementedError("F.normalize(out=...) is not supported by this engine.")
    denominator = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / denominator


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Cosine of the angle between x1 and x2 along dim; norms are at least eps."""
    return _ops.cosine_similarity(x1, x2, dim, eps)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """Norm of x1 - x2 + eps along the last dimension."""
    return torch.linalg.vector_norm(x1 - x2 + eps, p, -1, keepdim=keepdim)


def one_hot(tensor, num_classes=-1):
    """(*) int64 class indices -> (*, num_classes) zeros and ones. -1: one more than the largest index."""
    if tensor.dtype is not torch.int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return torch.zeros((*tensor.shape, num_classes), dtype=torch.int64, device=tensor.device)
    if tensor.min().item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = tensor.max().item()
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes, device=tensor.device)).to(torch.int64)


def pad(input, pad, mode="constant", value=None):
    """Pads the last dimensions: pad = (left, right of the last, left, right of the one before, …). Negative sizes cut off."""
    if mode != "constant":
        raise NotImplementedError(f"F.pad(mode={mode!r}) is not supported by this engine; only 'constant' is.")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.dim():
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length {len(pad)}"
            f" and input of dimension {input.dim()}"
        )
    result = input
    for i in range(len(pad) // 2):
        dim = input.dim() - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        start = max(0, -before)
        length = result.size(dim) - start - max(0, -after)
        if start or length != result.size(dim):
            result = result.narrow(dim, start, length)
        blocks = [result]
        for size, at_front in ((before, True), (after, False)):
            if size > 0:
                shape = list(result.shape)
                shape[dim] = size
                fill = torch.full(shape, 0.0 if value is None else value, dtype=input.dtype, device=input.device)
                blocks.insert(0, fill) if at_front else blocks.append(fill)
        result = torch.cat(blocks, dim) if len(blocks) > 1 else result
    return result.clone() if result is input else result


@autocast_policy(cpu="lower", cuda="lower")
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(query @ key.T * scale + mask) @ value. query (…, L, E), key (…, S, E), value (…, S, Ev).

    A bool mask says where to attend; a float mask is added. 16-bit inputs are computed in float32 and rounded once.
    A row that may attend to nothing gives 0, unlike softmax, which would give NaN. scale defaults to 1 / sqrt(E).
    """
    if not (query.dtype == key.dtype == value.dtype):
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got "
            f"query.dtype: {query.dtype._cpp_name} key.dtype: {key.dtype._cpp_name} "
            f"and value.dtype: {value.dtype._cpp_name} instead."
        )
    if enable_gqa:
        raise NotImplementedError("scaled_dot_product_attention(enable_gqa=True) is not supported; repeat the heads instead.")
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query * scale) @ key.transpose(-2, -1)
    if is_causal:
        causal = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device).tril()
        scores = scores.masked_fill(causal.logical_not(), float("-inf"))
    if attn_mask is not None and attn_mask.dtype is torch.bool:
        scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = scores.softmax(-1)
    if attn_mask is not None:  # _safe_softmax (aten/src/ATen/native/SoftMax.cpp)
        weights = weights.masked_fill((scores == float("-inf")).all(-1, keepdim=True), 0.0)
    weights = dropout(weights, dropout_p)
    return (weights @ value).to(dtype)
