"""Data loading, checkpointing and hooks."""

from . import checkpoint as checkpoint
from . import data as data
from . import hooks as hooks


def __getattr__(name):
    from .._unsupported import missing

    raise missing("torch.utils", name)
