"""torch.special: functions by their SciPy names."""

from ._pointwise import erf as erf
from ._pointwise import erfc as erfc
from ._pointwise import exp2 as exp2
from ._pointwise import expit as expit
from ._pointwise import expm1 as expm1
from ._pointwise import log1p as log1p
from ._pointwise import log_softmax as log_softmax
from ._pointwise import logit as logit
from ._pointwise import round as round
from ._pointwise import softmax as softmax
from ._pointwise import xlogy as xlogy
from ._reductions import logsumexp as logsumexp
