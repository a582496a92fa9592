"""Functions of torch.nn.functional that PyTorch also has in the torch namespace, with positional signatures of their own."""

from .nn import functional as _F


def dropout(input, p, train):
    """F.dropout."""
    return _F.dropout(input, p, train)


def dropout_(input, p, train):
    """F.dropout, in place."""
    return _F.dropout(input, p, train, inplace=True)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """F.layer_norm. cudnn_enable chooses an implementation; there is one here."""
    return _F.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """F.rms_norm."""
    return _F.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """F.group_norm. cudnn_enabled chooses an implementation; there is one here."""
    return _F.group_norm(input, num_groups, weight, bias, eps)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """F.embedding with the table first; padding_idx -1: none."""
    return _F.embedding(indices, weight, None if padding_idx < 0 else padding_idx, None, 2.0, scale_grad_by_freq, sparse)


def prelu(input, weight):
    """F.prelu."""
    return _F.prelu(input, weight)


def selu(input):
    """F.selu."""
    return _F.selu(input)


def celu(input, alpha=1.0):
    """F.celu."""
    return _F.celu(input, alpha)


def threshold(input, threshold, value):
    """F.threshold."""
    return _F.threshold(input, threshold, value)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    """F.pairwise_distance."""
    return _F.pairwise_distance(x1, x2, p, eps, keepdim)
