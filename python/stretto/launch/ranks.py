"""What the ranks of a launch say to the guardian, and how they end: standard library only."""

import errno
import select
import socket
import time
from dataclasses import dataclass

from stretto.launch.deaths import Deaths, Job
from stretto.launch.peers import Peer
from stretto.launch.roll_call import RollCall

# How long a connection may be silent that has not shown the key.
STRANGER_S = 5.0
# How long nobody is heard who connects while this process may have no more descriptors, unless
# one of its connections ends before.
FULL_S = 1.0
_TOO_MANY = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(eq=False)
class Line:
    """A connection, and what came over it so far."""

    connection: socket.socket
    came: float
    peer: Peer
    said: str = ""
    is_rank: bool = False  # it has shown the key
    job: Job | None = None  # not known before it asks

    def may_be_of(self, job: Job | None) -> bool:
        """Whether its rank is of that job, as far as both are known."""
        return self.is_rank and (self.job is None or job is None or self.job == job)

    def goes_on(self) -> bool:
        """Whether its rank has not said that it ends."""
        if not self.is_rank:
            return False
        last = self.said.splitlines()[-1]
        return last not in ("done", "left") and not last.startswith("aborts ")


class Ranks:
    """The lifelines of the ranks, which close when they die (src/intercept/lifeline.hpp)."""

    def __init__(self, poll: select.epoll, listeners: list[socket.socket], key: str) -> None:
        self._poll = poll
        self._key = key
        self._listeners = {listener.fileno(): listener for listener in listeners}
        self._lines: dict[int, Line] = {}
        self._rolls: dict[Job, RollCall] = {}
        self.deaths = Deaths()
        self._full: list[int] = []  # listeners where one waits who cannot be accepted
        self.listens_again_at: float | None = None
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
        if line.is_rank:
            self._ended(line, may_wait, ended_well)

    def _listen(self, fd: int, line: Line, words: str) -> None:
        before = line.said
        line.said += words
        if not self._is_ours(line):
            self._forget(fd)
            return
        self._calls(line, before)
        self._aborts(fd, line, before)

    def _accept(self, listener: socket.socket) -> None:
        now = time.monotonic()
        for fd, line in list(self._lines.items()):
            if not line.is_rank and now - line.came > STRANGER_S:
                self._forget(fd)
        try:
            connection, _ = listener.accept()
        except OSError as error:
            if error.errno in _TOO_MANY:
                self._stop_listening(listener.fileno())
            return  # or it is gone again
        connection.setblocking(False)
        self._lines[connection.fileno()] = Line(connection, now, Peer(connection))
        self._poll.register(connection.fileno(), select.EPOLLIN)

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

    def _is_ours(self, line: Line) -> bool:
        """Anybody may find the port; ranks know the key."""
        if line.is_rank:
            return True
        first, whole, _ = line.said.partition("\n")
        if not whole:
            return len(first) < 4096
        words = first.split(" ")
        if len(words) != 8 or words[::2] != ["rank", "pid", "host", "key"]:
            return False
        line.is_rank = words[7] == self._key and words[1].isdigit() and words[3].isdigit()
        return line.is_rank

    def _calls(self, line: Line, before: str) -> None:
        """Its second line may be its part in the roll call: "of SIZE in JOB runs WHAT"."""
        if not before.count("\n") < 2 <= line.said.count("\n"):
            return
        first, second, *_ = line.said.splitlines()
        words = second.split(" ", 5)
        if len(words) == 6 and words[::2] == ["of", "in", "runs"] and words[1].isdigit():
            line.job = (words[3], int(words[1]))
            roll = self._rolls.setdefault(line.job, RollCall(*line.job))
            roll.hear(line.connection, int(first.split()[1]), words[5])

    def roll_call_until(self) -> float | None:
        """When the first of those that go on is to end."""
        return min((roll.until for roll in self._rolls.values() if roll.until), default=None)

    def end_roll_calls(self) -> None:
        """Those whose time is up."""
        now = time.monotonic()
        for roll in self._rolls.values():
            if roll.until is not None and roll.until <= now:
                roll.end()

    def _forget(self, fd: int) -> None:
        line = self._lines.pop(fd)
        self._poll.unregister(fd)
        if line.job is not None:
            self._rolls[line.job].withdraw(line.connection)
        line.connection.close()
        line.peer.close()
        self.deaths.gone(fd)
        self.listen_again()

    def any_is_open(self) -> bool:
        """Whether one has not said yet that it ends."""
        return any(line.goes_on() for line in self._lines.values())

    def running(self) -> list[int]:
        """The numbers of those that are alive and compute, as far as one can know."""
        return sorted(
            int(line.said.split()[1])
            for line in self._lines.values()
            if line.goes_on() and not line.peer.is_dying()
        )

    def _ended(self, line: Line, may_wait: bool, ended_well: bool | None) -> None:
        said = line.said.splitlines()
        if said[-1] == "done":
            return
        left = said[-1] == "left"
        if not left:
            self.deaths.add_silent(line.job, ended_well)
        first = self._before(line) if left and self.deaths.first is None else line
        others = set() if may_wait else self._others(first)
        self.deaths.add(first.said.splitlines(), others)

    def _others(self, line: Line) -> set[int]:
        """Those of its job that are there."""
        return {
            fd
            for fd, other in self._lines.items()
            if other is not line and other.may_be_of(line.job)
        }

    def _before(self, line: Line) -> Line:
        """Of a rank that left of itself, the one it left for, whose line closes later.

        A process has no memory any more before its descriptors close, and MPICH's ranks, which
        read each other's, end when they find that.
        """
        dying = [
            other
            for other in self._lines.values()
            if other.may_be_of(line.job)
            and other.said.splitlines()[-1] not in ("done", "left")
            and other.peer.is_dying()
        ]
        return dying[0] if len(dying) == 1 else line

    def _aborts(self, fd: int, line: Line, before: str) -> None:
        """A rank that ends the others may be seen to end after them, or never."""
        lines = line.said.splitlines()
        if any(each.startswith("aborts ") for each in lines[before.count("\n") :]):
            # It waits for nobody, but ends itself where its launcher does not end it.
            self.deaths.add_abort(line.job, lines, self._others(line) | {fd})
