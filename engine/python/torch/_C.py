"""The one place where Python talks to the engine.

Everything that crosses is a number, a string, a bool or None (docs/ARCHITECTURE.md, "Bridge"): a tensor is an integer handle.
Importing this module touches nothing: the engine is bound later, with `bind`, because the Python heap is snapshotted after
`import torch`.

    ops.add(a, b, 1)        runs an op and returns a Tensor
    ops_.add(a, b, 1)       the same, storing the result in `a`
    multi.sort(2, a, …)     an op with 2 outputs: a tuple of Tensors
    call("narrow", …)       any other function of the bridge, errors translated
"""

import builtins
import json
import warnings

from pyodide.ffi import JsException


class _Bound:
    """The bound engine. Not module attributes: those are reset to their state after the import before every run."""

    __slots__ = ("engine", "op", "op_", "free", "congested", "functions", "later", "proved")


_bound = _Bound()
_bound.engine = None
_bound.functions = {}
_bound.later = None
_bound.proved = False

#: A warning is about the learner's line, not about one of torch's.
_OWN_FILES = (__file__.removesuffix("_C.py"),)

_Tensor = None  # set by _tensor.py

#: Handles whose Tensors are gone, waiting to be handed over together: one call each would cost as much as an op. They wait for one more
#: batch before they go: in `call("clone", x.detach()._h)` the temporary is gone before the call is made.
_dead = []
_dying = []
_BATCH = 16


class EngineError(RuntimeError):
    """A fault of the engine itself, not of the program that runs on it."""


def bind(engine):
    """Connects the engine's bridge object. Called once, after the import of torch."""
    _bound.engine = engine
    _bound.op, _bound.op_, _bound.free, _bound.congested = engine.op, engine.op_, engine.free, engine.congested
    _bound.functions.clear()
    _bound.proved = False
    # What a function of an asynchronous backend answers: an object that holds a promise (engine/session/python-host.ts says why).
    _bound.later = type(engine.later)
    for namespace in (ops, ops_, multi):
        namespace.__dict__.clear()


_PYTHON_TYPES = frozenset(
    "RuntimeError ValueError TypeError IndexError NotImplementedError AttributeError AssertionError".split()
)


def translate(error):
    """The Python exception for a JS exception: TorchError carries PyTorch's type and text."""
    kind = getattr(error, "pythonType", None)
    if kind in _PYTHON_TYPES:
        return getattr(builtins, kind)(error.message)
    return EngineError(f"internal error in the engine: {error.name}: {error.message}")


def wait(later):
    """The value of a promise: lets the worker's event loop run until it is there."""
    from pyodide.ffi import run_sync

    run_sync(later.promise)
    try:
        return later.take()
    except JsException as error:
        raise translate(error) from None


def call(name, *args):
    """Calls the bridge function `name`; waits for it if it is asynchronous. Raises its error as Python's."""
    function = _bound.functions.get(name)
    if function is None:
        if _bound.engine is None:
            raise EngineError("torch has no engine yet: _C.bind was not called")
        function = _bound.functions[name] = getattr(_bound.engine, name)
    try:
        result = function(*args)
    except JsException as error:
        raise translate(error) from None
    if result.__class__ is _bound.later:
        return wait(result)
    return result


def need_gpu():
    """Called for every "cuda" that a program names: the first one waits for the GPU's self-test, and warns of what failed it."""
    if not _bound.proved:
        notices = json.loads(call("prove"))
        _bound.proved = True
        for notice in notices:
            warnings.warn(notice, skip_file_prefixes=_OWN_FILES)


def release(handle):
    """Drops a handle, in batches. Called by Tensor.__del__."""
    _dead.append(handle)
    if len(_dead) >= _BATCH and _bound.engine is not None:
        if _dying:
            batch = tuple(_dying)
            _dying.clear()
            _bound.free(*batch)
        _dying.extend(_dead)
        _dead.clear()
        if _bound.congested():
            try:
                call("finish")
            except RuntimeError:
                pass  # Python can't wait here; the next read does


def flush():
    """Hands over all dead handles at once."""
    if _bound.engine is None:
        return
    batch = (*_dying, *_dead)
    _dying.clear()
    _dead.clear()
    if batch:
        _bound.free(*batch)


def wrap(handle):
    """A Tensor that owns `handle`."""
    tensor = _new(_Tensor)
    tensor._h = handle
    return tensor


def wrap_optional(handle):
    """The same; None for 0."""
    return wrap(handle) if handle else None


_new = object.__new__


def scalar(value):
    """(-kind, value) of a Python number; kind 1 bool, 2 int, 3 float."""
    kind = value.__class__
    if kind is float:
        return -3, value
    if kind is bool:
        return -1, 1 if value else 0
    if kind is int:
        return -2, value if -9007199254740992 <= value <= 9007199254740992 else float(value)
    return _scalar_slow(value)


