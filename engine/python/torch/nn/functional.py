"""torch.nn.functional: layers, activations and losses as functions."""

from . import _unsupported
from ._activation import *  # noqa: F403
from ._layers import (
    batch_norm,
    bilinear,
    cosine_similarity,
    dropout,
    embedding,
    group_norm,
    layer_norm,
    linear,
    normalize,
    one_hot,
    pad,
    pairwise_distance,
    rms_norm,
    scaled_dot_product_attention,
)
from ._loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from ._margin_loss import (
    gaussian_nll_loss,
    hinge_embedding_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
)


def __getattr__(name):
    if name in _unsupported.FUNCTIONS:

        def function(*args, **kwargs):
            _unsupported.refuse("nn.functional", name, _unsupported.FUNCTIONS[name])

        function.__name__ = name
        return function
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")
