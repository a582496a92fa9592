"""The state behind torch.autocast, by device type: enabled, dtype, the weight cache and its nesting."""

from . import _C, _device, _dtype

_call = _C.call


def _device_type(device_type):
    return _device.engine_name(device_type)


def is_autocast_enabled(device_type="cuda"):
    """Whether autocast is on for a device type."""
    return bool(_call("autocast_enabled", _device_type(device_type)))


def get_autocast_dtype(device_type):
    """The 16-bit dtype of autocast on a device type; by default float16 on cuda, bfloat16 on cpu."""
    return _dtype.by_name[_call("autocast_dtype", _device_type(device_type))]


def set_autocast_enabled(device_type, enabled=None):
    """Turns autocast on or off; torch.autocast does this."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    name = _device_type(device_type)
    _call("autocast_set", name, bool(enabled), _call("autocast_dtype", name))


def set_autocast_dtype(device_type, dtype):
    """Sets autocast's dtype; torch.autocast does this."""
    name = _device_type(device_type)
    _call("autocast_set", name, _call("autocast_enabled", name), dtype._name)


def is_autocast_cache_enabled():
    """Whether casts of weights are kept until the outermost region ends."""
    return bool(_call("autocast_cache_enabled"))


def set_autocast_cache_enabled(enabled):
    """Turns the weight cache on or off."""
    _call("autocast_set_cache", bool(enabled))


def autocast_increment_nesting():
    """Enters a region; the new depth."""
    return _call("autocast_enter")


def autocast_decrement_nesting():
    """Leaves a region; the new depth."""
    return _call("autocast_exit")


def clear_autocast_cache():
    """Drops the cached casts."""
    _call("autocast_clear_cache")


def is_autocast_cpu_enabled():
    """is_autocast_enabled("cpu")."""
    return is_autocast_enabled("cpu")


def get_autocast_gpu_dtype():
    """get_autocast_dtype("cuda")."""
    return get_autocast_dtype("cuda")


def get_autocast_cpu_dtype():
    """get_autocast_dtype("cpu")."""
    return get_autocast_dtype("cpu")
