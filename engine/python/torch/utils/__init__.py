"""Data loading, checkpointing and hooks."""

from . import checkpoint as checkpoint
from . import data as data
from . import hooks as hooks
