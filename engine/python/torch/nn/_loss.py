"""Loss functions of torch.nn.functional."""

import warnings

import torch

from .. import _C
from .._autocast_policy import autocast_policy

_ops = _C.ops

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(reduction, size_average=None, reduce=None):
    """PyTorch's number for a reduction. The legacy pair size_average, reduce overrides it, with a warning."""
    if size_average is not None or reduce is not None:
        size_average = True if size_average is None else size_average
        reduce = True if reduce is None else reduce
        reduction = "mean" if size_average and reduce else "sum" if reduce else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=3,
        )
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]


def _reduced(loss, reduction):
    return loss if reduction == 0 else loss.mean() if reduction == 1 else loss.sum()


def _broadcast(input, target):
    """Both at their common shape, with PyTorch's warning where they differ: (N, 1) against (N,) gives an N x N table."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )
        return torch.broadcast_tensors(input, target)
    return input, target


def _refuse_weight(name, weight):
    if weight is not None:
        raise NotImplementedError(f"F.{name}(weight=...) is not supported by this engine; multiply with reduction='none'.")


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target)^2, averaged, summed or neither."""
    _refuse_weight("mse_loss", weight)
    input, target = _broadcast(input, target)
    return _ops.mse_loss(input, target, _reduction(reduction, size_average, reduce))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|input - target|."""
    _refuse_weight("l1_loss", weight)
    input, target = _broadcast(input, target)
    return _ops.l1_loss(input, target, _reduction(reduction, size_average, reduce))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """d^2 / (2 beta) for |d| < beta, else |d| - beta / 2."""
    input, target = _broadcast(input, target)
    number = _reduction(reduction, size_average, reduce)
    if beta == 0.0:
        return _ops.l1_loss(input, target, number)
    return _ops.smooth_l1_loss(input, target, number, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d^2 / 2 for |d| <= delta, else delta * (|d| - delta / 2)."""
    _refuse_weight("huber_loss", weight)
    input, target = _broadcast(input, target)
    return _ops.huber_loss(input, target, _reduction(reduction), delta)


def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """-log softmax(input)[target]. input: (C), (N, C) or (N, C, d1, …) logits; target: class indices, or probabilities of
    input's shape. Errors: as PyTorch's, IndexError for a class out of range."""
    number = _reduction(reduction, size_average, reduce)
    return _cross_entropy(input, target, weight, number, ignore_index, label_smoothing)


@autocast_policy(cpu="fp32")
def _cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing):
    if input.size() == target.size():
        return _cross_entropy_with_probabilities(input, target, weight, reduction, label_smoothing)
    if label_smoothing > 0.0:
        return _cross_entropy_smoothed(input, target, weight, reduction, ignore_index, label_smoothing)
    class_dim = 0 if input.dim() == 1 else 1
    return _nll_loss(_ops.log_softmax(input, class_dim, None), target, weight, reduction, ignore_index)


def _check_smoothing(label_smoothing):
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")


def _per_class(weight, input, class_dim):
    return weight.view([-1 if i == class_dim else 1 for i in range(input.dim())])


