"""torch.random: seeds and generator states."""

from ._random import default_generator as default_generator
from ._random import fork_rng as fork_rng
from ._random import get_rng_state as get_rng_state
from ._random import initial_seed as initial_seed
from ._random import manual_seed as manual_seed
from ._random import seed as seed
from ._random import set_rng_state as set_rng_state
