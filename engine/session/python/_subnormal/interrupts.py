"""Stopping and sleeping. A worker without shared memory hears the page only when Python lets its event loop run: here it does."""

import signal
import time

from . import host, tracebacks

_SLICE = 0.05  # seconds that a blocking sleep may last before Python looks for interrupts

_armed = False  # the learner's code is running


def sleep(seconds, /):
    """time.sleep that a stop request ends at once."""
    if not isinstance(seconds, float):
        seconds = seconds.__index__() if hasattr(seconds, "__index__") else float(seconds)
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    end = time.monotonic() + seconds
    host.page.flush()
    while True:
        rest = max(end - time.monotonic(), 0)
        if host.can_wait():
            host.wait(rest * 1000)
        else:
            host.page.block(min(rest, _SLICE) * 1000)
        if host.page.pending():
            raise KeyboardInterrupt
        if time.monotonic() >= end:
            return


def on_interrupt(_signum, frame):
    """SIGINT's handler. It comes a few times a second while Python is busy, between two bytecodes (python-host.ts says how)."""
    if not _armed or host.suspended():
        return  # not the learner's code, or a callback: an exception would reach nobody
    if frame is not None and not tracebacks.is_script(frame.f_code.co_filename):
        # Library code may run inside a call from JavaScript (Pyodide makes its exceptions so), where waiting breaks Python down.
        host.page.retry()
        return
    if not host.page.pending() and host.can_wait():
        host.wait(0)
    if host.page.pending():
        raise KeyboardInterrupt


def arm(on):
    """Only the learner's code is interrupted, not the preparations for it. A stop request that came before ends it at once."""
    global _armed
    _armed = on
    if on and host.page.pending():
        raise KeyboardInterrupt


def install():
    signal.signal(signal.SIGINT, on_interrupt)


def install_sleep():
    time.sleep = sleep
