"""Lines of the guardian's own: standard library only."""

import contextlib
import os
import select
import time

# How long a line may wait for a reader: the guardian has other things to watch meanwhile.
UNREAD_S = 0.5

# What a process writes its lines to that may later have no descriptor to spare for one.
_kept: list[int] = []


def keep_descriptor() -> None:
    """Have one from now on, so that a line needs none."""
    with contextlib.suppress(OSError):
        _kept.append(_open())


def notice(words: str) -> None:
    """Say one line on standard error, or leave it where it cannot be said or nobody reads it.

    The ranks of a program whose output nobody reads stand still; we may not.
    """
    line = f"stretto: {words}\n".encode(errors="replace")
    with contextlib.suppress(OSError):
        if _kept:
            _write_soon(_kept[0], line)
            return
        try:
            descriptor = _open()
        except OSError:  # as of a socket, or where there are no more descriptors
            _write_soon(2, line)
            return
        try:
            _write_soon(descriptor, line)
        finally:
            os.close(descriptor)


def _open() -> int:
    # Opened anew: that writing never blocks here is nothing to the program that writes there.
    return os.open("/proc/self/fd/2", os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)


def _write_soon(descriptor: int, line: bytes) -> None:
    ready = select.poll()
    ready.register(descriptor, select.POLLOUT)
    until = time.monotonic() + UNREAD_S
    while line and (left := until - time.monotonic()) > 0:
        if ready.poll(1000 * left):
            try:
                # So much fits into a pipe that is ready, be it one where writing may block.
                line = line[os.write(descriptor, line[: select.PIPE_BUF]) :]
            except BlockingIOError:
                time.sleep(0.01)  # another was faster
