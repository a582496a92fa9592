"""Parameter and Buffer: tensors that a Module notices when they are assigned to it."""

from collections import OrderedDict

import torch


class Parameter(torch.Tensor):
    """A tensor that is a module's parameter. Shares `data`'s storage; requires grad unless told otherwise.

    Errors: RuntimeError if an integer tensor is asked to require grad.
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        data = data.detach()
        if requires_grad and not data.is_floating_point():
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return torch.Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self, *, tensor_contents=None):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol):
        return _rebuild_parameter, (self.detach(), self.requires_grad, OrderedDict())


def _rebuild_parameter(data, requires_grad, backward_hooks):
    return Parameter(data, requires_grad)


class Buffer(torch.Tensor):
    """A tensor that is a module's buffer: it is saved (if persistent) and moves with the module, and is not optimized."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = torch.empty(0)
        result = torch.Tensor._make_subclass(cls, data, data.requires_grad)
        result.persistent = persistent
        return result
