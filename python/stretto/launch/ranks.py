"""What the ranks of a launch say to the guardian, and how they end: standard library only."""

import select
import socket
import struct
import time
from pathlib import Path

from stretto.launch.roll_call import RollCall

PF_EXITING = 4  # of the flags in /proc/PID/stat
# How long a connection may be silent that has not shown the key.
STRANGER_S = 5.0


def _is_dying(connection: socket.socket) -> bool:
    """Whether who connected on this machine is ending or has; of others nobody knows."""
    if connection.family != socket.AF_UNIX:
        return False
    # As this process numbers them, whatever namespace the rank is in.
    pid, _, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    if pid == 0:
        return False
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return True
    state, *_, flags = stat.rpartition(")")[2].split()[:7]
    return state in "ZX" or bool(int(flags) & PF_EXITING)


class Ranks:
    """The lifelines of the ranks, which close when they die (src/intercept/lifeline.hpp)."""

    def __init__(self, poll: select.epoll, listeners: list[socket.socket], key: str) -> None:
        self._poll = poll
        self._key = key
        self._listeners = {listener.fileno(): listener for listener in listeners}
        self._said: dict[int, tuple[socket.socket, str]] = {}
        self._rolls: dict[tuple[str, int], RollCall] = {}
        # Those who have not shown the key yet, and when they came.
        self._came: dict[int, float] = {}
        self.lost: dict[str, str] | None = None  # the first that died: rank, pid, host; code
        self.lost_at = 0.0
        self._aborted = False
        self.cut_short = False  # some died without a word: killed, or by _exit
        for fd in self._listeners:
            poll.register(fd, select.EPOLLIN)

    def hear(self, fd: int) -> None:
        """A connection is new, or has something to say, or is gone."""
        if (listener := self._listeners.get(fd)) is not None:
            self._accept(listener)
            return
        connection, said = self._said[fd]
        try:
            words = connection.recv(4096).decode(errors="replace")
        except OSError:
            words = ""
        if words:
            self._said[fd] = (connection, said + words)
            if self._is_ours(fd, said + words):
                self._calls(connection, said, said + words)
                self._aborts((said + words).splitlines())
            else:
                self._forget(fd)
            return
        is_rank = fd not in self._came
        self._forget(fd)
        if is_rank:
            self._ended(said.splitlines())

    def _accept(self, listener: socket.socket) -> None:
        now = time.monotonic()
        for fd in [fd for fd, came in self._came.items() if now - came > STRANGER_S]:
            self._forget(fd)
        try:
            connection, _ = listener.accept()
        except OSError:  # gone again, or as many as this process may have
            time.sleep(0.01)
            return
        self._said[connection.fileno()] = (connection, "")
        self._came[connection.fileno()] = now
        self._poll.register(connection.fileno(), select.EPOLLIN)

    def _is_ours(self, fd: int, said: str) -> bool:
        """Anybody may find the port; ranks know the key."""
        if fd not in self._came:
            return True
        first, whole, _ = said.partition("\n")
        if not whole:
            return len(first) < 4096
        words = first.split(" ")
        if len(words) != 8 or words[::2] != ["rank", "pid", "host", "key"]:
            return False
        if words[7] != self._key or not (words[1].isdigit() and words[3].isdigit()):
            return False
        del self._came[fd]
        return True

    def _calls(self, connection: socket.socket, before: str, said: str) -> None:
        """Its second line may be its part in the roll call: "of SIZE in JOB runs WHAT"."""
        if not before.count("\n") < 2 <= said.count("\n"):
            return
        first, second, *_ = said.splitlines()
        words = second.split(" ", 5)
        if len(words) == 6 and words[::2] == ["of", "in", "runs"] and words[1].isdigit():
            size = int(words[1])
            roll = self._rolls.setdefault((words[3], size), RollCall(size))
            roll.hear(connection, int(first.split()[1]), words[5])

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
        connection, _ = self._said.pop(fd)
        self._came.pop(fd, None)
        self._poll.unregister(fd)
        connection.close()

    def _ended(self, said: list[str]) -> None:
        if not said or said[-1] == "done":
            return
        self.cut_short |= said[-1] != "left"
        if self.lost is None:
            self._lose(self._before(said) if said[-1] == "left" else said)

    def _before(self, said: list[str]) -> list[str]:
        """Of a rank that left of itself, the one it left for, whose line closes later.

        A process has no memory any more before its descriptors close, and MPICH's ranks, which
        read each other's, end when they find that.
        """
        dying = []
        for fd, (connection, text) in self._said.items():
            words = text.splitlines()
            if fd not in self._came and words[-1] not in ("done", "left") and _is_dying(connection):
                dying.append(words)
        return dying[0] if len(dying) == 1 else said

    def _aborts(self, said: list[str]) -> None:
        """A rank that ends the others may be seen to end after them, or never."""
        if not self._aborted and any(line.startswith("aborts ") for line in said):
            self._aborted = True
            self._lose(said)

    def _lose(self, said: list[str]) -> None:
        words = " ".join([said[0], *(line for line in said if line.startswith("aborts "))]).split()
        self.lost = dict(zip(words[::2], words[1::2], strict=False))
        self.lost_at = time.monotonic()

    def missed_since(self) -> float | None:
        """When a rank died that others, still alive, may be waiting for."""
        return self.lost_at if self.lost is not None and len(self._said) > len(self._came) else None
