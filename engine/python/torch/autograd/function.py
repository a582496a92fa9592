"""torch.autograd.Function: operations with a backward of their own."""

import functools
import warnings

from .. import _C
from .._tensor import Tensor
from . import graph
from .grad_mode import no_grad

_call = _C.call


class FunctionCtx:
    """What forward leaves for backward."""

    def __init__(self):
        self._number = None
        self._to_save = ()
        self._dirty = ()
        self._non_differentiable = ()
        self.materialize_grads = True
        self.needs_input_grad = ()
        self._saved_handles = None

    def save_for_backward(self, *tensors):
        """Keeps tensors (or None) for backward, safely: a later change in place is noticed.

        Raises:
            TypeError: something else than a Tensor or None.
        """
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
                )
        self._to_save = tensors

    @property
    def saved_tensors(self):
        """The tensors that save_for_backward kept.

        Raises:
            RuntimeError: they have been freed by an earlier backward, or changed in place.
        """
        if self._number is None:
            return tuple(self._to_save)
        return tuple([_C.wrap_optional(h) for h in _call("function_saved", self._number).to_py()])

    saved_variables = saved_tensors

    def mark_dirty(self, *args):
        """Says which inputs forward changed in place; they must be returned."""
        self._dirty = args

    def mark_non_differentiable(self, *args):
        """Says which outputs have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value):
        """False: backward gets None rather than zeros for outputs that nothing used."""
        self.materialize_grads = bool(value)


class Function(FunctionCtx):
    """Base of custom differentiable operations.

    Subclasses define the static methods `forward(ctx, *args)` (or `forward(*args)` with `setup_context(ctx, inputs, output)`) and
    `backward(ctx, *grad_outputs)`, which returns one gradient or None for each argument of forward. Call them with `apply`.
    """

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Computes the outputs; nothing in it is recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Prepares the context, where forward takes none."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Computes the gradients."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    @classmethod
    def apply(cls, *args):
        """Runs forward and records the operation."""
        ctx = _new_context(cls)
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        split = cls.setup_context is not Function.setup_context
        with no_grad():
            output = cls.forward(*args) if split else cls.forward(ctx, *args)
            if split:
                cls.setup_context(ctx, args, output)
        return _record(cls, ctx, args, output)


Function.__module__ = FunctionCtx.__module__ = "torch.autograd.function"
_contexts = {}


def _new_context(cls):
    """The context object; its class carries the node's name, as PyTorch's does."""
    known = _contexts.get(cls)
    if known is None:
        known = _contexts[cls] = type(cls.__name__ + "Backward", (FunctionCtx,), {"__module__": cls.__module__})
    return known()


def _record(cls, ctx, args, output):
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    for x in ctx._dirty:
        if not any(y is x for y in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
                "modified inplace must all be outputs of the Function."
            )
    # An input returned as it is becomes a view of itself: an output must not be its own input.
    results = []
    for y in outputs:
        if isinstance(y, Tensor) and any(y is a for a in args) and not any(y is d for d in ctx._dirty):
            with no_grad():
                y = y.detach()
        results.append(y)
    differentiable = [
        y._h if isinstance(y, Tensor) and not any(o is n for n in ctx._non_differentiable) else 0
        for o, y in zip(outputs, results)
    ]
    inputs = [a._h if isinstance(a, Tensor) else 0 for a in args]
    number = graph.register(functools.partial(_backward, cls, ctx, len(args), results_meta(results)))
    recorded = _call(
        "make_function_node", number, cls.__name__ + "Backward", len(inputs), *inputs, len(differentiable), *differentiable
    )
    if recorded:
        saved = []
        for t in ctx._to_save:
            if t is None:
                saved.append(0)
                continue
            for o, y in zip(outputs, results):
                if t is o:
                    t = y
            saved.append(t._h)
        _call("function_save", number, *saved)
        ctx._number = number
        ctx._to_save = ()
    else:
        graph._callbacks.pop(number, None)
        ctx._to_save = ()
    if len(graph._callbacks) > 64:
        graph.forget_released()
    return results[0] if single else tuple(results)


def results_meta(results):
    """Shape, dtype and device of each output, for the zeros that stand for a missing gradient."""
    return [(tuple(y.shape), y.dtype, y.device.type) if isinstance(y, Tensor) else None for y in results]


def _backward(cls, ctx, arguments, outputs, grads):
    """Runs the user's backward on the output gradients; one gradient or None for each argument."""
    if ctx.materialize_grads:
        from .._creation import zeros

        grads = [
            zeros(meta[0], dtype=meta[1], device=meta[2]) if g is None and meta is not None else g
            for g, meta in zip(grads, outputs)
        ]
    result = cls.backward(ctx, *grads)
    if not isinstance(result, tuple):
        result = (result,)
    extra = result[arguments:]
    if len(result) < arguments or any(g is not None for g in extra):
        raise RuntimeError(
            f"function {cls.__name__}Backward returned an incorrect number of gradients (expected {arguments}, got {len(result)})"
        )
    for i, g in enumerate(result[:arguments]):
        if g is not None and not isinstance(g, Tensor):
            raise RuntimeError(
                f"expected Variable or None (got {type(g).__name__})"
            )
    return result[:arguments]


def once_differentiable(fn):
    """Decorates a backward that can't itself be differentiated: it runs without recording."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        with no_grad():
            outputs = fn(ctx, *args)
        return outputs

    return wrapper


class InplaceFunction(Function):
    """Function with an `inplace` flag; kept for old code."""


class NestedIOFunction(Function):
    """Not supported here."""
