"""torch.autograd: backward, grad, custom functions and the modes."""

from .. import _C
from .._tensor import Tensor
from . import functional, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "functional", "grad", "gradcheck", "gradgradcheck",
    "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip

Variable = Tensor

_call = _C.call

# Flags of the bridge's backward_start.
_RETAIN, _CREATE, _ACCUMULATE, _ALLOW_UNUSED = 1, 2, 4, 8


def _tuple(x):
    return (x,) if isinstance(x, Tensor) or x is None else tuple(x)


def _prepare(outputs, grads):
    if grads is None:
        grads = (None,) * len(outputs)
    if len(grads) != len(outputs):
        raise RuntimeError(
            f"got {len(outputs)} tensors and {len(grads)} gradients"
        )
    for y, g in zip(outputs, grads):
        if not isinstance(y, Tensor):
            raise TypeError(f"expected a Tensor or GradientEdge, but got {type(y).__name__}")
        if g is not None and not isinstance(g, Tensor):
            raise TypeError("gradients can be either Tensors or None, but got " + type(g).__name__)
    return grads


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of `tensors` to `.grad` of the leaves.

    Args:
        grad_tensors: the gradient with respect to each tensor; may be None for those of one element.
        retain_graph: keep what backward needs, for another call; defaults to create_graph.
        create_graph: record the backward, so that gradients can be differentiated.
        inputs: only these tensors get gradients.
    """
    outputs = _tuple(tensors)
    if inputs is not None:
        inputs = _tuple(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = _prepare(outputs, _tuple(grad_tensors) if grad_tensors is not None else None)
    flags = (_RETAIN if (create_graph if retain_graph is None else retain_graph) else 0) | (_CREATE if create_graph else 0)
    run = _start(flags | _ACCUMULATE, outputs, grads, inputs)
    _drive(run)
    _call("backward_end", run)
    graph.forget_released()


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
    is_grads_batched=False, materialize_grads=False,
):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; nothing is added to `.grad`.

    Raises:
        RuntimeError: an input wasn't used and allow_unused is false.
    """
    if is_grads_batched:
        raise NotImplementedError("autograd.grad with is_grads_batched=True is not supported here")
    if not only_inputs:
        raise NotImplementedError("autograd.grad with only_inputs=False is not supported here")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    outputs, inputs = _tuple(outputs), _tuple(inputs)
    if not inputs:
        raise ValueError("grad requires non-empty inputs.")
    grads = _prepare(outputs, _tuple(grad_outputs) if grad_outputs is not None else None)
    flags = (
        (_RETAIN if (create_graph if retain_graph is None else retain_graph) else 0)
        | (_CREATE if create_graph else 0)
        | (_ALLOW_UNUSED if allow_unused or materialize_grads else 0)
    )
    run = _start(flags, outputs, grads, inputs)
    _drive(run)
    results = tuple([_C.wrap_optional(h) for h in _call("backward_results", run).to_py()])
    graph.forget_released()
    if materialize_grads:
        from .._creation import zeros_like

        results = tuple([zeros_like(x) if g is None else g for g, x in zip(results, inputs)])
    return results


def _start(flags, outputs, grads, inputs):
    return _call(
        "backward_start",
        flags,
        len(outputs),
        *[y._h for y in outputs],
        *[0 if g is None else g._h for g in grads],
        *((-1,) if inputs is None else (len(inputs), *[x._h for x in inputs])),
    )


def _drive(run):
    """Runs a backward to its end; hooks and custom functions run here, in Python, whenever the engine reaches one."""
    try:
        code = _call("backward_step", run)
        while code:
            if code == 4:
                _call("backward_wait", run)
                answer = ()
            else:
                answer = graph.answer(code, _call("backward_payload", run).to_py())
            code = _call("backward_resume", run, *[0 if g is None else g._h for g in answer])
            del answer
    except BaseException:
        _call("backward_end", run)
        raise


def __getattr__(name):
    from .._unsupported import missing

    raise missing("torch.autograd", name)
