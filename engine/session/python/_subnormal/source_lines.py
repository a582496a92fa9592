"""Which line of the learner's script is running, told to the engine while it records a trace. Costs nothing otherwise."""

import sys

from . import tracebacks

# sys.monitoring has ids for tools; 4 is free (0 debugger, 1 coverage, 2 profiler and 5 optimizer are taken by convention).
_TOOL = 4


def watch(set_line):
    """From now on calls set_line(n) whenever a line of the learner's code begins."""
    monitoring = sys.monitoring
    monitoring.use_tool_id(_TOOL, "subnormal trace")

    def on_line(code, line):
        if not tracebacks.is_script(code.co_filename):
            return monitoring.DISABLE  # library code: never asked again
        set_line(line)

    monitoring.register_callback(_TOOL, monitoring.events.LINE, on_line)
    monitoring.set_events(_TOOL, monitoring.events.LINE)


def unwatch(set_line):
    monitoring = sys.monitoring
    monitoring.set_events(_TOOL, 0)
    monitoring.register_callback(_TOOL, monitoring.events.LINE, None)
    monitoring.restart_events()
    monitoring.free_tool_id(_TOOL)
    set_line(None)
