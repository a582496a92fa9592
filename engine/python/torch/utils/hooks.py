"""Handles for registered hooks, and the two-sided backward hook of Module."""

import warnings
import weakref

import torch


class RemovableHandle:
    """What register_*_hook returns: `remove()` takes the hook out again; usable in a with-statement."""

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extras = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict] if extra_dict is not None else []
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extras)

    def remove(self):
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __enter__(self):
        return self

    def __exit__(self, type, value, tb):
        self.remove()


class _Watch(torch.autograd.Function):
    """Identity on several tensors whose backward shows all their gradients to `see` at once."""

    @staticmethod
    def forward(ctx, see, *tensors):
        ctx.see = see
        ctx.set_materialize_grads(False)
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        replaced = ctx.see(grads)
        return (None, *(grads if replaced is None else replaced))


class BackwardHook:
    """Runs full backward (pre-)hooks of one module call: it watches the gradients of the call's outputs and inputs."""

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs = None
        self.has_input = False
        self.n_inputs = 0
        self.input_positions = ()

    def _watch(self, args, see):
        """Wraps the tensors of `args` that require grad; returns (new args, their positions)."""
        positions = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad]
        if not positions or not torch.is_grad_enabled():
            return args, []
        watched = _Watch.apply(see, *(args[i] for i in positions))
        result = list(args)
        for i, tensor in zip(positions, watched):
            result[i] = tensor
        return tuple(result), positions

    @staticmethod
    def _spread(grads, positions, length):
        full = [None] * length
        for i, g in zip(positions, grads):
            full[i] = g
        return tuple(full)

    def _run_user_hooks(self, grad_inputs):
        for hook in self.user_hooks:
            replaced = hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is None:
                continue
            if not isinstance(replaced, tuple):
                replaced = (replaced,)
            if len(replaced) != len(grad_inputs):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {len(grad_inputs)}"
                )
            grad_inputs = replaced
        return grad_inputs

    def setup_input_hook(self, args):
        def see(grads):
            grad_inputs = self._spread(grads, self.input_positions, self.n_inputs)
            grad_inputs = self._run_user_hooks(grad_inputs)
            self.grad_outputs = None
            return tuple(grad_inputs[i] for i in self.input_positions)

        self.n_inputs = len(args)
        args, self.input_positions = self._watch(args, see)
        self.has_input = bool(self.input_positions)
        return args

    def setup_output_hook(self, result):
        is_tuple = isinstance(result, tuple)
        outputs = result if is_tuple else (result,)
        positions = []

        def see(grads):
            grad_outputs = self._spread(grads, positions, len(outputs))
            for hook in self.user_pre_hooks:
                replaced = hook(self.module, grad_outputs)
                if replaced is None:
                    continue
                if not isinstance(replaced, tuple):
                    replaced = (replaced,)
                if len(replaced) != len(grad_outputs):
                    raise RuntimeError(
                        "Backward pre hook returned an invalid number of grad_output, "
                        f"got {len(replaced)}, but expected {len(grad_outputs)}"
                    )
                grad_outputs = replaced
            self.grad_outputs = grad_outputs
            if not self.has_input and self.user_hooks:
                # No input requires grad: the hooks still run, with grad_input None for every input.
                warnings.warn(
                    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
                    "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#"
                    "torch.nn.Module.register_full_backward_hook for more details.",
                    stacklevel=5,
                )
                replaced = self._run_user_hooks((None,) * self.n_inputs)
                if any(g is not None for g in replaced):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or "
                        "None for all gradients."
                    )
                self.grad_outputs = None
            return tuple(grad_outputs[i] for i in positions)

        watched, positions = self._watch(outputs, see)
        return watched if is_tuple else watched[0]


def warn_if_has_hooks(tensor):
    """torch.save's warning about hooks that are not saved with a tensor."""
    if getattr(tensor, "_backward_hooks", None):
        warnings.warn(f"backward hook on tensor {tensor} will not be serialized.", stacklevel=2)


__all__ = ["RemovableHandle", "BackwardHook"]
