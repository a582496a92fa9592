"""Running a script as `__main__`, and evaluating an expression in what it left behind. Both answer with one JSON string, so that no
proxy outlives a call."""

import atexit
import builtins
import gc
import random
import sys
import time
import types
from gc import collect
from json import dumps, loads  # bound here: a script may replace json.dumps

from . import clean_state, host, interrupts, streams, tracebacks, values

_main = None  # the module of the last run


def prepare():
    """Imports torch and saves the clean state. Everything up to here goes into the memory snapshot."""
    import torch

    clean_state.save()
    collect()
    gc.freeze()  # what is here now stays for good: the collection before each run need not look at it


def connect(page, can_suspend):
    """Connects Python with the page. Called once, after the snapshot is restored."""
    host.connect(page, can_suspend)
    interrupts.install()
    interrupts.install_sleep()
    streams.install_input()
    clean_state.save_again(time, builtins)
    streams.install()
    random.seed()


def _forget_last_run():
    """Drops the last run's names, and with them its tensors, before the next one allocates."""
    global _main
    if _main is not None:
        vars(_main).clear()
    _main = None
    sys.last_exc = sys.last_value = sys.last_type = sys.last_traceback = None
    collect()


def run(code, filename, args, directory=None):
    """Runs `code`; the answer is JSON: {status, exitCode, error?}. `args` is sys.argv as JSON."""
    global _main
    code = code.removeprefix("\ufeff")  # a byte order mark, as CPython skips it in a file
    _forget_last_run()
    clean_state.restore()
    interrupts.install()
    streams.install()
    tracebacks.learners_code(filename, code, directory)
    sys.argv = loads(args)
    if directory:
        sys.path.insert(0, directory)
    _main = types.ModuleType("__main__")
    _main.__builtins__ = builtins
    _main.__file__ = filename
    sys.modules["__main__"] = _main
    namespace = vars(_main)
    host.page.begin()
    return dumps(_guard(lambda: exec(compile(code, filename, "exec", dont_inherit=True), namespace), atexit._run_exitfuncs))


def evaluate(expression, bindings):
    """Evaluates in the namespace of the last run; `bindings` is JSON, name to PyValue. The answer has `value` as well."""
    result = {}

    def body():
        names = dict(vars(_main)) if _main is not None else {"__builtins__": builtins}
        for name, value in loads(bindings).items():
            names[name] = values.decode(value)
        tracebacks.add_source("<evaluate>", expression)
        result["value"] = values.encode(eval(compile(expression, "<evaluate>", "eval", dont_inherit=True), names))

    interrupts.install()
    result.update(_guard(body))
    return dumps(result)


def _guard(body, finish=None):
    """Runs body() and says how it ended, as the interpreter's own main function would."""
    try:
        try:
            interrupts.arm(True)
            body()
        finally:
            if finish is not None:
                finish()
            interrupts.arm(False)
    except SystemExit as exit_request:
        try:
            return _exited(exit_request)
        except streams.OutputLimit:
            return {"status": "stopped", "exitCode": 130}
    except streams.OutputLimit:
        return {"status": "stopped", "exitCode": 130}
    except KeyboardInterrupt as interrupt:
        status = "stopped" if host.page.pending() else "error"
        return {"status": status, "exitCode": 130, "error": tracebacks.describe(interrupt)}
    except BaseException as error:
        return _failed(error)
    return {"status": "done", "exitCode": 0}


def _exited(exit_request):
    code = exit_request.code
    if code is None:
        status = 0
    elif isinstance(code, int):
        status = code & 0xFF  # what an operating system keeps of it
    else:
        print(code, file=sys.stderr)
        status = 1
    if status == 0:
        return {"status": "done", "exitCode": 0}
    error = {
        "type": "SystemExit",
        "message": str(exit_request),
        "traceback": "",
        "line": tracebacks.line_of(exit_request),
    }
    return {"status": "error", "exitCode": status, "error": error}


def _failed(error):
    if sys.excepthook is not sys.__excepthook__:
        try:
            sys.excepthook(type(error), error, error.__traceback__)
            return {"status": "error", "exitCode": 1, "error": {**tracebacks.describe(error), "traceback": ""}}
        except BaseException as second:
            error = second
    return {"status": "error", "exitCode": 1, "error": tracebacks.describe(error)}
