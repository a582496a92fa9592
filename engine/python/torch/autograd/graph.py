"""The graph as Python sees it: grad_fn nodes, hooks, and what backward asks Python to run."""

import itertools

from .. import _C

_call = _C.call

#: Hooks and custom functions by the number that the engine knows them by.
_callbacks = {}
_numbers = itertools.count(1)


def register(callback):
    """A number under which the engine can ask for `callback`."""
    number = next(_numbers)
    _callbacks[number] = callback
    return number


def forget_released():
    """Drops the callbacks whose tensors and nodes are gone."""
    released = _call("released_callbacks")
    for number in released.to_py():
        _callbacks.pop(number, None)


def answer(code, payload):
    """Runs what backward asks for: 1 a hook, 2 a post-accumulate hook, 3 a Function's backward."""
    callback = _callbacks[payload[0]]
    if code == 1:
        grad = _C.wrap(payload[1])
        result = callback(grad)
        if result is None:
            return (None,)
        if not isinstance(result, _C._Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
        return (result,)
    if code == 2:
        callback(_C.wrap(payload[1]))
        return ()
    grads = [_C.wrap_optional(h) for h in payload[2:]]
    return callback(grads)


class _HookHandle:
    """Removes a hook from the engine; torch.utils.hooks.RemovableHandle's interface."""

    def __init__(self, tensor, number):
        self._tensor, self._number = tensor, number
        self.id = number

    def remove(self):
        """Takes the hook off; once is enough."""
        if self._tensor is not None:
            _call("remove_hook", self._tensor._h, self._number)
            _callbacks.pop(self._number, None)
            self._tensor = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_tensor_hook(tensor, hook):
    """Tensor.register_hook."""
    number = register(hook)
    _call("add_hook", tensor._h, number, getattr(hook, "__name__", "<unknown>"))
    return _HookHandle(tensor, number)


def register_post_accumulate_hook(tensor, hook):
    """Tensor.register_post_accumulate_grad_hook."""

    def call(alias):
        hook(tensor)  # the program's own object rather than another handle of it

    number = register(call)
    _call("add_post_accumulate_hook", tensor._h, number)
    return _HookHandle(tensor, number)


class Node:
    """A node of the graph. `name()` says which operation's backward it is; next_functions leads to its inputs."""

    __slots__ = ("_tensor", "_next")

    def name(self):
        kind = type(self).__name__
        return "torch::autograd::AccumulateGrad" if kind == "AccumulateGrad" else kind

    @property
    def next_functions(self):
        """((node or None, output number), …). Nodes beyond the first step know their name only."""
        if self._next is not None:
            return self._next
        names = _call("grad_fn_next", self._tensor._h)
        return tuple([(_named(n, None) if n else None, 0) for n in names.split(",")]) if names else ()

    @property
    def metadata(self):
        return {}


Node.__module__ = "torch.autograd.graph"
_classes = {}


def _named(name, tensor):
    cls = _classes.get(name)
    if cls is None:
        # "builtins", so that nodes print as <MulBackward0 object at 0x…>.
        cls = _classes[name] = type(name, (Node,), {"__slots__": (), "__module__": "builtins"})
    result = object.__new__(cls)
    result._tensor = tensor
    result._next = () if tensor is None else None
    return result


def node(tensor, name):
    """The node that made `tensor`."""
    return _named(name, tensor)
