"""Runs learners' scripts as CPython would: a fresh `__main__`, its own tracebacks, streamed output, a clean state for every run.

The TypeScript side (python-host.ts) calls `connect` once, then `run` and `evaluate`; both answer with one JSON string, so that no
proxy outlives a call. This module is part of the memory snapshot: importing it must not touch the engine.
"""

import atexit
import builtins
import codecs
import gc
import io
import json
import linecache
import os
import random
import signal
import sys
import time
import traceback
import types
import warnings

_host = None  # the object of python-host.ts: emit, flush, sleep, pending
_run_sync = None  # pyodide.ffi.run_sync where the browser can suspend WebAssembly (JSPI), else None
_main = None  # the module of the last run, for evaluate()
_learner_files = set()  # filenames whose frames a traceback shows
_learner_directory = None  # the script's own directory in Node, whose modules are the learner's too


class OutputLimit(BaseException):
    """Raised by print once the output limit is passed; not an Exception, so that `except Exception` doesn't keep the flood going."""


# ---------------------------------------------------------------------------------------------------------------- streams


class _Bytes(io.BufferedIOBase):
    """What `sys.stdout.buffer` is: bytes are decoded as UTF-8, across calls."""

    def __init__(self, stream):
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._stream.write(self._decode(data))
        return len(data)


class _Stream(io.TextIOBase):
    """sys.stdout or sys.stderr: every write goes to the page at once (which batches what comes too fast to be read)."""

    encoding = "utf-8"
    newlines = None

    def __init__(self, fd, name, errors):
        self._fd = fd
        self.name = name
        self.mode = "w"
        self._errors = errors
        self._buffer = None

    @property
    def errors(self):
        return self._errors

    @property
    def buffer(self):
        if self._buffer is None:
            self._buffer = _Bytes(self)
        return self._buffer

    line_buffering = True
    write_through = True

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return self._fd

    def reconfigure(self, **_options):
        pass

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            if not text.isascii():
                text.encode("utf-8", self._errors)  # a lone surrogate raises, as it does in CPython
            if _host.emit(text, self._fd):
                raise OutputLimit
        return len(text)

    def flush(self):
        _host.flush()


class _NoInput(io.StringIO):
    def readline(self, *_size):
        raise EOFError(_NO_INPUT)

    read = readline


_NO_INPUT = "input() has nobody to answer it here. Assign the value in the code instead, for example: name = 'Ada'"


def _input(prompt="", /):
    if prompt:
        print(prompt, end="", flush=True)
    raise EOFError(_NO_INPUT)


# ------------------------------------------------------------------------------------------------------ sleeping, stopping


def _sleep(seconds, /):
    """time.sleep that leaves the worker responsive: a stop request ends it at once."""
    seconds = seconds.__index__() if not isinstance(seconds, float) and hasattr(seconds, "__index__") else float(seconds)
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    end = time.monotonic() + seconds
    _host.flush()
    while True:
        rest = end - time.monotonic()
        if _can_suspend():
            _run_sync(_host.sleep(max(rest, 0) * 1000))
        else:
            _host.block(min(max(rest, 0), 0.05) * 1000)  # short blocks, between which Python checks for interrupts
        if _host.pending():
            raise KeyboardInterrupt
        if time.monotonic() >= end:
            return


def _can_suspend():
    if _run_sync is None:
        return False
    from pyodide.ffi import can_run_sync

    return can_run_sync()


def _on_interrupt(_signum, _frame):
    """Runs a few times a second while Python is busy, between two bytecodes: lets the worker hear a stop request."""
    if not _host.pending() and _can_suspend():
        _run_sync(_host.tick())
    if _host.pending():
        raise KeyboardInterrupt


# ------------------------------------------------------------------------------------------------------------- tracebacks


def _is_learners(filename):
    if filename in _learner_files:
        return True
    if _learner_directory and filename.startswith(_learner_directory):
        return True
    return filename.startswith("<") and not filename.startswith("<frozen")


def _keep_learners_frames(report, seen):
    """Drops the frames of torch and of this module, in the exception and in everything that it is chained to."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    if report.stack is not None:
        kept = [frame for frame in report.stack if _is_learners(frame.filename)]
        report.stack = traceback.StackSummary.from_list(kept) if kept else None
    _keep_learners_frames(report.__cause__, seen)
    _keep_learners_frames(report.__context__, seen)
    for child in report.exceptions or ():
        _keep_learners_frames(child, seen)


def _line_of(error):
    """Line of the learner's script where `error` arose, or None."""
    if isinstance(error, SyntaxError) and error.filename in _learner_files:
        return error.lineno
    line = None
    for frame, lineno in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in _learner_files:
            line = lineno
    return line


def describe(error):
    """The fields of PythonError (session.ts)."""
    report = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
    _keep_learners_frames(report, set())
    try:
        message = str(error)
    except Exception:
        message = "<exception str() failed>"
    return {
        "type": type(error).__name__,
        "message": message,
        "traceback": "".join(report.format()),
        "line": _line_of(error),
    }


# --------------------------------------------------------------------------------------------------- a clean state per run


def _state_of(namespace):
    return dict(namespace)


def _baseline():
    """What a run may change and the next run must not see: module and class attributes of torch and of a few stdlib modules."""
    import torch

    modules = [m for name, m in list(sys.modules.items()) if name == "torch" or name.startswith("torch.")]
    modules += [builtins, random, time, warnings, sys.modules["math"]]
    classes = {
        value
        for module in modules
        if module.__name__.startswith("torch")
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__.startswith("torch")
    }
    del torch
    return {
        "modules": [(m, _state_of(vars(m))) for m in modules],
        "classes": [(c, _state_of(vars(c))) for c in classes],
        "names": set(sys.modules),
        "filters": list(warnings.filters),
        "recursion": sys.getrecursionlimit(),
        "path": list(sys.path),
        "environment": dict(os.environ),
    }


