"""Adagrad: gradients divided by the root of the sum of all their squares."""

import torch

from ._update import adagrad_update
from .optimizer import Optimizer, check_one_element, evaluate_closure, refuse_unsupported


class Adagrad(Optimizer):
    """s += g^2; p -= lr / (1 + t * lr_decay) * g / (sqrt(s) + eps). State exists from construction on."""

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        check_one_element(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= lr_decay:
            raise ValueError(f"Invalid lr_decay value: {lr_decay}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not 0.0 <= initial_accumulator_value:
            raise ValueError(f"Invalid initial_accumulator_value value: {initial_accumulator_value}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        refuse_unsupported("Adagrad", fused=fused, foreach=foreach, differentiable=differentiable)
        defaults = dict(
            lr=lr,
            lr_decay=lr_decay,
            eps=eps,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = torch.tensor(0.0, dtype=torch.float32)
                self.state[p]["sum"] = torch.full_like(p, initial_accumulator_value)

    @torch.no_grad()
    def step(self, closure=None):
        loss = evaluate_closure(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    adagrad_update(
                        p,
                        p.grad,
                        self.state[p],
                        lr=group["lr"],
                        lr_decay=group["lr_decay"],
                        eps=group["eps"],
                        weight_decay=group["weight_decay"],
                        maximize=group["maximize"],
                    )
        return loss
