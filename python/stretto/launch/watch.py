"""What the guardian waits for while the launcher runs: standard library only."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from enum import Enum, auto

from stretto.launch.descendants import has_ended, reap_adopted
from stretto.launch.ranks import Ranks
from stretto.launch.signals import PASSED_ON, Relay, Signals, Stopping

# How long after the launcher's end what its ranks said at last may be on its way, by TCP.
LAST_WORDS_S = 1.0
# epoll takes no more than some 24 days.
LONGEST_POLL_S = 3600.0
# What it takes to look for processes, once ranks and strangers have all other descriptors.
SPARE_DESCRIPTORS = 4


class Over(Enum):
    """Why a launch is over."""

    ENDED = auto()  # the launcher has
    STOPPED = auto()  # by the owner, or with it
    TIMED_OUT = auto()
    MISSED_A_RANK = auto()  # which died, and for which others may wait
    ASKED_TO_END = auto()  # by a signal, and its time has passed


def send(child: subprocess.Popen[bytes], number: int) -> None:
    """A signal to the launcher, which may be another user's (sudo, setuid)."""
    with contextlib.suppress(PermissionError):
        child.send_signal(number)


class Watch:
    """A launcher that runs, the ranks it has started, and what the owner says meanwhile."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        lifeline: int,
        signals: Signals,
        listeners: list[socket.socket],
        key: str,
        *,
        reports_deaths: bool,
    ) -> None:
        self.has_terminated = False  # the launcher, by a SIGTERM passed on
        self.running: list[int] = []  # ranks that did when their launcher had ended
        self._child, self._lifeline, self._signals = child, lifeline, signals
        self._own = (lifeline, signals.fd)
        self._spare = [os.open(os.devnull, os.O_RDONLY) for _ in range(SPARE_DESCRIPTORS)]
        self._poll = select.epoll()
        for fd in self._own:
            self._poll.register(fd, select.EPOLLIN)
        self.ranks = Ranks(self._poll, listeners, key, reports_deaths=reports_deaths)
        self._relay = Relay()
        self._stopping = Stopping()

    def until_over(self, timeout: float | None) -> Over:
        """Why it is over: it has ended, or one of the reasons to end it is there."""
        try:
            why = self._why_over(timeout)
            if why is Over.ENDED:
                self._hear_last_words()
        finally:
            while self._spare:
                os.close(self._spare.pop())
        if why is Over.ENDED:
            self.running = self.ranks.running()
        return why

    def _why_over(self, timeout: float | None) -> Over:
        if self._take_early_signals():
            return Over.ENDED
        while True:
            soon = [*self._limits(timeout).values(), *self._errands()]
            ready = self._poll_until(min(soon, default=None))
            self._hear(ready)
            ended = self._signals.fd in ready and self._take_signals()
            if self._lifeline in ready and not self._obey():
                return Over.STOPPED
            if ended:
                return Over.ENDED
            self._run_errands()
            # By the clock, whatever was ready: something may always be.
            now = time.monotonic()
            for why, limit in self._limits(timeout).items():
                if limit <= now:
                    return why

    def _limits(self, timeout: float | None) -> dict[Over, float]:
        """When it is to be ended, and why."""
        limits = {
            Over.TIMED_OUT: timeout,
            Over.MISSED_A_RANK: self.ranks.deaths.end_by(),
            Over.ASKED_TO_END: self._stopping.until,
        }
        return {why: limit for why, limit in limits.items() if limit is not None}

    def _errands(self) -> list[float]:
        """When there is something to be done that ends nothing."""
        listens_again_at = self.ranks.listeners.listens_again_at
        times = (self.ranks.roll_call_until(), listens_again_at, self._relay.until)
        return [when for when in times if when is not None]

    def _run_errands(self) -> None:
        now = time.monotonic()
        for number in self._relay.due(now):
            send(self._child, number)
            self.has_terminated |= number == signal.SIGTERM
        listeners = self.ranks.listeners
        if listeners.listens_again_at is not None and listeners.listens_again_at <= now:
            listeners.listen_again()
        self.ranks.end_roll_calls()

    def _poll_until(self, until: float | None) -> list[int]:
        """What has something to say, once anything has, or the time is there."""
        left = LONGEST_POLL_S if until is None else until - time.monotonic()
        return [fd for fd, _ in self._poll.poll(min(max(0.0, left), LONGEST_POLL_S))]

    def _hear(self, ready: Iterable[int]) -> None:
        for fd in ready:
            if fd not in self._own:
                self.ranks.hear(fd)

    def _take_signals(self) -> bool:
        """Whether the launcher has ended, as SIGCHLD says: not every system has its pidfd."""
        now = time.monotonic()
        for number in self._signals.come():
            if number in PASSED_ON:
                self._relay.came_here(number, now)
                self._stopping.signalled(number, now, by_owner=False)
        return self._has_ended()

    def _take_early_signals(self) -> bool:
        """The same before the first poll: the launcher was not there to get what came till then."""
        now = time.monotonic()
        for number in self._signals.come():
            if number in PASSED_ON and self._relay.came_to_owner(number, now):
                self._stopping.signalled(number, now, by_owner=False)
        return self._has_ended()

    def _has_ended(self) -> bool:
        reap_adopted(self._child.pid)
        return self._child.returncode is not None or has_ended(self._child.pid)

    def _obey(self) -> bool:
        """Whether the owner is there still, and has something to pass on."""
        now = time.monotonic()
        numbers = os.read(self._lifeline, 4096)
        for number in numbers:
            if number in PASSED_ON and self._relay.came_to_owner(number, now):
                self._stopping.signalled(number, now, by_owner=True)
        return bool(numbers)

    def _hear_last_words(self) -> None:
        """What ranks had said when the launcher ended, as far as it comes within moments.

        What is there is heard however long that takes, which has an end where no one new is.
        """
        for fd in self._own:
            self._poll.unregister(fd)
        until = time.monotonic() + LAST_WORDS_S
        while ready := self._poll_until(until if self.ranks.any_is_open() else 0.0):
            self._hear(ready)
            if time.monotonic() > until:
                self.ranks.listeners.take_no_more()
