"""Adam, with or without AMSGrad, and with L2 or decoupled weight decay."""

import torch

from ._update import adam_update
from .optimizer import Optimizer, check_one_element, evaluate_closure, refuse_unsupported


class Adam(Optimizer):
    """Adam (Kingma & Ba 2014): p -= lr * m_hat / (sqrt(v_hat) + eps).

    State of each parameter, made at its first step: "step" (float32, on the CPU), "exp_avg" and "exp_avg_sq" in the
    parameter's dtype, "max_exp_avg_sq" with amsgrad. decoupled_weight_decay=True is AdamW's rule. foreach gives the same
    bits either way.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        if isinstance(lr, torch.Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_one_element(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if not 0.0 <= betas[0] < 1.0:
            raise ValueError(f"Invalid beta parameter at index 0: {betas[0]}")
        if not 0.0 <= betas[1] < 1.0:
            raise ValueError(f"Invalid beta parameter at index 1: {betas[1]}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not (all(isinstance(b, float) for b in betas) or all(isinstance(b, torch.Tensor) for b in betas)):
            raise ValueError("betas must be either both floats or both Tensors")
        if isinstance(betas[0], torch.Tensor):
            raise NotImplementedError(f"torch.optim.{type(self).__name__}: betas as Tensors are not supported; pass floats.")
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        )
        super().__init__(params, defaults)
        refuse_unsupported(
            type(self).__name__, fused=fused, foreach=foreach, capturable=capturable, differentiable=differentiable
        )

    def _state_of(self, p, amsgrad):
        state = self.state[p]
        if not state:
            state["step"] = torch.tensor(0.0, dtype=torch.float32)
            state["exp_avg"] = torch.zeros_like(p)
            state["exp_avg_sq"] = torch.zeros_like(p)
            if amsgrad:
                state["max_exp_avg_sq"] = torch.zeros_like(p)
        return state

    @torch.no_grad()
    def step(self, closure=None):
        loss = evaluate_closure(closure)
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                adam_update(
                    p,
                    p.grad,
                    self._state_of(p, group["amsgrad"]),
                    lr=group["lr"],
                    beta1=beta1,
                    beta2=beta2,
                    eps=group["eps"],
                    weight_decay=group["weight_decay"],
                    amsgrad=group["amsgrad"],
                    maximize=group["maximize"],
                    decoupled=group["decoupled_weight_decay"],
                )
        return loss
