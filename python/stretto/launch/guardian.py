"""Run one command so that nothing of it outlives its end, its time or its owner.

    python -I -S guardian.py LIFELINE_FD LISTENER_FD[,...]|none KEY TIMEOUT_S|none COMMAND...

MPI daemons call setsid, so killing a process group is not enough; a process that
adopts orphans (a subreaper) keeps every descendant below itself, whatever they do,
and needs no privilege. The owner holds the other end of LIFELINE_FD: its closing,
even by SIGKILL of the owner, means "stop". The report goes back through it as JSON.
At the LISTENER_FDs the ranks of an MPI program connect, to learn whether all of them run
Stretto, and to be missed when they die.
A program of its own, standard library only, because it must start in milliseconds.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PF_EXITING = 4  # of the flags in /proc/PID/stat
# What a launcher gets to stop its ranks on other hosts, which no kill from here reaches.
GRACE_S = 2.0
GIVE_UP_S = 10.0
# How long a rank may have been dead before we end the job, which was its launcher's task.
LAUNCHER_NOTICES_S = 10.0
# How long those ranks that have come up under Stretto wait for the others to do so.
ROLL_CALL_S = 10.0
# How long a connection may be silent that has not shown the key.
STRANGER_S = 5.0


def parents() -> dict[int, int]:
    """Every living process and its parent."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name, in parentheses, may itself hold spaces and parentheses.
            state, parent = (
                (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            )
        except OSError:
            continue  # ended while we looked
        if state not in "ZX":
            found[int(entry.name)] = int(parent)
    return found


def descendants(ancestor: int) -> list[int]:
    """All living processes below `ancestor`."""
    parent_of = parents()
    below: set[int] = {ancestor}
    while more := {pid for pid, parent in parent_of.items() if parent in below} - below:
        below |= more
    return sorted(below - {ancestor})


def kill_descendants() -> None:
    """SIGKILL until none is left: one may fork between the look and the kill."""
    deadline = time.monotonic() + GIVE_UP_S
    while (living := descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


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


class RollCall:
    """Whether all ranks of one job run Stretto, and the same (src/intercept/roll_call.hpp).

    They come here when MPI_Init is over for them, so within moments of each other.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._present: dict[int, str] = {}
        self._waiting: list[socket.socket] = []
        self._mixed = False  # two jobs that nothing tells apart: nobody knows who is whose
        self.until: float | None = None  # while some have come and others are missing

    def hear(self, connection: socket.socket, rank: int, what: str) -> None:
        """One has come, who runs that."""
        self._mixed |= rank in self._present
        self._present[rank] = what
        self._waiting.append(connection)
        self.until = time.monotonic() + ROLL_CALL_S
        if self._mixed:
            self._answer("several jobs ask at once whether all their ranks run Stretto")
        elif len(self._present) == self._size:
            self._answer(self._difference())

    def end(self) -> None:
        """Time is up."""
        missing = sorted(set(range(self._size)) - set(self._present))
        who = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing[:8]))}"
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        self._answer(
            f"{who}{more} of {self._size} came up without Stretto (linked statically? "
            "LD_PRELOAD cleared on the way?)"
        )

    def _difference(self) -> str | None:
        ranks = sorted(self._present)
        first = self._present[ranks[0]]
        for rank in ranks:
            if (what := self._present[rank]) != first:
                return f"rank {ranks[0]} runs Stretto {first}, rank {rank} Stretto {what}"
        return None

    def _answer(self, why_not: str | None) -> None:
        for connection in self._waiting:
            with contextlib.suppress(OSError):
                connection.sendall(b"all\n" if why_not is None else b"not\n")
        self._present, self._waiting, self.until = {}, [], None
        if why_not is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write(
                    f"stretto: {why_not}: the program runs as it is, without Stretto\n"
                )
                sys.stderr.flush()


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


def guard(
    lifeline: int,
    listeners: list[socket.socket],
    key: str,
    timeout_s: float | None,
    command: list[str],
) -> dict[str, object]:
    """Run `command` to its end, its time, the owner's or a rank's, and report which."""
    started = time.monotonic()
    # The launcher gets what the owner was given (`prog <(input)`), but not what is the owner's.
    for fd in (lifeline, *(listener.fileno() for listener in listeners)):
        os.set_inheritable(fd, False)
    try:
        child = subprocess.Popen(command, close_fds=False)
    except OSError as error:
        return {"error": f"{command[0]}: {error.strerror}"}
    # A descriptor a rank; the program has started with what it was given.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    ended = os.pidfd_open(child.pid)
    poll = select.epoll()
    poll.register(ended, select.EPOLLIN)
    poll.register(lifeline, select.EPOLLIN)
    ranks = Ranks(poll, listeners, key)
    why = None
    while why is None:
        limits = {"timed out": None if timeout_s is None else started + timeout_s}
        if (since := ranks.missed_since()) is not None:
            limits["missed a rank"] = since + LAUNCHER_NOTICES_S
        limits["roll call"] = ranks.roll_call_until()
        ends = {name: end - time.monotonic() for name, end in limits.items() if end is not None}
        ready = [fd for fd, _ in poll.poll(max(0.0, min(ends.values())) if ends else None)]
        why = next((name for name, left in ends.items() if not ready and left <= 0), None)
        if why == "roll call":
            ranks.end_roll_calls()
            why = None
        for fd in ready:
            if fd not in (ended, lifeline):
                ranks.hear(fd)
        if lifeline in ready:
            why = "stopped"
        # What the ranks said at last is to be heard first.
        if ready == [ended]:
            why = "ended"
    if why != "ended":
        child.terminate()
        select.select([ended], [], [], GRACE_S)
    wall_s = time.monotonic() - started
    kill_descendants()
    return {
        "exit_code": child.wait(),
        "wall_s": wall_s,
        "timed_out": why == "timed out",
        "lost": ranks.lost,
        "cut_short": ranks.cut_short,
        "unnoticed": why == "missed a rank",
    }


def main() -> None:
    """Guard the command on the command line."""
    lifeline = int(sys.argv[1])
    fds = [] if sys.argv[2] == "none" else [int(fd) for fd in sys.argv[2].split(",")]
    listeners = [socket.socket(fileno=fd) for fd in fds]
    timeout_s = None if sys.argv[4] == "none" else float(sys.argv[4])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = guard(lifeline, listeners, sys.argv[3], timeout_s, sys.argv[5:])
    # The owner may be gone; its command is too then, and that was the task.
    with contextlib.suppress(OSError):
        os.write(lifeline, json.dumps(report).encode())


if __name__ == "__main__":
    main()
