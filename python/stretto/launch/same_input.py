"""Our standard input for several launches: each of them reads all of it."""

import contextlib
import hashlib
import os
import select
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO

from stretto.errors import EnvironmentUnusable, InputError

STANDARD_INPUT = 0
# What comes through a pipe is kept: so much of it, for so long.
MOST_BYTES = 64 << 20
MOST_S = 60.0
# A pipe that nobody writes to, as under ssh, is no input.
SILENT_S = 3.0


class SameInput:
    """What each launch of a series gets."""

    def __init__(self, file: FileIO, start: int, silent: bool = False) -> None:
        self._file = file
        self._start = start
        self.is_silent = silent  # it is open, but nothing came: launches get an empty one
        self.digest = "" if silent else _digest(self.for_a_launch())

    def for_a_launch(self) -> FileIO:
        """The input, at its beginning; the launch before is over."""
        with _readable():
            os.lseek(self._file.fileno(), self._start, os.SEEK_SET)
        return self._file


@contextmanager
def same_input() -> Iterator[SameInput]:
    """Our standard input, ready to be read by one launch after the other.

    A file is read from where it stands, a pipe to its end, before the first launch. Of a terminal,
    at which nobody types everything again and again, launches get nothing, as of a pipe in which
    nothing comes. Raises InputError where it is too long or does not end.
    """
    with contextlib.ExitStack() as stack:
        if os.isatty(STANDARD_INPUT):
            yield SameInput(stack.enter_context(nothing()), 0)
            return
        with _readable():
            kind = os.fstat(STANDARD_INPUT).st_mode
        if stat.S_ISREG(kind):
            file = stack.enter_context(os.fdopen(os.dup(STANDARD_INPUT), "rb", buffering=0))
            yield SameInput(file, os.lseek(STANDARD_INPUT, 0, os.SEEK_CUR))
            return
        if not _comes(SILENT_S):
            yield SameInput(stack.enter_context(nothing()), 0, silent=True)
            return
        with _readable():
            # Not on a disk: none may have room.
            memory = os.memfd_create("standard input")
            kept = stack.enter_context(os.fdopen(memory, "w+b", buffering=0))
            _keep(kept)
        yield SameInput(kept, 0)


def nothing() -> FileIO:
    """An input that is at its end."""
    return open(os.devnull, "rb", buffering=0)  # noqa: PTH123 - unbuffered, as the others


def _keep(file: FileIO) -> None:
    """Read it to its end."""
    until, total = time.monotonic() + MOST_S, 0
    while _comes(until - time.monotonic()):
        if not (words := os.read(STANDARD_INPUT, 1 << 16)):
            return
        total += len(words)
        if total > MOST_BYTES:
            raise InputError(
                f"standard input is a pipe of more than {MOST_BYTES >> 20} MiB, which every launch "
                "would have to read; write it to a file: < FILE"
            )
        file.write(words)
    raise InputError(
        f"standard input is a pipe that did not end within {MOST_S:g} s, and every launch has to "
        "read all of it; write it to a file: < FILE, or < /dev/null"
    )


def _comes(seconds: float) -> bool:
    """Whether something, or the end, is there to be read within that time."""
    ready = select.poll()
    ready.register(STANDARD_INPUT, select.POLLIN)
    return bool(ready.poll(1000 * max(0.0, seconds)))


def _digest(file: FileIO) -> str:
    """Of what is read; empty for nothing."""
    with _readable():
        empty, found = hashlib.sha256(), hashlib.file_digest(file, "sha256")
    return "" if found.digest() == empty.digest() else found.hexdigest()


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentUnusable(
            f"standard input cannot be read for all launches: {error.strerror}"
        ) from error
