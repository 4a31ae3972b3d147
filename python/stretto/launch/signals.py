"""Signals as the guardian meets them in its loop: standard library only."""

import os
import signal

# What ends a launcher that knows nothing better, and how long it gets to stop its ranks. Programs
# may write what they have when a batch system says by SIGTERM that their time is up; a Ctrl-C
# waits for nothing long.
ENDING_S = {signal.SIGTERM: 30.0, signal.SIGHUP: 30.0, signal.SIGINT: 5.0}
# All that are passed on to the launcher.
PASSED_ON = (*ENDING_S, signal.SIGUSR1, signal.SIGUSR2)


class Signals:
    """A descriptor that is readable once a signal has come."""

    def __init__(self) -> None:
        self.fd, told = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        for number in (*PASSED_ON, signal.SIGCHLD):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)

    def come(self) -> bytes:
        """The numbers of those that have come."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""


class Stopping:
    """Whether and when a launch that was told to end has had its time."""

    def __init__(self) -> None:
        self.until: float | None = None
        self._told = False  # by the owner

    def tell(self, number: int, now: float, *, by_owner: bool) -> None:
        """A signal goes on to the launcher; a second from the owner leaves it no more time.

        Batch systems send one signal to every process, which is one only.
        """
        if (grace := ENDING_S.get(signal.Signals(number))) is None:
            return
        if by_owner and self._told:
            self.until = now
        elif self.until is None:
            self.until = now + grace
        self._told |= by_owner
