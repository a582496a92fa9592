"""Module: a tree of parameters, buffers and submodules with a forward."""

import warnings
from collections import OrderedDict

import torch

from ..parameter import Buffer, Parameter
from ._hooks import Hooks
from ._state_dict import StateDict


def _indented(text, spaces):
    """All lines but the first moved right."""
    return text.replace("\n", "\n" + " " * spaces)


class Module(Hooks, StateDict):
    """Base class of all neural network modules.

    Assigning a Parameter, a Module or a Buffer to an attribute registers it. Subclasses call super().__init__() first
    and define forward().
    """

    call_super_init = False
    dump_patches = False

    def __init__(self, *args, **kwargs):
        if self.call_super_init is False and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if self.call_super_init is False and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        # Through __dict__: __setattr__ needs these to exist.
        self.__dict__.update(
            training=True,
            _parameters={},
            _buffers={},
            _non_persistent_buffers_set=set(),
            _backward_pre_hooks=OrderedDict(),
            _backward_hooks=OrderedDict(),
            _forward_hooks=OrderedDict(),
            _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(),
            _forward_pre_hooks=OrderedDict(),
            _forward_pre_hooks_with_kwargs=OrderedDict(),
            _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(),
            _modules={},
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # Registration

    def _check_name(self, kind, name, members):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
        if kind == "module" and hasattr(self, name) and name not in members:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f"{kind} name can't contain \".\"" + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f"{kind} name can't be empty string \"\"")
        if hasattr(self, name) and name not in members:
            raise KeyError(f"attribute '{name}' already exists")

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that is state but not a parameter. persistent=False leaves it out of state_dict()."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(
                f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Adds a Parameter, or None for one that is absent (as the bias of Linear(bias=False))."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{torch.typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def add_module(self, name, module):
        """Adds a child module (or None) under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    def register_module(self, name, module):
        """The same as add_module."""
        self.add_module(name, module)

    # Attributes

    def __getattr__(self, name):
        for kind in ("_parameters", "_buffers", "_modules"):
            members = self.__dict__.get(kind)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _forget(self, name, *kinds):
        self.__dict__.pop(name, None)
        for kind in kinds:
            self.__dict__[kind].pop(name, None)
        if "_buffers" in kinds:
            self._non_persistent_buffers_set.discard(name)

    def __setattr__(self, name, value):
        own = self.__dict__
        params, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            modules[name] = value
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = value
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name):
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                if kind == "_buffers":
                    self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    # Looking members up by dotted name

    def get_submodule(self, target):
        """The module at a dotted path; "" is this module itself."""
        module = self
        for item in target.split(".") if target else ():
            if not hasattr(module, item):
                raise AttributeError(module._get_name() + " has no attribute `" + item + "`")
            module = getattr(module, item)
            if not isinstance(module, Module):
                raise AttributeError("`" + item + "` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Replaces (strict=True: only replaces) the module at a dotted path."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, last = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, last):
            raise AttributeError(parent._get_name() + " has no attribute `" + last + "`")
        if hasattr(parent, last) and not isinstance(getattr(parent, last), Module):
            raise AttributeError("`" + last + "` is not an nn.Module")
        setattr(parent, last, module)

    def _get_member(self, target, is_right_kind, kind):
        path, _, last = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, last):
            raise AttributeError(module._get_name() + " has no attribute `" + last + "`")
        if not is_right_kind(module, last):
            raise AttributeError("`" + last + "` is not " + kind)
        return getattr(module, last)

    def get_parameter(self, target):
        """The parameter at a dotted path."""
        return self._get_member(target, lambda m, n: isinstance(getattr(m, n), Parameter), "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer at a dotted path."""
        return self._get_member(target, lambda m, n: n in m._buffers, "a buffer")

    # Iteration

    def _named_members(self, members_of, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for module_prefix, module in modules:
            for name, member in members_of(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield module_prefix + ("." if module_prefix else "") + name, member

    def parameters(self, recurse=True):
        """Iterates over parameters, each once; own first, then the children's in order of registration."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, parameter) pairs."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Iterates over buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(dotted name, buffer) pairs."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        """Immediate child modules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """(name, module) pairs of immediate children."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self):
        """This module and all its descendants, each once."""
        for _, module in self.named_modules():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(dotted name, module) pairs of this module ("") and all its descendants."""
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, below, remove_duplicate)

    # Conversion

    def _apply(self, fn, recurse=True):
        """Replaces every parameter's data, its gradient's data, and every buffer by fn of it. Parameters stay the same
        objects, so optimizers keep pointing at them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            grad = param.grad
            with torch.no_grad():
                param.data = fn(param)
                if grad is not None:
                    grad.data = fn(grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn):
        """Calls fn on every descendant, then on this module. Returns self."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args, **kwargs):
        """to(device), to(dtype), to(device, dtype), to(tensor). Only floating point members change dtype. In place."""
        device, dtype, non_blocking = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(t):
            new_dtype = dtype if dtype is not None and t.is_floating_point() else t.dtype
            return t.to(device=t.device if device is None else device, dtype=new_dtype, non_blocking=non_blocking)

        return self._apply(convert)

    def type(self, dst_type):
        """Casts all parameters and buffers, integers too."""
        return self._apply(lambda t: t.type(dst_type))

    def _to_floating(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self):
        """Casts floating point members to float32."""
        return self._to_floating(torch.float32)

    def double(self):
        """Casts floating point members to float64."""
        return self._to_floating(torch.float64)

    def half(self):
        """Casts floating point members to float16."""
        return self._to_floating(torch.float16)

    def bfloat16(self):
        """Casts floating point members to bfloat16."""
        return self._to_floating(torch.bfloat16)

    def cuda(self, device=None):
        """Moves everything to the "cuda" device."""
        return self._apply(lambda t: t.cuda(device) if device is not None else t.cuda())

    def cpu(self):
        """Moves everything to the CPU."""
        return self._apply(lambda t: t.cpu())

    def to_empty(self, *, device, recurse=True):
        """Moves to a device without copying values."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    # Modes and gradients

    def train(self, mode=True):
        """Sets training mode on this module and all descendants."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """train(False)."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Sets requires_grad on every parameter."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drops (or zeroes) every parameter's gradient."""
        if getattr(self, "_is_replica", False):
            warnings.warn("Calling .zero_grad() from a module created with nn.DataParallel() has no effect.")
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
                param.grad.zero_()

    def share_memory(self):
        """Sharing memory between processes has no meaning in this engine."""
        raise NotImplementedError("Module.share_memory is not supported: there is one process only.")

    def compile(self, *args, **kwargs):
        """torch.compile has no counterpart in this engine."""
        raise NotImplementedError("Module.compile is not supported: ops run eagerly; call the module itself.")

    # Printing

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What repr() shows in the parentheses besides children."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({key}): {_indented(repr(module), 2)}" for key, module in self._modules.items()]
        lines = extra_lines + child_lines
        if not lines:
            body = ""
        elif len(extra_lines) == 1 and not child_lines:
            body = extra_lines[0]
        else:
            body = "\n  " + "\n  ".join(lines) + "\n"
        return f"{self._get_name()}({body})"


def _parse_to(*args, **kwargs):
    """The arguments of Module.to as (device, dtype, non_blocking). Errors: TypeError naming what was not understood."""
    device = kwargs.pop("device", None)
    dtype = kwargs.pop("dtype", None)
    non_blocking = kwargs.pop("non_blocking", False)
    other = kwargs.pop("tensor", None)
    kwargs.pop("copy", None)  # a module is converted in place either way
    memory_format = kwargs.pop("memory_format", None)
    if memory_format is not None:
        raise NotImplementedError("Module.to(memory_format=...) is not supported; tensors are contiguous.")
    if kwargs:
        raise TypeError(f"to() received an unexpected keyword argument '{next(iter(kwargs))}'")
    rest = list(args)
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
    elif rest and isinstance(rest[0], torch.dtype):
        dtype = rest.pop(0)
    elif rest:
        device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], torch.dtype)):
            dtype = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        rest.pop(0)
    if other is not None:
        device, dtype = other.device, other.dtype
    if rest or not (device is None or isinstance(device, (str, int, torch.device))):
        bad = rest[0] if rest else device
        raise TypeError(f"to() received an invalid combination of arguments - got {torch.typename(bad)}")
    return (None if device is None else torch.device(device)), dtype, non_blocking
