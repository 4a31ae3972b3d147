"""Lines of the guardian's own: standard library only."""

import os
import select
import time

# How long a line may wait for a reader: the guardian has other things to watch meanwhile.
UNREAD_S = 0.5


def notice(words: str) -> None:
    """Say one line on standard error, or leave it where nobody reads what is said there.

    The ranks of a program whose output nobody reads stand still; we may not.
    """
    line = f"stretto: {words}\n".encode()
    try:
        # Opened anew: that writing never blocks here is nothing to the program that writes there.
        descriptor = os.open("/proc/self/fd/2", os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
    except OSError:  # as of a socket
        descriptor = os.dup(2)
    try:
        _write_soon(descriptor, line)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _write_soon(descriptor: int, line: bytes) -> None:
    ready = select.poll()
    ready.register(descriptor, select.POLLOUT)
    until = time.monotonic() + UNREAD_S
    while line and (left := until - time.monotonic()) > 0:
        if ready.poll(1000 * left):
            try:
                line = line[os.write(descriptor, line) :]
            except BlockingIOError:
                time.sleep(0.01)  # another was faster
