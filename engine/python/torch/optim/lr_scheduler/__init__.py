"""Learning-rate schedules: each step() writes a new lr into every parameter group of its optimizer."""

from .base import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from .base import LRScheduler as LRScheduler
from .base import _LRScheduler as _LRScheduler
from .composed import ChainedScheduler as ChainedScheduler
from .composed import SequentialLR as SequentialLR
from .cyclic import CosineAnnealingLR as CosineAnnealingLR
from .cyclic import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from .cyclic import CyclicLR as CyclicLR
from .cyclic import OneCycleLR as OneCycleLR
from .decay import ConstantLR as ConstantLR
from .decay import ExponentialLR as ExponentialLR
from .decay import LambdaLR as LambdaLR
from .decay import LinearLR as LinearLR
from .decay import MultiplicativeLR as MultiplicativeLR
from .decay import MultiStepLR as MultiStepLR
from .decay import PolynomialLR as PolynomialLR
from .decay import StepLR as StepLR
from .plateau import ReduceLROnPlateau as ReduceLROnPlateau
