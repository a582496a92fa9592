"""Neural network modules, losses, initializers and functions."""

from .parameter import Buffer as Buffer
from .parameter import Parameter as Parameter
from . import functional as functional
from . import init as init
from . import modules as modules
from .modules import *  # noqa: F403
from . import utils as utils
from . import _unsupported


def __getattr__(name):
    if name in _unsupported.MODULES:
        return _unsupported.stand_in(name, _unsupported.MODULES[name])
    from .._unsupported import missing

    raise missing("torch.nn", name)
