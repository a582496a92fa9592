"""All modules of torch.nn."""

from .activation import *  # noqa: F403
from .container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .layers import CosineSimilarity, Dropout, Embedding, Flatten, PairwiseDistance, Unflatten
from .linear import Identity, Linear
from .loss import *  # noqa: F403
from .margin_loss import *  # noqa: F403
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm, RMSNorm
