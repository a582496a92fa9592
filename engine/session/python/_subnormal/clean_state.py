"""Every run starts as a fresh process would: what the last one patched, set, imported or left behind is undone."""

import builtins
import gc
import math
import os
import random
import sys
import time
import warnings

_saved = None


def _torch_modules():
    return [m for name, m in list(sys.modules.items()) if name == "torch" or name.startswith("torch.")]


def save():
    """Remembers the clean state. Called once; goes into the memory snapshot."""
    global _saved
    torch_modules = _torch_modules()
    classes = {
        value
        for module in torch_modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__.startswith("torch")
    }
    _saved = {
        "modules": [(m, dict(vars(m))) for m in (*torch_modules, builtins, random, time, math, warnings)],
        "classes": [(c, dict(vars(c))) for c in classes],
        "imported": set(sys.modules),
        "filters": list(warnings.filters),
        "recursion limit": sys.getrecursionlimit(),
        "path": list(sys.path),
        "environment": dict(os.environ),
    }


def save_again(*modules):
    """Takes deliberate changes to these modules into the clean state."""
    for i, (module, _) in enumerate(_saved["modules"]):
        if module in modules:
            _saved["modules"][i] = (module, dict(vars(module)))


def _restore_module(module, state):
    now = vars(module)
    if len(now) == len(state) and all(now.get(name, now) is value for name, value in state.items()):
        return
    for name in [n for n in now if n not in state]:
        del now[name]
    now.update(state)


def _restore_class(cls, state):
    now = vars(cls)
    if len(now) == len(state) and all(now.get(name, now) is value for name, value in state.items()):
        return
    for name in [n for n in now if n not in state]:
        delattr(cls, name)
    for name, value in state.items():
        if now.get(name, now) is not value:
            setattr(cls, name, value)


def _forget_modules():
    """The standard library stays imported (quick); modules from the learner's own directory don't."""
    for name in [n for n in sys.modules if n not in _saved["imported"]]:
        file = getattr(sys.modules[name], "__dict__", {}).get("__file__")
        if file is None or not file.startswith("/lib/"):
            del sys.modules[name]


def restore():
    for module, state in _saved["modules"]:
        _restore_module(module, state)
    for cls, state in _saved["classes"]:
        _restore_class(cls, state)
    _forget_modules()
    for module in list(sys.modules.values()):
        registry = getattr(module, "__dict__", {}).get("__warningregistry__")
        if registry:
            registry.clear()
    warnings.resetwarnings()
    warnings.filters[:] = _saved["filters"]
    sys.setrecursionlimit(_saved["recursion limit"])
    sys.path[:] = _saved["path"]
    if dict(os.environ) != _saved["environment"]:
        os.environ.clear()
        os.environ.update(_saved["environment"])
    sys.excepthook = sys.__excepthook__
    sys.displayhook = sys.__displayhook__
    sys.unraisablehook = sys.__unraisablehook__
    sys.settrace(None)
    sys.setprofile(None)
    gc.enable()
    random.seed()
    _restore_torch()


def _restore_torch():
    """torch's global state that lives in the engine or in objects rather than in module attributes, as a fresh process has it."""
    import torch
    from torch._C import call, flush

    flush()  # tensors of the last run
    call("set_inference_mode", False)
    call("set_anomaly", False, False)
    for _ in range(call("autocast_enter")):  # regions left open, and this one
        call("autocast_exit")
    call("autocast_clear_cache")
    call("autocast_set_cache", True)
    call("autocast_set", "cpu", False, "bfloat16")
    call("autocast_set", "cuda", False, "float16")
    call("set_phase", "forward")
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    torch.seed()