def _cross_entropy_with_probabilities(input, target, weight, reduction, label_smoothing):
    if not target.is_floating_point():
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got " + target.dtype._scalar_name
        )
    _check_smoothing(label_smoothing)
    class_dim = 0 if input.dim() == 1 else 1
    classes = input.size(class_dim)
    if label_smoothing > 0.0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    product = _ops.log_softmax(input, class_dim, None) * target
    if weight is not None:
        product = product * _per_class(weight, input, class_dim)
    if reduction == 0:
        return -product.sum(class_dim)
    if reduction == 2:
        return -product.sum()
    return -product.sum() / (input.numel() // classes)


def _cross_entropy_smoothed(input, target, weight, reduction, ignore_index, label_smoothing):
    """(1 - s) * nll + s / C * (-sum over classes of log softmax)."""
    _check_smoothing(label_smoothing)
    class_dim = 0 if input.dim() == 1 else 1
    classes = input.size(class_dim)
    log_p = _ops.log_softmax(input, class_dim, None)
    nll = _nll_loss(log_p, target, weight, reduction, ignore_index)
    if weight is not None:
        smooth = -(log_p * _per_class(weight, input, class_dim)).sum(class_dim)
    else:
        smooth = -log_p.sum(class_dim)
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == 1:
        if weight is not None:
            present = target.masked_fill(ignored, 0)
            smooth = smooth.sum() / weight.gather(0, present.flatten()).masked_fill(ignored.flatten(), 0).sum()
        else:
            smooth = smooth.sum() / ignored.logical_not().sum()
    elif reduction == 2:
        smooth = smooth.sum()
    return (1 - label_smoothing) * nll + smooth * (label_smoothing / classes)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """-input[target] for log-probabilities of shape (C), (N, C) or (N, C, d1, …)."""
    return _nll_loss(input, target, weight, _reduction(reduction, size_average, reduce), ignore_index)


def _nll_loss(input, target, weight, reduction, ignore_index):
    if input.dim() == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.dim() != 1 and input.size(0) != target.size(0):
        raise ValueError(
            f"Expected input batch_size ({input.size(0)}) to match target batch_size ({target.size(0)})."
        )
    if input.dim() <= 2:
        return _ops.nll_loss(input, target, weight, reduction, ignore_index)
    # (N, C, d1, …): one row for each position, classes last.
    n, c, *rest = input.shape
    if list(target.shape[1:]) != rest:
        raise RuntimeError(f"Expected target size {[n, *rest]}, got {list(target.shape)}")
    rows = input.movedim(1, -1).reshape(-1, c)
    loss = _ops.nll_loss(rows, target.reshape(-1), weight, reduction, ignore_index)
    return loss.view(n, *rest) if reduction == 0 else loss


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(t log p + (1 - t) log(1 - p)), logarithms at least -100. Errors: RuntimeError for p outside [0, 1] or under cuda autocast."""
    number = _reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(weight.size(), target.size()))
    return _ops.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """Binary cross entropy of sigmoid(input), without overflow. pos_weight multiplies the loss of positives."""
    number = _reduction(reduction, size_average, reduce)
    if not (target.size() == input.size()):
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log target - input), input in log space. reduction="batchmean" divides the sum by the batch size."""
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    batchmean = reduction == "batchmean"
    number = 2 if batchmean else _reduction(reduction, size_average, reduce)
    loss = _kl_div(input, target, number, log_target)
    return loss / input.size(0) if batchmean and input.dim() != 0 else loss


@autocast_policy(cpu="fp32", cuda="fp32")
def _kl_div(input, target, reduction, log_target):
    if log_target:
        return _reduced(target.exp() * (target - input), reduction)
    return _reduced(torch.xlogy(target, target) - target * input, reduction)


def cosine_embedding_loss(
    input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"
):
    """1 - cos for target 1, max(0, cos - margin) for target -1."""
    return _cosine_embedding_loss(input1, input2, target, margin, _reduction(reduction, size_average, reduce))


@autocast_policy(cpu="fp32", cuda="fp32")
def _cosine_embedding_loss(input1, input2, target, margin, reduction):
    dim = target.dim()
    eps = 1e-12  # aten/src/ATen/native/Loss.cpp, EPSILON
    dot = (input1 * input2).sum(dim)
    square1 = (input1 * input1).sum(dim) + eps
    square2 = (input2 * input2).sum(dim) + eps
    cos = dot / (square1 * square2).sqrt()
    zeros = torch.zeros_like(cos)
    loss = torch.where(target == 1, 1 - cos, zeros) + torch.where(target == -1, (cos - margin).clamp_min(0), zeros)
    return _reduced(loss, reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin)."""
    number = _reduction(reduction, size_average, reduce)
    return _margin_ranking_loss(input1, input2, target, margin, number)


@autocast_policy(cpu="fp32", cuda="fp32")
def _margin_ranking_loss(input1, input2, target, margin, reduction):
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)
