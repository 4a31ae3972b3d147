"""Signals of the process that launches: they go to the launcher, by way of the guardian."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from stretto.launch.signals import ENDING_S, PASSED_ON


@contextmanager
def blocked() -> Iterator[str]:
    """What the guardian passes on does not end it before it can; it unblocks what we block.

    These are in the string, so that the launcher gets a mask as ours is.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    try:
        yield ",".join(str(int(number)) for number in PASSED_ON if number not in before) or "none"
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def passing_on(guardian: socket.socket) -> Iterator[list[int]]:
    """Signals that this process gets go to the launcher; it ends of them afterwards, if at all.

    Those that it will end of are in the list.
    """
    ending: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return

    def pass_on(number: int, _frame: object) -> None:
        if number in ENDING_S:
            ending.append(number)
        with suppress(OSError):
            guardian.send(bytes([number]))

    before = {number: signal.getsignal(number) for number in PASSED_ON}
    taken = {n: h for n, h in before.items() if h is not None and h is not signal.SIG_IGN}
    for number in taken:
        signal.signal(number, pass_on)
    try:
        yield ending
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
        if ending:
            signal.raise_signal(ending[0])
