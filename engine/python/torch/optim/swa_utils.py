"""Averages of a model's weights over training steps."""

import itertools
from copy import deepcopy

import torch

from ..nn.modules.module import Module


def get_ema_avg_fn(decay=0.999):
    """Exponential moving average: decay * average + (1 - decay) * current."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    @torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """Equal average of all models so far."""

    @torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model that holds the average of the weights it is shown with update_parameters().

    avg_fn(average, current, n_averaged) gives the new average; default: equal average. use_buffers averages buffers too,
    otherwise they are copied. n_averaged counts updates.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if multi_avg_fn is not None:
            raise NotImplementedError("AveragedModel(multi_avg_fn=...) is not supported; pass avg_fn, which gets one tensor.")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn if avg_fn is not None else get_swa_avg_fn()
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Takes the model's present weights into the average."""

        def tensors(m):
            return itertools.chain(m.parameters(), m.buffers()) if self.use_buffers else m.parameters()

        count = self.n_averaged.item()
        with torch.no_grad():
            for average, current in zip(tensors(self.module), tensors(model)):
                current = current.detach().to(average.device)
                if count == 0:
                    average.copy_(current)
                else:
                    average.copy_(self.avg_fn(average.detach(), current, count))
            if not self.use_buffers:
                for own, current in zip(self.module.buffers(), model.buffers()):
                    own.copy_(current.detach().to(own.device))
            self.n_averaged.add_(1)
