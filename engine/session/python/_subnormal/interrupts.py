"""Stopping and sleeping. A worker without shared memory hears the page only when Python lets its event loop run: here it does."""

import signal
import time

from . import host

_SLICE = 0.05  # seconds that a blocking sleep may last before Python looks for interrupts
_DEEP = 2000  # frames; only a recursion of the learner's is deeper, and looking at millions of frames would take seconds

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
    if not _armed or not _in_a_run(frame):
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


def _in_a_run(frame):
    """False in a callback of the event loop, where an exception would reach nobody."""
    for _ in range(_DEEP):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") == "_subnormal.runner":
            return True
        frame = frame.f_back
    return True


def install():
    signal.signal(signal.SIGINT, on_interrupt)


def install_sleep():
    time.sleep = sleep
