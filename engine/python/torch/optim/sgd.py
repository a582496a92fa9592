"""Stochastic gradient descent with momentum."""

import torch

from ._update import sgd_update
from .optimizer import Optimizer, check_one_element, evaluate_closure, refuse_unsupported


class SGD(Optimizer):
    """p -= lr * g, with weight decay, momentum and Nesterov's variant.

    g += weight_decay * p; buf = momentum * buf + (1 - dampening) * g (the first step takes buf = g, undamped);
    g = g + momentum * buf if nesterov, else buf. maximize negates g. foreach gives the same bits either way.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        check_one_element(lr)
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = dict(
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)
        refuse_unsupported("SGD", fused=fused, foreach=foreach, differentiable=differentiable)

    @torch.no_grad()
    def step(self, closure=None):
        loss = evaluate_closure(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p] if group["momentum"] != 0 else None
                buffer = None if state is None else state.get("momentum_buffer")
                buffer = sgd_update(
                    p,
                    p.grad,
                    buffer,
                    lr=group["lr"],
                    momentum=group["momentum"],
                    dampening=group["dampening"],
                    weight_decay=group["weight_decay"],
                    nesterov=group["nesterov"],
                    maximize=group["maximize"],
                )
                if state is not None:
                    state["momentum_buffer"] = buffer
        return loss