def _scalar_slow(value):
    if isinstance(value, _Tensor):  # a 0-dim tensor where a number is expected
        return scalar(value.item())
    if isinstance(value, (int, float)):
        return scalar(float(value) if isinstance(value, float) else int(value))
    raise TypeError(value)


# --- callers -------------------------------------------------------------------------------------------------------
# For each op one Python function is generated from the record's parameter list ("self: Tensor, other: Operand, alpha: Scalar"),
# so that a call does no parsing: this is the hot path.

_TENSOR = "isinstance({n}, T): {n}0 = {n}._h"
# Most numbers are plain floats and ints: those are told apart here, without a call. (An int beyond 2^53 arrives as a BigInt.)
_NUMBER = "{n}.__class__ is float: {n}0 = -3; {n}1 = {n}\n    elif {n}.__class__ is int: {n}0 = -2; {n}1 = {n}\n"

_PREPARE = {
    "Tensor": f"    if {_TENSOR}\n    else: bad_tensor({{op!r}}, {{n!r}}, {{i}}, {{n}})\n",
    "Tensor?": f"    if {{n}} is None: {{n}}0 = 0\n    elif {_TENSOR}\n    else: bad_tensor({{op!r}}, {{n!r}}, {{i}}, {{n}})\n",
    "Tensor[]": "    {n}0 = handles({op!r}, {n!r}, {i}, {n})\n",
    "Operand": f"    if {_TENSOR}; {{n}}1 = 0\n    elif {_NUMBER}    else: {{n}}0, {{n}}1 = operand({{op!r}}, {{n!r}}, {{i}}, {{n}})\n",
    "Operand?": f"    if {{n}} is None: {{n}}0 = {{n}}1 = 0\n    elif {_TENSOR}; {{n}}1 = 0\n    elif {_NUMBER}"
    "    else: {n}0, {n}1 = operand({op!r}, {n!r}, {i}, {n})\n",
    "Scalar": f"    if {_NUMBER}    else: {{n}}0, {{n}}1 = number({{op!r}}, {{n!r}}, {{i}}, {{n}})\n",
    "Scalar?": f"    if {{n}} is None: {{n}}0 = {{n}}1 = 0\n    elif {_NUMBER}    else: {{n}}0, {{n}}1 = number({{op!r}}, {{n!r}}, {{i}}, {{n}})\n",
    "int": "    {n}0 = {n} if {n}.__class__ is int else integer({op!r}, {n!r}, {n})\n",
    "int?": "    {n}0 = {n} if {n} is None or {n}.__class__ is int else integer({op!r}, {n!r}, {n})\n",
    "bool": "    {n}0 = {n} if {n} is True or {n} is False else bad_bool({op!r}, {n!r}, {n})\n",
    "int[]": "    {n}0 = (len({n}), *{n})\n",
    "int[]?": "    {n}0 = (-1,) if {n} is None else (len({n}), *{n})\n",
    "dtype?": "    {n}0 = None if {n} is None else dtype_name({op!r}, {n!r}, {n})\n",
    "dtype": "    {n}0 = dtype_name({op!r}, {n!r}, {n})\n",
}
_SLOTS = {
    "Tensor": "{n}0",
    "Tensor?": "{n}0",
    "Tensor[]": "*{n}0",
    "Operand": "{n}0, {n}1",
    "Operand?": "{n}0, {n}1",
    "Scalar": "{n}0, {n}1",
    "Scalar?": "{n}0, {n}1",
    "int[]": "*{n}0",
    "int[]?": "*{n}0",
    "dtype?": "{n}0",
    "dtype": "{n}0",
    "int": "{n}0",
    "int?": "{n}0",
    "bool": "{n}0",
}


def dtype_name(op, name, value):
    """The engine's name of a dtype argument; Python's float, int and bool stand for float64, int64 and bool.

    Raises:
        TypeError: it is none.
    """
    known = getattr(value, "_name", None) if not isinstance(value, type) else _PYTHON_DTYPES.get(value)
    if known is None:
        raise TypeError(f"{op}(): argument '{name}' must be torch.dtype, not {type(value).__name__}")
    return known


_PYTHON_DTYPES = {float: "float64", int: "int64", bool: "bool"}


def integer(op, name, value):
    """An int argument.

    Raises:
        TypeError: it is a float, a bool, a string, …
    """
    if value.__class__ is int:
        return value
    if not isinstance(value, (bool, float)):
        try:
            return value.__index__()
        except AttributeError:
            pass
    raise TypeError(f"{op}(): argument '{name}' must be int, not {type(value).__name__}")


