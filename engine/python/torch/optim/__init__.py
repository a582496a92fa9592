"""Optimizers and learning-rate schedulers."""

from . import lr_scheduler as lr_scheduler
from . import swa_utils as swa_utils
from .adagrad import Adagrad as Adagrad
from .adam import Adam as Adam
from .adamw import AdamW as AdamW
from .optimizer import Optimizer as Optimizer
from .rmsprop import RMSprop as RMSprop
from .sgd import SGD as SGD

#: Optimizers that PyTorch has and this engine doesn't: they can be imported, and raise when they are made.
_MISSING = "ASGD Adadelta Adafactor Adamax LBFGS Muon NAdam RAdam Rprop SparseAdam".split()


def __getattr__(name):
    if name not in _MISSING:
        raise AttributeError(f"module 'torch.optim' has no attribute '{name}'")

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"torch.optim.{name} is not supported by this engine; SGD, Adam, AdamW, RMSprop and Adagrad are."
        )

    return type(name, (Optimizer,), {"__init__": __init__, "__doc__": f"torch.optim.{name} is not supported."})
