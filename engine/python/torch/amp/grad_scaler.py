"""Dynamic loss scaling.

float16 gradients below 2^-24 vanish. GradScaler multiplies the loss by a large factor, so that gradients survive the
backward pass, divides them again before the optimizer sees them, skips the step when one is inf or NaN, and adapts the factor.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

import torch

from .. import _C


INF = float("inf")


class OptState(Enum):
    """Where an optimizer is within one iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state():
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _non_finite_check_and_unscale_(grad, found_inf, inv_scale):
    """Sets found_inf to 1 if `grad` holds an inf or NaN, and then multiplies `grad` by inv_scale, both in place.

    The check comes first: a finite gradient that becomes infinite here (inv_scale = inf) goes unnoticed.
    """
    slots = (grad._h, found_inf._h, inv_scale._h)
    _C.call("op_into", "_amp_non_finite_check_and_unscale", 2, grad._h, found_inf._h, *slots)


class GradScaler:
    """Scales losses and unscales gradients.

    init_scale: the first factor. After growth_interval steps in a row without inf or NaN it is multiplied by growth_factor
    (> 1); after a step with one, by backoff_factor (< 1). The scale is a float32 tensor made at the first scale().
    enabled=False makes every method a no-op and step() a plain optimizer.step().
    """

    def __init__(
        self,
        device="cuda",
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        self._device = device
        self._enabled = enabled
        if not enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker = None
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, funcname):
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(
                    f"Attempted {funcname} but {name} is None.  This may indicate your script did not use "
                    "scaler.scale(loss or outputs) earlier in the iteration."
                )
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev):
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=dev)
        self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=dev)

    def scale(self, outputs):
        """Multiplies a tensor, or the tensors in a (nested) list, tuple or other iterable, by the scale.

        Types follow promotion: a 0-dim float16 loss gives float32, a 1-d float16 tensor stays float16 and may overflow.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            result = outputs * self._scale.to(outputs.device)
            self._note("scale")
            return result
        if isinstance(outputs, Iterable):
            scaled = map(self._scale_each, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _scale_each(self, value):
        return self.scale(value)

    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
        """Checks and unscales all gradients. Returns {device: found_inf}, empty if there are no gradients."""
        found = {}
        inverse = {}
        with torch.no_grad():
            grads = []
            for group in optimizer.param_groups:
                for param in group["params"]:
                    if not isinstance(param, torch.Tensor):
                        raise AssertionError(f"expected param to be torch.Tensor, got {type(param).__name__}")
                    if param.grad is None:
                        continue
                    if not allow_fp16 and param.grad.dtype == torch.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    grads.append(param.grad)
            for grad in grads:
                device = grad.device
                if device not in found:
                    same = device == found_inf.device
                    found[device] = found_inf if same else found_inf.to(device)
                    inverse[device] = inv_scale if same else inv_scale.to(device)
                _non_finite_check_and_unscale_(grad, found[device], inverse[device])
        return found

    def unscale_(self, optimizer):
        """Divides the optimizer's gradients by the scale (as a product with its inverse), in place, and notes inf and NaN.

        Optional, once per step(): call it to see or clip true gradients. Errors: ValueError for float16 gradients;
        RuntimeError when called twice or after step().
        """
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # Correctly rounded; PyTorch's detour by double precision gives the same. There is no lower bound, and 1 / 0 is inf.
        inv_scale = self._scale.reciprocal()
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=self._scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inv_scale, found_inf, False)
        state["stage"] = OptState.UNSCALED
        self._note("unscale_")

    def _maybe_opt_step(self, optimizer, optimizer_state, *args, **kwargs):
        found = sum(v.item() for v in optimizer_state["found_inf_per_device"].values())
        self._note("step", found_inf=int(found > 0), skipped=bool(found))
        if found:
            return None
        return optimizer.step(*args, **kwargs)

    def step(self, optimizer, *args, **kwargs):
        """unscale_() if that has not happened, then optimizer.step(*args, **kwargs) unless a gradient was inf or NaN.

        Returns what optimizer.step returns, None when skipped. Errors: AssertionError when no parameter had a gradient;
        RuntimeError for a second step() before update(), and for closure=.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Adapts the scale once all optimizers have stepped: the end of an iteration. new_scale: a float or a 0-dim tensor
        that replaces it; the count of clean steps then stays."""
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is None:
            found = [f for s in self._per_optimizer_states.values() for f in s["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            found_inf = found[0] if len(found) == 1 else sum(f.to(scale.device) for f in found)
            handles = (scale._h, tracker._h)
            factors = (self._growth_factor, self._backoff_factor, self._growth_interval)
            _C.call("op_into", "_amp_update_scale", 2, *handles, *handles, found_inf.to(scale.device)._h, *factors)
        elif isinstance(new_scale, float):
            scale.fill_(new_scale)
        else:
            reason = (
                "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                "torch.FloatTensor with requires_grad=False."
            )
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad is True:
                raise AssertionError(reason)
            scale.copy_(new_scale)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)
        self._note("update")

    def _note(self, event, **detail):
        """Adds an event to the trace: the scale after it, and for a step whether it was skipped."""
        if _C.call("trace_on"):
            scale = self._scale.item()
            detail["scale"] = scale if abs(scale) < INF else str(scale)
            _C.call("trace_note", f"GradScaler.{event}", "scaler", json.dumps(detail))

    def _get_scale_async(self):
        return self._scale

    def get_scale(self):
        """The current scale as a float; 1.0 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """Factor of growth."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Sets the factor of growth."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """Factor of back-off."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Sets the factor of back-off."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """Clean steps in a row before growth."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Sets the interval of growth."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self):
        """Whether scaling is on."""
        return self._enabled

    def state_dict(self):
        """scale, growth_factor, backoff_factor, growth_interval, _growth_tracker; {} when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict):
        """Takes over a state_dict(). Errors: RuntimeError for the empty one of a disabled scaler."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

    def _found_inf_per_device(self, optimizer):
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
