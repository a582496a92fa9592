"""Recomputing activations in the backward pass instead of keeping them."""

import warnings

import torch


def _autocast_state():
    """What autocast is doing now, for the recomputation to do the same."""
    return [
        (device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in ("cpu", "cuda")
    ], torch.is_autocast_cache_enabled()


class _Regions:
    """The saved autocast state, as a context."""

    def __init__(self, state):
        devices, cache = state
        self._contexts = [torch.autocast(d, dtype=t, enabled=e, cache_enabled=cache) for d, e, t in devices]

    def __enter__(self):
        for context in self._contexts:
            context.__enter__()

    def __exit__(self, *exception):
        for context in reversed(self._contexts):
            context.__exit__(*exception)


class _Recompute(torch.autograd.Function):
    """Runs a function without recording; backward runs it again, recording, and differentiates that."""

    @staticmethod
    def forward(ctx, run, preserve_rng_state, *args):
        ctx.run = run
        ctx.autocast = _autocast_state()
        ctx.rng_state = torch.get_rng_state() if preserve_rng_state else None
        ctx.tensor_positions = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
        ctx.others = [None if isinstance(a, torch.Tensor) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.tensor_positions))
        with torch.no_grad():
            return run(*args)

    @staticmethod
    def backward(ctx, *grads):
        args = list(ctx.others)
        for i, tensor in zip(ctx.tensor_positions, ctx.saved_tensors):
            args[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        now = torch.get_rng_state() if ctx.rng_state is not None else None
        if ctx.rng_state is not None:
            torch.set_rng_state(ctx.rng_state)
        try:
            with torch.enable_grad(), _Regions(ctx.autocast):
                outputs = ctx.run(*args)
        finally:
            if now is not None:
                torch.set_rng_state(now)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (o, g) for o, g in zip(outputs, grads) if isinstance(o, torch.Tensor) and o.requires_grad and g is not None
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, torch.Tensor) else None for a in args))


def checkpoint(
    function,
    *args,
    use_reentrant=None,
    context_fn=None,
    determinism_check="default",
    debug=False,
    preserve_rng_state=True,
    early_stop=True,
    **kwargs,
):
    """function(*args, **kwargs), keeping its inputs only: it runs a second time in the backward pass.

    Both variants recompute in the same way here. With use_reentrant=True no keyword arguments are allowed and at least one tensor
    argument has to require grad, as in PyTorch. Random numbers repeat, and autocast is as it was.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be "
            "passed explicitly. Starting in PyTorch 2.9, calling checkpoint "
            "without use_reentrant will raise an exception. use_reentrant=False is "
            "recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    if context_fn is not None or debug or determinism_check != "default" or early_stop is not True:
        raise NotImplementedError(
            "checkpoint: context_fn, determinism_check, debug and early_stop are not supported by this engine."
        )
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    needs_grad = any(isinstance(a, torch.Tensor) and a.requires_grad for a in args)
    if use_reentrant:
        if not needs_grad:
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)
        return _Recompute.apply(function, preserve_rng_state, *args)
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    # Without an input that requires grad, parameters used inside still need theirs: a leaf of one element stands in.
    if not needs_grad:
        anchor = torch.empty(0, requires_grad=True)
        return _Recompute.apply(lambda _, *a: function(*a, **kwargs), preserve_rng_state, anchor, *args)
    return _Recompute.apply(lambda *a: function(*a, **kwargs), preserve_rng_state, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, *, preserve_rng_state=True):
    """Runs a Sequential in `segments` pieces, checkpointing each but the last."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant "
            "parameter should be passed explicitly. "
            "In version 2.9 we will raise an exception if use_reentrant "
            "is not passed. use_reentrant=False is "
            "recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    functions = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)

    def run(start, stop):
        def forward(x):
            for function in functions[start:stop]:
                x = function(x)
            return x

        return forward

    size = len(functions) // segments
    done = 0
    for start in range(0, size * (segments - 1), size):
        done = start + size
        input = checkpoint(
            run(start, done), input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state
        )
    return run(done, len(functions))(input)
