"""set_detect_anomaly and detect_anomaly: check every gradient for NaN and say which operation made it."""

import warnings

from .. import _C

_enabled = False
_check_nan = False


def _set(enabled, check_nan):
    global _enabled, _check_nan
    _enabled, _check_nan = bool(enabled), bool(check_nan)
    _C.call("set_anomaly", _enabled, _check_nan)


def is_anomaly_enabled():
    """Whether anomaly detection is on."""
    return _enabled


def is_anomaly_check_nan_enabled():
    """Whether backward checks gradients for NaN."""
    return _check_nan


class set_detect_anomaly:
    """Turns anomaly detection on or off at once; as a context manager, goes back at the end.

    Backward then raises `Function 'SqrtBackward0' returned nan values in its 0th output.`
    """

    def __init__(self, mode, check_nan=True):
        self.prev = is_anomaly_enabled()
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        _set(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        _set(self.prev, self.prev_check_nan)


class detect_anomaly:
    """Anomaly detection inside a `with` block."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self._state = set_detect_anomaly(True, self.check_nan)

    def __exit__(self, *exc):
        self._state.__exit__()
