"""The page, as Python sees it: an object of python-host.ts with emit, flush, pending, block, begin_wait and promise."""

page = None
_can_run_sync = None
_run_sync = None


def connect(host, can_suspend):
    """Called once, after the snapshot is restored. `can_suspend`: the browser can suspend WebAssembly (JSPI)."""
    global page, _can_run_sync, _run_sync
    page = host
    if can_suspend:
        from pyodide.ffi import can_run_sync, run_sync

        _can_run_sync, _run_sync = can_run_sync, run_sync


def can_wait():
    """Whether Python may wait for a promise here and now."""
    return _can_run_sync is not None and _can_run_sync()


def wait(milliseconds):
    """Lets the worker's event loop run for this long, or until a stop request."""
    page.begin_wait(milliseconds)
    # The promise is fetched as an attribute: a call that returned it would give an asyncio future, which Python code would have
    # to complete in a callback, where an interrupt could hit it.
    _run_sync(page.promise)
