"""Standard input, output and error of a process that was started without them."""

import codecs
import io
import os
import sys
from typing import Any, TextIO

# In words of ours, where an encoding has no other.
_PLAIN = {"µ": "u", "…": "..."}
_LONE_BYTES = range(0xDC80, 0xDD00)  # what stands for bytes of names that are no UTF-8

# How Python's own streams handle it where nobody says.
_NOT_ASKED_FOR = ("strict", "surrogateescape", "backslashreplace")


def open_closed_streams() -> None:
    """Those of descriptors 0, 1 and 2 that are closed become /dev/null.

    Otherwise what is opened next takes their place, and a program reads a socket of ours as its
    standard input; and Python's own streams are None where a caller expects a file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


class _Output(io.FileIO):
    """Standard output or error, whose reader may have seen enough: a verb's other deeds go on."""

    refused: OSError | None = None  # why something could not be written

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            throw_away(self)
            return memoryview(data).nbytes
        except OSError as error:
            self.refused = error
            raise


def take_any_output() -> None:
    """Standard output and error may be closed by their reader, and encodings may lack characters.

    What an encoding has no code for is said otherwise, in ASCII.
    """
    codecs.register_error("stretto", _otherwise)
    sys.stdout = _whose_reader_may_leave(sys.stdout)
    sys.stderr = _whose_reader_may_leave(sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _NOT_ASKED_FOR:
            stream.reconfigure(errors="stretto")


def _whose_reader_may_leave(own: TextIO) -> TextIO:
    """The same stream, for one that Python has opened."""
    if not isinstance(own, io.TextIOWrapper):
        return own
    own.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(own.fileno(), "w", closefd=False)),
        encoding=own.encoding,
        errors=own.errors,
        # What writes through (PYTHONUNBUFFERED) would only reach the buffer that is beneath here.
        line_buffering=own.line_buffering or own.write_through,
    )


def _otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    number = ord(character)
    if number in _LONE_BYTES:
        return bytes([number - 0xDC00]), error.start + 1
    escaped = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return _PLAIN.get(character, escaped), error.start + 1


def refused_output() -> OSError | None:
    """Why something that was printed could not be written, if so; the rest is thrown away."""
    _refused(sys.stderr)  # of which there is nowhere to say so
    return _refused(sys.stdout)


def _refused(stream: TextIO) -> OSError | None:
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    if not isinstance(raw, _Output) or raw.refused is None:
        return None
    throw_away(raw)
    stream.flush()  # the interpreter would try that at its end, and complain in its words
    return raw.refused


def throw_away(output: io.FileIO) -> None:
    """All that is written there from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output.fileno())
    os.close(nowhere)
