"""The page, as Python sees it: an object of python-host.ts with emit, flush, pending, block, sleep and tick."""

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


def wait(promise):
    return _run_sync(promise)
