"""Exceptions as CPython prints them, with the learner's frames only."""

import linecache
import traceback

_files = set()  # filenames of the learner's script
_directory = None  # in Node: the script's own directory, whose modules are the learner's too


def learners_code(filename, source, directory):
    """Says which code is the learner's, and makes its lines known to tracebacks and warnings."""
    global _directory
    _files.clear()
    _files.add(filename)
    _directory = directory
    linecache.clearcache()
    add_source(filename, source)


def add_source(filename, source):
    lines = source.splitlines(True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[filename] = (len(source), None, lines, filename)  # no mtime: checkcache() leaves it alone


def is_learners(frame):
    filename = frame.f_code.co_filename
    if filename in _files or (_directory and filename.startswith(_directory)):
        return True
    # CPython shows "<string>" for what a script passes to exec(); torch's own generated code runs in other globals.
    return filename.startswith("<") and frame.f_globals.get("__name__") == "__main__"


def is_script(filename):
    """The learner's own file, as opposed to code that it or a grader made with exec()."""
    return filename in _files


def _keep_learners_frames(report, error, seen):
    """Drops all other frames, in the exception and in everything that it is chained to."""
    if report is None or error is None or id(report) in seen:
        return
    seen.add(id(report))
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if report.stack is not None:
        kept = [summary for summary, frame in zip(report.stack, frames) if is_learners(frame)]
        report.stack = traceback.StackSummary.from_list(kept) if kept else None
    _keep_learners_frames(report.__cause__, error.__cause__, seen)
    _keep_learners_frames(report.__context__, error.__context__, seen)
    for child, child_error in zip(report.exceptions or (), getattr(error, "exceptions", ())):
        _keep_learners_frames(child, child_error, seen)


def line_of(error):
    """Line of the learner's script where `error` arose, or None."""
    if isinstance(error, SyntaxError) and error.filename in _files:
        return error.lineno
    line = None
    for frame, lineno in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in _files:
            line = lineno
    return line


def text_of(error):
    report = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
    _keep_learners_frames(report, error, set())
    return "".join(report.format())


def describe(error):
    """The fields of PythonError (session.ts)."""
    try:
        message = str(error)
    except Exception:
        message = "<exception str() failed>"
    return {"type": type(error).__name__, "message": message, "traceback": text_of(error), "line": line_of(error)}


def current_line():
    """Line of the learner's script that is running now, for the trace; 0 where there is none."""
    import sys

    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in _files:
            return frame.f_lineno
        frame = frame.f_back
    return 0
