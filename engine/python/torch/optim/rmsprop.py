"""RMSprop: gradients divided by a running root mean square."""

import torch

from ._update import rmsprop_update
from .optimizer import Optimizer, check_one_element, evaluate_closure, refuse_unsupported


class RMSprop(Optimizer):
    """v = alpha * v + (1 - alpha) * g^2; p -= lr * g / (sqrt(v) + eps). centered subtracts the squared mean gradient."""

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_one_element(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if not 0.0 <= momentum:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not 0.0 <= alpha:
            raise ValueError(f"Invalid alpha value: {alpha}")
        refuse_unsupported("RMSprop", capturable=capturable, differentiable=differentiable)
        defaults = dict(
            lr=lr,
            momentum=momentum,
            alpha=alpha,
            eps=eps,
            centered=centered,
            weight_decay=weight_decay,
            capturable=capturable,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def _state_of(self, p, group):
        state = self.state[p]
        if not state:
            state["step"] = torch.tensor(0.0, dtype=torch.float32)
            state["square_avg"] = torch.zeros_like(p)
            if group["momentum"] > 0:
                state["momentum_buffer"] = torch.zeros_like(p)
            if group["centered"]:
                state["grad_avg"] = torch.zeros_like(p)
        return state

    @torch.no_grad()
    def step(self, closure=None):
        loss = evaluate_closure(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    rmsprop_update(
                        p,
                        p.grad,
                        self._state_of(p, group),
                        lr=group["lr"],
                        alpha=group["alpha"],
                        eps=group["eps"],
                        weight_decay=group["weight_decay"],
                        momentum=group["momentum"],
                        centered=group["centered"],
                        maximize=group["maximize"],
                    )
        return loss
