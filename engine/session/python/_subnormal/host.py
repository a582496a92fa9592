"""The page, as Python sees it: an object of python-host.ts with emit, flush, pending, begin, block, begin_wait and promise."""

page = None
_can_run_sync = None
_run_sync = None
_suspended = False  # Python is waiting: what runs now is a callback of the event loop


def connect(host, can_suspend):
    """Called once, after the snapshot is restored. `can_suspend`: the browser can suspend WebAssembly (JSPI)."""
    global page, _can_run_sync, _run_sync
    page = host
    if can_suspend:
        from pyodide import ffi, webloop

        _can_run_sync, _run_sync = ffi.can_run_sync, ffi.run_sync
        ffi.run_sync = webloop.run_sync = run_sync


def suspended():
    """True in a callback that runs while the script itself is waiting (an asyncio task is one)."""
    return _suspended


def can_wait():
    """Whether Python may wait for a promise here and now."""
    return _can_run_sync is not None and not _suspended and _can_run_sync()


def run_sync(awaitable):
    """pyodide.ffi.run_sync, which doesn't notice that it is called in a callback, where waiting would break Python down."""
    global _suspended
    if _suspended:
        raise RuntimeError(
            "this code runs in an asyncio task, where Python can't wait for the GPU or for another event loop. "
            "Do it outside the task, or on device='cpu'"
        )
    _suspended = True
    try:
        return _run_sync(awaitable)
    finally:
        _suspended = False


def wait(milliseconds):
    """Lets the worker's event loop run for this long, or until a stop request."""
    page.begin_wait(milliseconds)
    run_sync(page.promise)
