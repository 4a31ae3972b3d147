"""What the ranks of a launch say to the guardian, and how they end: standard library only."""

import contextlib
import errno
import itertools
import os
import resource
import select
import socket
import time

from stretto.launch.deaths import NOTICES_S, Crowd, Deaths, Job, notices_s
from stretto.launch.lines import Line, is_abort
from stretto.launch.peers import Peer
from stretto.launch.roll_call import RollCall

# How long a connection may be silent that has not shown the key.
STRANGER_S = 5.0
# How long nobody is heard who connects while this process may have no more descriptors, unless
# one of its connections ends before.
FULL_S = 1.0
_TOO_MANY = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# A host that is gone without a word is missed six minutes after its last: a network may be
# away for some, and the system's own two hours are as long as never.
KEEP_ALIVE = ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 30), (socket.TCP_KEEPCNT, 10))


class Ranks:
    """The lifelines of the ranks, which close when they die (src/intercept/lifeline.hpp)."""

    def __init__(
        self,
        poll: select.epoll,
        listeners: list[socket.socket],
        key: str,
        *,
        reports_deaths: bool = False,
    ) -> None:
        self._poll = poll
        self._key = key
        self._listeners = {listener.fileno(): listener for listener in listeners}
        self._lines: dict[int, Line] = {}
        self._strangers: dict[int, Line] = {}  # those of them that have shown no key, as they came
        self._crowds: dict[Job, Crowd] = {}
        self._rolls: dict[Job, RollCall] = {}
        self._going_on: dict[Job, RollCall] = {}  # those of them in which some wait
        self._may_keep_peers = True  # a descriptor for each rank beside its connection's
        # One descriptor to tell those no for whom there are no others, one after the other.
        self._reserve = _reserved()
        self._last: int | None = None  # the connection that has that
        self._full: list[int] = []  # listeners where one waits who cannot be accepted
        self.listens_again_at: float | None = None
        seconds = notices_s(os.environ)
        self.deaths = Deaths(NOTICES_S if seconds is None else seconds, reports=reports_deaths)
        for fd, listener in self._listeners.items():
            listener.setblocking(False)
            poll.register(fd, select.EPOLLIN)

    def hear(self, fd: int) -> None:
        """A connection is new, or has something to say, or is gone."""
        if (listener := self._listeners.get(fd)) is not None:
            self._accept(listener)
            return
        if (line := self._lines.get(fd)) is None:  # forgotten since the poll
            return
        try:
            words = line.connection.recv(4096).decode(errors="replace")
        except BlockingIOError:  # its number was another's at the time of the poll
            return
        except OSError:
            words = ""
        if words:
            self._listen(fd, line, words)
            return
        # Who waited for another was there with those who do still: they need no second look,
        # which would take the square of the ranks of a job that is killed.
        may_wait = self.deaths.may_wait(fd)
        ended_well = line.peer.ended_well()
        self._forget(fd)
        if line.job is not None:
            self._ended(line, line.job, may_wait, ended_well)

    def _listen(self, fd: int, line: Line, words: str) -> None:
        heard = line.hear(words, self._key)
        if heard is None:
            self._forget(fd)
            return
        if not line.is_stranger:
            self._strangers.pop(fd, None)
        if len(line.said) - len(heard) < 2 <= len(line.said) and line.asks():
            self._ask(fd, line)
        if fd in self._lines and line.job is not None and any(map(is_abort, heard)):
            self._aborts(fd, line, line.job)

    def _accept(self, listener: socket.socket) -> None:
        now = time.monotonic()
        silent = itertools.takewhile(
            lambda each: now - each[1].came > STRANGER_S, self._strangers.items()
        )
        for fd, _ in list(silent):
            self._forget(fd)
        if (connection := self._accepted(listener)) is None:
            return
        connection.setblocking(False)
        if connection.family == socket.AF_INET:
            _keep_alive(connection)
        line = Line(connection, now, Peer(connection, may_keep_open=self._may_keep_peers))
        self._lines[connection.fileno()] = self._strangers[connection.fileno()] = line
        self._poll.register(connection.fileno(), select.EPOLLIN)

    def _accepted(self, listener: socket.socket) -> socket.socket | None:
        """Who waits there, unless it is gone again or cannot be accepted now."""
        connection, is_full = _accept_at(listener)
        if is_full and self._may_keep_peers:
            self._may_keep_peers = False
            for line in self._lines.values():
                line.peer.close()
            connection, is_full = _accept_at(listener)
        if is_full and self._reserve is not None:
            os.close(self._reserve)
            connection, is_full = _accept_at(listener)
            self._last = connection.fileno() if connection is not None else None
            self._reserve = _reserved() if connection is None else None
        if is_full:
            self._stop_listening(listener.fileno())
        return connection

    def _stop_listening(self, fd: int) -> None:
        """Where one waits who cannot be accepted, every look would find that and nothing else."""
        self._poll.unregister(fd)
        self._full.append(fd)
        self.listens_again_at = time.monotonic() + FULL_S

    def listen_again(self) -> None:
        """There may be a descriptor for those who wait."""
        for fd in self._full:
            self._poll.register(fd, select.EPOLLIN)
        self._full.clear()
        self.listens_again_at = None

    def take_no_more(self) -> None:
        """Only those who are there are heard from now on."""
        for fd in self._listeners:
            if fd not in self._full:
                self._poll.unregister(fd)
        self._listeners.clear()
        self._full.clear()

    def _ask(self, fd: int, line: Line) -> None:
        assert line.job is not None
        self._crowds.setdefault(line.job, Crowd()).come(line.rank)
        roll = self._rolls.setdefault(line.job, RollCall(*line.job))
        if fd == self._last:
            roll.refuse(line.connection, line.rank, _full())
            self._note_whether_some_wait(line.job, roll)
            self._forget(fd)
        else:
            roll.hear(line.connection, line.rank, line.runs)
            self._note_whether_some_wait(line.job, roll)

    def roll_call_until(self) -> float | None:
        """When the first of those that go on is to end."""
        return min((roll.until for roll in self._going_on.values() if roll.until), default=None)

    def end_roll_calls(self) -> None:
        """Those whose time is up."""
        now = time.monotonic()
        for job, roll in list(self._going_on.items()):
            if roll.until is not None and roll.until <= now:
                roll.end()
                self._note_whether_some_wait(job, roll)

    def _forget(self, fd: int) -> None:
        line = self._lines.pop(fd)
        self._strangers.pop(fd, None)
        self._poll.unregister(fd)
        if line.job is not None:
            self._leave(line, line.job)
        line.connection.close()
        line.peer.close()
        if fd == self._last:
            self._last = None
            self._reserve = _reserved()
        self.deaths.gone(fd)
        self.listen_again()

    def _leave(self, line: Line, job: Job) -> None:
        """Of a job none of whose ranks is there nothing is left: a launch may have many."""
        roll, crowd = self._rolls[job], self._crowds[job]
        roll.withdraw(line.connection)
        self._note_whether_some_wait(job, roll)
        crowd.go(line.rank)
        if crowd.is_empty:
            del self._crowds[job]
            if not roll.counts_on:
                del self._rolls[job]

    def _note_whether_some_wait(self, job: Job, roll: RollCall) -> None:
        if roll.until is None:
            self._going_on.pop(job, None)
        else:
            self._going_on[job] = roll

    def any_is_open(self) -> bool:
        """Whether one has not said yet that it ends."""
        return any(line.goes_on() for line in self._lines.values())

    def running(self) -> list[int]:
        """The numbers of those that are alive and compute, as far as one can know."""
        return sorted(
            line.rank
            for line in self._lines.values()
            if line.goes_on() and not line.peer.is_dying()
        )

    def _ended(self, line: Line, job: Job, may_wait: bool, ended_well: bool | None) -> None:
        if line.said[-1] == "done":
            return
        left = line.said[-1] == "left"
        if not left:
            self.deaths.add_silent(job, ended_well)
        first = self._before(line) if left and self.deaths.first is None else line
        others = set() if may_wait else self._others(first)
        self.deaths.add(first.account(), others)

    def _others(self, line: Line) -> set[int]:
        """Those of its job that are there, as far as one can know."""
        crowd = self._crowds.get(line.job) if line.job is not None else None
        if crowd is None or crowd.is_several:
            return set()
        return {
            fd for fd, other in self._lines.items() if other is not line and other.is_of(line.job)
        }

    def _before(self, line: Line) -> Line:
        """Of a rank that left of itself, the one it left for, whose line closes later.

        A process has no memory any more before its descriptors close, and MPICH's ranks, which
        read each other's, end when they find that.
        """
        dying = [
            other
            for other in self._lines.values()
            if other.is_of(line.job)
            and other.said[-1] not in ("done", "left")
            and other.peer.is_dying()
        ]
        return dying[0] if len(dying) == 1 else line

    def _aborts(self, fd: int, line: Line, job: Job) -> None:
        """A rank that ends the others may be seen to end after them, or never."""
        # It waits for nobody, but ends itself where its launcher does not end it. Where it may
        # wait for another already all of them do, who may all abort.
        others = set() if self.deaths.may_wait(fd) else self._others(line) | {fd}
        self.deaths.add_abort(job, line.account(), others)


def _accept_at(listener: socket.socket) -> tuple[socket.socket | None, bool]:
    """Who waits there, unless it is gone again; whether there is no descriptor for it."""
    try:
        return listener.accept()[0], False
    except OSError as error:
        return None, error.errno in _TOO_MANY


def _reserved() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return None


def _full() -> str:
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"`stretto run` may have no more than {most} descriptors (ulimit -Hn), too few for"


def _keep_alive(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be gone
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in KEEP_ALIVE:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
