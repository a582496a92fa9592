"""no_grad, enable_grad, set_grad_enabled and inference_mode: context managers that are decorators too."""

import functools
import inspect

from .. import _C

_call = _C.call


def is_grad_enabled():
    """Whether operations are recorded for backward."""
    return bool(_call("is_grad_enabled"))


def is_inference_mode_enabled():
    """Whether inference_mode is on."""
    return bool(_call("is_inference_mode_enabled"))


class _ContextDecorator:
    """A context manager that also decorates functions and generators, with a fresh context each call."""

    def _again(self):
        return type(self)()

    def __call__(self, function):
        if inspect.isclass(function):
            raise TypeError(
                f"Decorating classes with {type(self).__name__} is not supported here; decorate the methods"
            )
        again = self._again
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generator(*args, **kwargs):
                running = function(*args, **kwargs)
                try:
                    with again():
                        item = next(running)
                    while True:
                        try:
                            sent = yield item
                        except GeneratorExit:
                            running.close()
                            raise
                        except BaseException as error:
                            with again():
                                item = running.throw(error)
                        else:
                            with again():
                                item = running.send(sent)
                except StopIteration as stop:
                    return stop.value

            return generator

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with again():
                return function(*args, **kwargs)

        return wrapped


class _NoParameter(_ContextDecorator):
    def __new__(cls, function=None):
        if function is None:
            return object.__new__(cls)
        return cls()(function)  # @torch.no_grad without parentheses

    def __init__(self, function=None):
        self.prev = False


class no_grad(_NoParameter):
    """Operations inside aren't recorded: their results don't require grad."""

    def __enter__(self):
        self.prev = is_grad_enabled()
        _call("set_grad_enabled", False)

    def __exit__(self, *exc):
        _call("set_grad_enabled", self.prev)


class enable_grad(_NoParameter):
    """Operations inside are recorded again, within no_grad."""

    def __enter__(self):
        self.prev = is_grad_enabled()
        _call("set_grad_enabled", True)

    def __exit__(self, *exc):
        _call("set_grad_enabled", self.prev)


class set_grad_enabled(_ContextDecorator):
    """Turns recording on or off at once; as a context manager, goes back at the end."""

    def __init__(self, mode):
        self.prev = is_grad_enabled()
        self.mode = mode
        _call("set_grad_enabled", bool(mode))

    def __call__(self, function):
        _call("set_grad_enabled", self.prev)
        return super().__call__(function)

    def _again(self):
        return set_grad_enabled(self.mode)

    def __enter__(self):
        _call("set_grad_enabled", bool(self.mode))

    def __exit__(self, *exc):
        _call("set_grad_enabled", self.prev)

    def __repr__(self):
        return f"set_grad_enabled(mode={self.mode})"


class inference_mode(_ContextDecorator):
    """no_grad whose tensors can never take part in autograd."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return object.__new__(cls)
        return cls()(mode)

    def __init__(self, mode=True):
        self.mode = mode if isinstance(mode, bool) else True

    def _again(self):
        return inference_mode(self.mode)

    def __enter__(self):
        self.prev = (is_inference_mode_enabled(), is_grad_enabled())
        _call("set_inference_mode", self.mode)
        _call("set_grad_enabled", not self.mode)

    def __exit__(self, *exc):
        _call("set_inference_mode", self.prev[0])
        _call("set_grad_enabled", self.prev[1])


for _c in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _c.__module__ = "torch.autograd.grad_mode"
