"""The arithmetic of one optimizer step on one parameter, in PyTorch's order.

Hyperparameters are Python floats until they meet a tensor; every line rounds once to the tensors' dtype. Where parameter, gradient
and state agree in dtype, SGD and Adam run as one op of the engine (engine/ops/optimizer-steps.ts), which has the same bits.
"""

import torch

from .. import _C


def _agree(p, *others):
    """Whether the engine's fused step applies: one dtype, one device."""
    dtype, device = p.dtype, p.device
    return dtype.is_floating_point and all(t is None or (t.dtype is dtype and t.device == device) for t in others)


def _handle(tensor):
    return 0 if tensor is None else tensor._h


def number(value):
    """A hyperparameter as PyTorch hands it to `alpha=` and `value=`: tensors become Python numbers."""
    return value.item() if isinstance(value, torch.Tensor) else value


def sgd_update(p, grad, buffer, *, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """Updates p in place; returns the momentum buffer (None without momentum)."""
    if _agree(p, grad, buffer):
        state = buffer
        if momentum != 0 and buffer is None:
            buffer = torch.empty_like(p)
        targets = (p._h,) if momentum == 0 else (p._h, buffer._h)
        options = (number(lr), momentum, dampening, number(weight_decay), nesterov, maximize)
        _C.call("op_into", "_sgd_step", len(targets), *targets, p._h, grad._h, _handle(state), *options)
        return buffer if momentum != 0 else None
    if maximize:
        grad = -grad
    if weight_decay != 0:
        grad = grad.add(p, alpha=number(weight_decay))
    if momentum != 0:
        if buffer is None:
            buffer = grad.detach().clone()
        else:
            buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
        grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
    p.add_(grad, alpha=-number(lr))
    return buffer


def adam_update(p, grad, state, *, lr, beta1, beta2, eps, weight_decay, amsgrad, maximize, decoupled):
    """Updates p and state's exp_avg, exp_avg_sq, max_exp_avg_sq and step in place.

    In 16 bits, eps is rounded to the parameter's dtype: 1e-8 becomes 0 in float16, and a zero gradient then gives 0/0.
    """
    exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
    largest = state["max_exp_avg_sq"] if amsgrad else None
    state["step"] += 1
    step = state["step"].item()
    step_size = number(lr / (1 - beta1**step))
    correction = (1 - beta2**step) ** 0.5
    if _agree(p, grad, exp_avg, exp_avg_sq, largest):
        targets = (p._h, exp_avg._h, exp_avg_sq._h) + ((largest._h,) if amsgrad else ())
        slots = (p._h, grad._h, exp_avg._h, exp_avg_sq._h, _handle(largest))
        options = (number(lr), beta1, beta2, eps, number(weight_decay), step_size, correction, decoupled, maximize)
        _C.call("op_into", "_adam_step", len(targets), *targets, *slots, *options)
        return
    if maximize:
        grad = -grad
    if weight_decay != 0:
        if decoupled:
            p.mul_(1 - lr * weight_decay)
        else:
            grad = grad.add(p, alpha=number(weight_decay))
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    if amsgrad:
        torch.maximum(largest, exp_avg_sq, out=largest)
        exp_avg_sq = largest
    denominator = (exp_avg_sq.sqrt() / correction).add_(eps)
    p.addcdiv_(exp_avg, denominator, value=-step_size)


def rmsprop_update(p, grad, state, *, lr, alpha, eps, weight_decay, momentum, centered, maximize):
    """Updates p and state's square_avg, grad_avg, momentum_buffer and step in place."""
    square_avg = state["square_avg"]
    if maximize:
        grad = -grad
    state["step"] += 1
    if weight_decay != 0:
        grad = grad.add(p, alpha=number(weight_decay))
    square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    if centered:
        grad_avg = state["grad_avg"]
        grad_avg.lerp_(grad, 1 - alpha)
        root = square_avg.addcmul(grad_avg, grad_avg, value=-1).sqrt_()
    else:
        root = square_avg.sqrt()
    root.add_(eps)
    if momentum > 0:
        buffer = state["momentum_buffer"]
        buffer.mul_(momentum).addcdiv_(grad, root)
        p.add_(buffer, alpha=-number(lr))
    else:
        p.addcdiv_(grad, root, value=-number(lr))


def adagrad_update(p, grad, state, *, lr, lr_decay, eps, weight_decay, maximize):
    """Updates p and state's sum and step in place."""
    state["step"] += 1
    step = state["step"].item()
    if maximize:
        grad = -grad
    if weight_decay != 0:
        grad = grad.add(p, alpha=number(weight_decay))
    decayed = lr / (1 + (step - 1) * lr_decay)
    state["sum"].addcmul_(grad, grad, value=1)
    p.addcdiv_(grad, state["sum"].sqrt().add_(eps), value=-number(decayed))
