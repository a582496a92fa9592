"""torch.cuda: the GPU of this browser, through WebGPU, or the reference backend where there is none."""

import json

from .. import _C, _device
from .. import _random
from . import amp as amp


def _info():
    return json.loads(_C.call("backend_info"))


def is_available():
    """Whether a WebGPU adapter serves device="cuda". Where there is none, "cuda" still works, on the reference backend."""
    return _info()["name"] == "webgpu"


def is_initialized():
    """Whether the GPU is in use."""
    return True


def init():
    """Nothing to do: the GPU is ready when the session is."""


def device_count():
    """1 where a WebGPU adapter serves device="cuda", else 0."""
    return 1 if is_available() else 0


def current_device():
    """0."""
    return 0


def get_device_name(device=None):
    """What serves "cuda": the WebGPU adapter's description, or the reference backend with the reason."""
    info = _info()
    if info["name"] == "webgpu":
        return info.get("adapter") or "WebGPU"
    reason = info.get("reason")
    return "reference backend (CPU)" + (f": {reason}" if reason else "")


def get_device_capability(device=None):
    """(8, 0), for code that chooses bfloat16 by it: both 16-bit dtypes are supported."""
    return (8, 0)


class _DeviceProperties:
    """Name and memory of the GPU."""

    def __init__(self):
        self.name = get_device_name()
        self.major, self.minor = get_device_capability()
        self.multi_processor_count = 1
        self.total_memory = 0

    def __repr__(self):
        return f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor})"


def get_device_properties(device=None):
    """Name and capability of the GPU; its memory isn't known to a browser (total_memory is 0)."""
    return _DeviceProperties()


def is_bf16_supported(including_emulation=True):
    """True: bfloat16 is exact everywhere here."""
    return True


def synchronize(device=None):
    """Waits until the GPU has done everything asked so far."""
    _C.flush()
    _C.call("finish")


class device:
    """Context manager for code that selects a GPU; there is one."""

    def __init__(self, device):
        self.idx = 0
        _device.engine_name(_device.device(device))

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


def set_device(device):
    """Selects the GPU; there is one."""
    _device.engine_name(_device.device(device))


# --- memory: bytes in live buffers of the engine ---------------------------------------------------------------------

_peak = 0


def memory_allocated(device=None):
    """Bytes held by live tensors on the GPU."""
    global _peak
    _C.flush()
    now = _C.call("memory", "cuda")
    _peak = max(_peak, now)
    return now


def max_memory_allocated(device=None):
    """The most bytes seen at any call of memory_allocated() or max_memory_allocated() since reset_peak_memory_stats()."""
    memory_allocated()
    return _peak


def reset_peak_memory_stats(device=None):
    """Starts max_memory_allocated() over."""
    global _peak
    _peak = 0
    memory_allocated()


reset_max_memory_allocated = reset_peak_memory_stats


def memory_reserved(device=None):
    """The same as memory_allocated(): what the browser keeps beyond that isn't known."""
    return memory_allocated()


def max_memory_reserved(device=None):
    """The same as max_memory_allocated()."""
    return max_memory_allocated()


def empty_cache():
    """Hands back tensors that Python has dropped."""
    _C.flush()


# --- random numbers --------------------------------------------------------------------------------------------------


def manual_seed(seed):
    """Restarts the generator; "cpu" and "cuda" share one here."""
    _random.manual_seed(seed)


def manual_seed_all(seed):
    """The same."""
    _random.manual_seed(seed)


def seed():
    """Restarts the generator from an unpredictable seed."""
    _random.seed()


def get_rng_state(device="cuda"):
    """torch.get_rng_state()."""
    return _random.get_rng_state()


def set_rng_state(new_state, device="cuda"):
    """torch.set_rng_state()."""
    _random.set_rng_state(new_state)


def initial_seed():
    """The seed in use."""
    return _random.initial_seed()


class Event:
    """Times work: record() twice, then a.elapsed_time(b) gives milliseconds."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        """Waits for the work so far and notes the time."""
        import time

        synchronize()
        self._time = time.perf_counter()

    def synchronize(self):
        """Nothing to wait for: record() waited."""

    def query(self):
        return True

    def elapsed_time(self, end_event):
        """Milliseconds from this event to `end_event`."""
        if self._time is None or end_event._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1000.0


class OutOfMemoryError(RuntimeError):
    """The GPU has no memory left."""


def __getattr__(name):
    from .._unsupported import missing

    raise missing("torch.cuda", name)
