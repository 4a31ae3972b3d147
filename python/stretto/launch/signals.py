"""Signals as the guardian meets them in its loop: standard library only."""

import os
import signal
from collections.abc import Iterable

# What ends a launcher that knows nothing better, and how long it gets to stop its ranks. Programs
# may write what they have when a batch system says by SIGTERM that their time is up; a Ctrl-C
# waits for nothing long.
ENDING_S = {signal.SIGTERM: 30.0, signal.SIGHUP: 30.0, signal.SIGINT: 5.0}
# All that are passed on to the launcher.
PASSED_ON = (*ENDING_S, signal.SIGUSR1, signal.SIGUSR2)
# How long a signal of the owner's is held back, for it may be one that every process gets.
HELD_S = 0.1
# How late the owner's word may come of one that every process got: it may be busy. And how long
# one event may take that sends two different ones.
LATE_S = 3.0


class Signals:
    """A descriptor that is readable once a signal has come."""

    def __init__(self, blocked: Iterable[int] = ()) -> None:
        """Those that are blocked are so no longer, and never were for the launcher."""
        self.fd, wakeup = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        self._ignored_children = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        for number in PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)
        # Were it ignored here too, no exit code could be asked for: each would be taken for 0.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, *blocked})
        self._mask = before - {*blocked}

    def before_exec(self) -> None:
        """Make the launcher find the signals as it would without us."""
        if self._ignored_children:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def come(self) -> bytes:
        """The numbers of those that have come."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""


class Relay:
    """Which signals are still to be sent to the launcher.

    A batch system signals every process: the launcher has got that signal as we have, and a
    second one would cost its ranks the time that they get to save what they have. What comes to
    the owner alone, as a Ctrl-C does, is for us to pass on.
    """

    def __init__(self) -> None:
        self._held: dict[int, float] = {}  # from the owner; when each is due
        self._all_got: dict[int, float] = {}  # when each came last to us as well
        self._from_owner: dict[int, float] = {}  # when each came last to the owner, as another one

    @property
    def until(self) -> float | None:
        """When the first of those that are held back is due."""
        return min(self._held.values(), default=None)

    def came_here(self, number: int, now: float) -> None:
        """It came to the guardian itself, so to all."""
        self._all_got[number] = now
        self._held.pop(number, None)

    def came_to_owner(self, number: int, now: float) -> bool:
        """The owner says that it got one; whether that is another than the one before.

        A tool like timeout signals its child and then its group, the child again among it. Those
        of a key that is held down come faster, and do not go on to be one for ever.
        """
        before = self._from_owner.get(number)
        if before is not None and now - before < HELD_S:
            return False
        self._from_owner[number] = now
        if number not in self._all_got or now - self._all_got[number] > LATE_S:
            self._held[number] = now + HELD_S
        return True

    def due(self, now: float) -> list[int]:
        """Those to be sent now."""
        due = [number for number, when in self._held.items() if when <= now]
        for number in due:
            del self._held[number]
        return due


class Stopping:
    """Whether and when a launch that was asked to end has had its time."""

    def __init__(self) -> None:
        self.until: float | None = None
        self._by_owner: dict[int, float] = {}  # signals, and when first

    def signalled(self, number: int, now: float, *, by_owner: bool) -> None:
        """The launch has got a signal; a second from the owner leaves it no more time.

        Batch systems send one signal to every process, which is one only. So are a SIGHUP and a
        SIGTERM in a row: a session that ends, or a service, sends both.
        """
        if (grace := ENDING_S.get(signal.Signals(number))) is None:
            return
        if by_owner and self._is_second(number, now):
            self.until = now
            return
        if self.until is None:
            self.until = now + grace
        if by_owner:
            self._by_owner.setdefault(number, now)

    def _is_second(self, number: int, now: float) -> bool:
        """Whether somebody means it who has waited: nobody sends a second SIGHUP by hand."""
        if number == signal.SIGHUP or not self._by_owner:
            return False
        return number in self._by_owner or now - min(self._by_owner.values()) > LATE_S