def _bad_bool(op, name, value):
    raise TypeError(f"{op}(): argument '{name}' must be bool, not {type(value).__name__}")


def _bad_tensor(op, name, position, value):
    if name == "self":
        name = "input"
    raise TypeError(
        f"{op}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
    )


def _operand(op, name, position, value):
    try:
        return scalar(value)
    except TypeError:
        _bad_tensor(op, name, position, value)


def _number(op, name, position, value):
    try:
        return scalar(value)
    except TypeError:
        raise TypeError(
            f"{op}(): argument '{name}' (position {position}) must be Number, not {type(value).__name__}"
        ) from None


def _handles(op, name, position, tensors):
    result = [0]
    try:
        for t in tensors:
            result.append(t._h)
    except AttributeError:
        raise TypeError(
            f"expected Tensor as element {len(result) - 1} in argument {position - 1}, "
            f"but got {type(t).__name__}"
        ) from None
    result[0] = len(result) - 1
    return result


def _parameters(op):
    text = call("op_params", op)
    if not isinstance(text, str):
        raise NotImplementedError(f"torch.{op} is not supported here")
    return [tuple(part.strip() for part in p.split(":")) for p in text.split(",") if p.strip()]


def _generate(op, form):
    params = _parameters(op)
    names = [("self_" if n == "self" else n) for n, _ in params]
    lines = []
    slots = []
    for i, (n, (shown, k)) in enumerate(zip(names, params)):
        if k in _PREPARE:
            lines.append(_PREPARE[k].format(n=n, op=op, i=i + 1).replace(f"'{n}'", f"'{shown}'"))
            slots.append(_SLOTS[k].format(n=n))
        else:
            slots.append(n)  # float, float? and str: as they are
    arguments = ", ".join(names)
    if form == "ops":
        head = f"def {op}({arguments}):\n"
        run = f"h = _op({', '.join([repr(op), *slots])})"
        tail = "    t = new(T); t._h = h\n    return t\n"
    elif form == "ops_":
        head = f"def {op}({arguments}):\n"
        run = f"h = _op_({', '.join([repr(op), names[0] + '._h', *slots])})"
        tail = f"    return {names[0]}\n"
    else:
        head = f"def {op}(outputs, {arguments}):\n"
        run = f"h = _op({', '.join([repr(op), *slots])})"
        tail = "    return tuple([wrap(h + i) for i in range(outputs)])\n"
    source = (
        head
        + "".join(lines)
        + f"    try: {run}\n    except JsError as error: raise translate(error) from None\n"
        + tail
    )
    scope = {
        "T": _Tensor, "_op": _bound.op, "_op_": _bound.op_, "JsError": JsException, "translate": translate, "new": _new, "wrap": wrap,
        "bad_tensor": _bad_tensor, "integer": integer, "dtype_name": dtype_name, "bad_bool": _bad_bool, "operand": _operand, "number": _number, "handles": _handles,
        "isinstance": isinstance, "len": len, "range": range, "tuple": tuple, "float": float, "int": int,
        "__builtins__": {},
    }  # fmt: skip
    exec(source, scope)
    return scope[op]


class _Callers:
    """Namespace whose attributes are made at first use and then found directly."""

    def __init__(self, form):
        self.__class__ = type("_Callers", (_Callers,), {"_form": form})

    def __getattr__(self, op):
        if op.startswith("__"):
            raise AttributeError(op)
        caller = _generate(op, self._form)
        self.__dict__[op] = caller
        return caller


ops = _Callers("ops")
ops_ = _Callers("ops_")
multi = _Callers("multi")


# --- the trace -------------------------------------------------------------------------------------------------------


def trace_scaler(event, **detail):
    """Notes a GradScaler event ("scale", "step", "update") in the trace, if one is being recorded. Tensors are read."""
    if not call("trace_on"):
        return
    import json
    import math

    plain = {}
    for name, value in detail.items():
        if isinstance(value, _Tensor):
            value = value.item()
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        plain[name] = value
    call("trace_note", f"GradScaler.{event}", "scaler", json.dumps(plain))


def reset():
    """The engine's global state as it is after the import of torch: grad mode on, no autocast, no anomaly detection. Before each run."""
    if _bound.engine is None:
        return
    flush()
    call("set_grad_enabled", True)
    call("set_inference_mode", False)
    call("set_anomaly", False, False)
    call("set_default_dtype", "float32")
    for device, dtype in (("cpu", "bfloat16"), ("cuda", "float16")):
        call("autocast_set", device, False, dtype)
    call("autocast_set_cache", True)
    depth = call("autocast_enter")
    while depth > 0:
        depth = call("autocast_exit")
    call("autocast_clear_cache")
