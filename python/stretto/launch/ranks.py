"""What the ranks of a launch say to the guardian, and how they end: standard library only."""

import contextlib
import itertools
import os
import select
import socket
import time

from stretto.launch.connection import RankConnection, is_abort
from stretto.launch.deaths import NOTICES_S, Deaths, JobKey, JobRanks, notices_s
from stretto.launch.listeners import Listeners, limit_in_words
from stretto.launch.peers import Peer
from stretto.launch.roll_call import RollCall

# How long a connection may be silent that has not shown the key.
STRANGER_S = 5.0
# A host that is gone without a word is missed six minutes after its last: a network may be
# away for some, and the system's own two hours are as long as never.
KEEP_ALIVE = ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 30), (socket.TCP_KEEPCNT, 10))


class Ranks:
    """The lifelines of the ranks, which close when they die (intercept/accelerate/lifeline.hpp)."""

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
        self._connections: dict[int, RankConnection] = {}
        # Those of them that have shown no key, as they came.
        self._strangers: dict[int, RankConnection] = {}
        self._job_ranks: dict[JobKey, JobRanks] = {}
        self._rolls: dict[JobKey, RollCall] = {}
        self._going_on: dict[JobKey, RollCall] = {}  # those of them in which some wait
        self._may_keep_peers = True  # a descriptor for each rank beside its connection's
        self.listeners = Listeners(poll, listeners, self._close_peers)
        seconds = notices_s(os.environ)
        self.deaths = Deaths(NOTICES_S if seconds is None else seconds, reports=reports_deaths)

    def hear(self, fd: int) -> None:
        """A connection is new, or has something to say, or is gone."""
        if fd in self.listeners:
            self._accept(fd)
            return
        if (connection := self._connections.get(fd)) is None:  # forgotten since the poll
            return
        try:
            words = connection.sock.recv(4096).decode(errors="replace")
        except BlockingIOError:  # its number was another's at the time of the poll
            return
        except OSError:
            words = ""
        if words:
            self._listen(fd, connection, words)
            return
        # Who waited for another was there with those who do still: they need not be searched
        # again, which would take the square of the ranks of a job that is killed.
        may_wait = self.deaths.may_wait(fd)
        ended_well = connection.peer.ended_well()
        self._forget(fd)
        if connection.job is not None:
            self._ended(connection, connection.job, may_wait, ended_well)

    def _listen(self, fd: int, connection: RankConnection, words: str) -> None:
        heard = connection.hear(words, self._key)
        if heard is None:
            self._forget(fd)
            return
        if not connection.is_stranger:
            self._strangers.pop(fd, None)
        if len(connection.said) - len(heard) < 2 <= len(connection.said) and connection.asks():
            self._ask(fd, connection)
        job = connection.job
        if fd in self._connections and job is not None and any(map(is_abort, heard)):
            self._aborts(fd, connection, job)

    def _accept(self, listener: int) -> None:
        now = time.monotonic()
        silent = itertools.takewhile(
            lambda each: now - each[1].came > STRANGER_S, self._strangers.items()
        )
        for fd, _ in list(silent):
            self._forget(fd)
        if (sock := self.listeners.accept(listener)) is None:
            return
        sock.setblocking(False)
        if sock.family == socket.AF_INET:
            _keep_alive(sock)
        peer = Peer(sock, may_keep_open=self._may_keep_peers)
        connection = RankConnection(sock, now, peer)
        self._connections[sock.fileno()] = self._strangers[sock.fileno()] = connection
        self._poll.register(sock.fileno(), select.EPOLLIN)

    def _close_peers(self) -> bool:
        """Where descriptors run out, one of each rank can be done without."""
        if not self._may_keep_peers:
            return False
        self._may_keep_peers = False
        for connection in self._connections.values():
            connection.peer.close()
        return True

    def _ask(self, fd: int, connection: RankConnection) -> None:
        assert connection.job is not None
        self._job_ranks.setdefault(connection.job, JobRanks()).come(connection.rank)
        roll = self._rolls.setdefault(connection.job, RollCall(*connection.job))
        if self.listeners.is_last(fd):
            roll.refuse(connection.sock, connection.rank, limit_in_words())
            self._note_whether_some_wait(connection.job, roll)
            self._forget(fd)
        else:
            roll.hear(connection.sock, connection.rank, connection.runs)
            self._note_whether_some_wait(connection.job, roll)

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
        connection = self._connections.pop(fd)
        self._strangers.pop(fd, None)
        self._poll.unregister(fd)
        if connection.job is not None:
            self._leave(connection, connection.job)
        connection.sock.close()
        connection.peer.close()
        self.deaths.gone(fd)
        self.listeners.closed(fd)

    def _leave(self, connection: RankConnection, job: JobKey) -> None:
        """Of a job none of whose ranks is there nothing is left: a launch may have many."""
        roll, ranks = self._rolls[job], self._job_ranks[job]
        roll.withdraw(connection.sock)
        self._note_whether_some_wait(job, roll)
        ranks.go(connection.rank)
        if ranks.is_empty:
            del self._job_ranks[job]
            if not roll.counts_on:
                del self._rolls[job]

    def _note_whether_some_wait(self, job: JobKey, roll: RollCall) -> None:
        if roll.until is None:
            self._going_on.pop(job, None)
        else:
            self._going_on[job] = roll

    def any_is_open(self) -> bool:
        """Whether one has not said yet that it ends."""
        return any(connection.goes_on() for connection in self._connections.values())

    def running(self) -> list[int]:
        """The numbers of those that are alive and compute, as far as one can know."""
        return sorted(
            connection.rank
            for connection in self._connections.values()
            if connection.goes_on() and not connection.peer.is_dying()
        )

    def _ended(
        self, connection: RankConnection, job: JobKey, may_wait: bool, ended_well: bool | None
    ) -> None:
        if connection.has_finalized:
            return
        if not connection.has_left:
            self.deaths.add_silent(job, ended_well)
        is_first = self.deaths.first is None
        first = self._before(connection) if connection.has_left and is_first else connection
        others = set() if may_wait else self._others(first)
        self.deaths.add(first.account(), others)

    def _others(self, connection: RankConnection) -> set[int]:
        """Those of its job that are there, as far as one can know."""
        job = connection.job
        ranks = self._job_ranks.get(job) if job is not None else None
        if ranks is None or ranks.is_several:
            return set()
        return {
            fd
            for fd, other in self._connections.items()
            if other is not connection and other.is_of(job)
        }

    def _before(self, connection: RankConnection) -> RankConnection:
        """Of a rank that left of itself, the one it left for, which closes its connection later.

        A process has no memory any more before its descriptors close, and MPICH's ranks, which
        read each other's, end when they find that.
        """
        dying = [
            other
            for other in self._connections.values()
            if other.is_of(connection.job)
            and not (other.has_finalized or other.has_left)
            and other.peer.is_dying()
        ]
        return dying[0] if len(dying) == 1 else connection

    def _aborts(self, fd: int, connection: RankConnection, job: JobKey) -> None:
        """A rank that ends the others may be seen to end after them, or never."""
        # It waits for nobody, but ends itself where its launcher does not end it. Where it may
        # wait for another already all of them do, who may all abort.
        others = set() if self.deaths.may_wait(fd) else self._others(connection) | {fd}
        self.deaths.add_abort(job, connection.account(), others)


def _keep_alive(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it may be gone
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in KEEP_ALIVE:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
