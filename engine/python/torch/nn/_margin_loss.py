"""Losses of margins and of distributions, composed of other functions. Their autocast policy is float32, as in PyTorch."""

import math

import torch

from .._autocast_policy import autocast_policy
from ._activation import logsigmoid
from ._layers import pairwise_distance
from ._loss import _reduced, _reduction

_float32 = autocast_policy(cpu="fp32", cuda="fp32")


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm. swap takes d(positive, negative) where smaller."""
    number = _reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


@_float32
def _triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction):
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.min(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input for target 1, max(0, margin - input) for target -1."""
    return _hinge_embedding_loss(input, target, margin, _reduction(reduction, size_average, reduce))


@_float32
def _hinge_embedding_loss(input, target, margin, reduction):
    zeros = torch.zeros_like(input)
    hinge = (margin - input).clamp_min(0)
    return _reduced(torch.where(target != 1, hinge, zeros) + torch.where(target != -1, input, zeros), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input)), target 1 or -1."""
    return _soft_margin_loss(input, target, _reduction(reduction, size_average, reduce))


@_float32
def _soft_margin_loss(input, target, reduction):
    return _reduced((-target * input).exp().log1p(), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Binary cross entropy of logits with targets 0 or 1, averaged over the classes. Shape [N, C] -> [N] before the reduction."""
    number = _reduction(reduction, size_average, reduce)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.sum(dim=-1) / input.size(-1), number)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Mean over the wrong classes j of max(0, margin - input[target] + input[j])^p. Shapes [N, C] and [N], or [C] and []."""
    number = _reduction(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _multi_margin_loss(input, target, p, margin, weight, number)


@_float32
def _multi_margin_loss(input, target, p, margin, weight, reduction):
    rows = input if input.dim() > 1 else input.unsqueeze(0)
    right = target.reshape(-1, 1)
    loss = (margin - rows.gather(1, right) + rows).clamp_min(0)
    loss = loss if p == 1 else loss * loss
    if weight is not None:
        loss = loss * weight[right]
    loss = loss.scatter(1, right, 0.0).sum(1) / rows.size(1)
    return _reduced(loss if input.dim() > 1 else loss.squeeze(0), reduction)


def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """exp(input) - target * input, or input - target * log(input + eps) with log_input=False. full adds Stirling's term."""
    return _poisson_nll_loss(input, target, log_input, full, eps, _reduction(reduction, size_average, reduce))


@_float32
def _poisson_nll_loss(input, target, log_input, full, eps, reduction):
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + torch.where(target > 1, stirling, torch.zeros_like(stirling))
    return _reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log var + (input - target)^2 / var) / 2, var at least eps. full adds log(2 pi) / 2.

    Raises:
        ValueError: a negative variance, or one whose shape doesn't fit.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    elif torch.any(var < 0):
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        differing = [y for x, y in zip(input.size(), var.size()) if x != y]
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif not (input.ndim == var.ndim and sum(differing) == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, _reduction(reduction))
