"""The deprecated names of torch.amp for the "cpu" device."""

from warnings import deprecated

import torch

from ..amp import autocast_mode, grad_scaler


@deprecated(
    "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
    category=FutureWarning,
)
class autocast(autocast_mode.autocast):
    """torch.amp.autocast("cpu", ...)."""

    def __init__(self, enabled=True, dtype=torch.bfloat16, cache_enabled=True):
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """torch.amp.GradScaler("cpu", ...)."""

    @deprecated(
        "`torch.cpu.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cpu', args...)` instead.",
        category=FutureWarning,
    )
    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
