"""sys.stdout and sys.stderr that stream to the page, and a stdin that says why there is nobody at the keyboard."""

import builtins
import codecs
import io
import sys

from . import host


class OutputLimit(BaseException):
    """Raised by a print beyond the output limit; not an Exception, so that `except Exception` doesn't keep the flood going."""


class Bytes(io.BufferedIOBase):
    """What `sys.stdout.buffer` is: bytes are decoded as UTF-8, across calls."""

    def __init__(self, stream):
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._stream.write(self._decode(data))
        return len(data)


class Stream(io.TextIOBase):
    """Every write goes to the page at once (which joins what comes too fast to be read)."""

    encoding = "utf-8"
    newlines = None
    mode = "w"
    line_buffering = True
    write_through = True
    _buffer = None

    def __init__(self, fd, name, errors):
        self._fd = fd
        self.name = name
        self._errors = errors

    @property
    def errors(self):
        return self._errors

    @property
    def buffer(self):
        if self._buffer is None:
            self._buffer = Bytes(self)
        return self._buffer

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return self._fd

    def reconfigure(self, **_options):
        pass

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            if not text.isascii():
                # A lone surrogate raises on stdout and is escaped on stderr, as in CPython.
                text = text.encode("utf-8", self._errors).decode("utf-8")
            if host.page.emit(text, self._fd):
                raise OutputLimit
        return len(text)

    def flush(self):
        host.page.flush()


NO_INPUT = "input() has nobody to answer it here. Assign the value in the code instead, for example: name = 'Ada'"


class NoInput(io.StringIO):
    """sys.stdin."""

    def readline(self, *_size):
        raise EOFError(NO_INPUT)

    read = readline


def no_input(prompt="", /):
    if prompt:
        print(prompt, end="", flush=True)
    raise EOFError(NO_INPUT)


def install():
    """Fresh streams for a run."""
    sys.stdout = sys.__stdout__ = Stream(1, "<stdout>", "strict")
    sys.stderr = sys.__stderr__ = Stream(2, "<stderr>", "backslashreplace")
    sys.stdin = sys.__stdin__ = NoInput()


def install_input():
    builtins.input = no_input