_saved = None


def _restore():
    for module, state in _saved["modules"]:
        now = vars(module)
        if len(now) != len(state) or any(now.get(k, now) is not v for k, v in state.items()):
            for name in [k for k in now if k not in state]:
                del now[name]
            now.update(state)
    for cls, state in _saved["classes"]:
        now = vars(cls)
        for name in [k for k in now if k not in state]:
            delattr(cls, name)
        for name, value in state.items():
            if now.get(name, now) is not value and name not in ("__dict__", "__weakref__"):
                setattr(cls, name, value)
    for name in [n for n in sys.modules if n not in _saved["names"]]:
        file = getattr(sys.modules[name], "__file__", None)
        # The standard library stays imported (quick); modules that came from the learner's own directory don't.
        if file is None or not file.startswith("/lib/"):
            del sys.modules[name]
    for module in list(sys.modules.values()):
        registry = getattr(module, "__warningregistry__", None)
        if registry:
            registry.clear()
    warnings.resetwarnings()
    warnings.filters[:] = _saved["filters"]
    sys.setrecursionlimit(_saved["recursion"])
    sys.path[:] = _saved["path"]
    if os.environ != _saved["environment"]:
        os.environ.clear()
        os.environ.update(_saved["environment"])
    sys.excepthook = sys.__excepthook__
    sys.settrace(None)
    sys.setprofile(None)
    signal.signal(signal.SIGINT, _on_interrupt)
    gc.enable()
    random.seed()
    _reset_torch()


def _reset_torch():
    """torch's global state as a fresh process has it."""
    import torch

    reset = getattr(torch._C, "reset", None)
    if reset is not None:
        reset()
    for name, args, kwargs in (
        ("set_grad_enabled", (True,), {}),
        ("set_default_dtype", (getattr(torch, "float32", None),), {}),
        ("set_printoptions", (), {"profile": "default"}),
        ("seed", (), {}),
    ):
        function = getattr(torch, name, None)
        if function is not None:
            function(*args, **kwargs)


# ---------------------------------------------------------------------------------------------------------------- running


def prepare():
    """Imports what learners use and saves the clean state. Everything up to here goes into the memory snapshot."""
    global _saved
    _saved = _baseline()


def connect(host, run_sync_available):
    """Connects Python to the page. Called once, after the snapshot is restored."""
    global _host, _run_sync
    _host = host
    if run_sync_available:
        from pyodide.ffi import run_sync

        _run_sync = run_sync
    time.sleep = _sleep
    builtins.input = _input
    if _saved is not None:
        for module, state in _saved["modules"]:
            if module is time:
                state["sleep"] = _sleep
            if module is builtins:
                state["input"] = _input
    sys.stdin = _NoInput()


def _open_streams():
    sys.stdout = sys.__stdout__ = _Stream(1, "<stdout>", "strict")
    sys.stderr = sys.__stderr__ = _Stream(2, "<stderr>", "backslashreplace")


def _exit_status(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _forget_last_run():
    """Drops the last run's names, and with them its tensors, before the next one allocates."""
    global _main
    if _main is not None:
        vars(_main).clear()
    _main = None
    sys.last_exc = sys.last_value = sys.last_type = sys.last_traceback = None
    sys.modules.pop("__main__", None)
    gc.collect()


def run(code, filename, args, directory):
    """Runs `code` as `__main__`; the answer is JSON: {status, exitCode, error?}."""
    global _main, _learner_directory
    _forget_last_run()
    _restore()
    _open_streams()
    _learner_files.clear()
    _learner_files.add(filename)
    _learner_directory = directory
    sys.argv = [filename, *json.loads(args)]
    if directory:
        sys.path.insert(0, directory)
    linecache.clearcache()
    lines = code.splitlines(True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[filename] = (len(code), None, lines, filename)  # no mtime: checkcache() leaves it alone
    _main = types.ModuleType("__main__")
    _main.__builtins__ = builtins
    _main.__file__ = filename
    sys.modules["__main__"] = _main
    return json.dumps(_guard(lambda: exec(compile(code, filename, "exec", dont_inherit=True), vars(_main))))


def _guard(body):
    """Runs body() and says how it ended, as the interpreter's own main function would."""
    result = {"status": "done", "exitCode": 0}
    try:
        try:
            body()
        finally:
            atexit._run_exitfuncs()
    except SystemExit as exit_request:
        result["exitCode"] = _exit_status(exit_request)
        if result["exitCode"]:
            result["status"] = "error"
            result["error"] = {
                "type": "SystemExit",
                "message": str(exit_request),
                "traceback": "",
                "line": _line_of(exit_request),
            }
    except OutputLimit:
        result.update(status="stopped", exitCode=130)
    except KeyboardInterrupt as interrupt:
        result.update(status="stopped" if _host.pending() else "error", exitCode=130, error=describe(interrupt))
    except BaseException as error:
        result.update(status="error", exitCode=1, error=describe(error))
        if sys.excepthook is not sys.__excepthook__:
            try:
                sys.excepthook(type(error), error, error.__traceback__)
                result["error"]["shown"] = True
            except BaseException as second:
                result["error"] = describe(second)
    return result
