"""Run one command so that nothing of it outlives its end, its time or its owner.

    python -I -S guardian.py LIFELINE_FD LISTENER_FD[,...]|none KEY TIMEOUT_S|none COMMAND...

MPI daemons call setsid, so killing a process group is not enough; a process that
adopts orphans (a subreaper) keeps every descendant below itself, whatever they do,
and needs no privilege. The owner holds the other end of LIFELINE_FD: its closing,
even by SIGKILL of the owner, means "stop". The report goes back through it as JSON.
At the LISTENER_FDs the ranks of an MPI program connect, to learn whether all of them run
Stretto, and to be missed when they die.
A program of its own, standard library only, as what it imports of ours, because it must start
in milliseconds.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

# Python finds no package of ours by itself with the options above.
sys.path.append(str(Path(__file__).parents[2]))

from stretto.launch.descendants import kill_descendants, reap_adopted
from stretto.launch.ranks import Ranks
from stretto.launch.signals import PASSED_ON, Signals, Stopping

PR_SET_CHILD_SUBREAPER = 36
# What a launcher gets to stop its ranks on other hosts, which no kill from here reaches.
GRACE_S = 2.0
# How long a rank may have been dead before we end the job, which was its launcher's task.
LAUNCHER_NOTICES_S = 10.0


def pass_on(
    child: subprocess.Popen[bytes], numbers: bytes, stopping: Stopping, *, by_owner: bool
) -> None:
    """To the launcher, of signals that have come, those that are meant for it."""
    for number in numbers:
        if number in PASSED_ON:
            child.send_signal(number)
            stopping.tell(number, time.monotonic(), by_owner=by_owner)


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
    signals = Signals()  # before there is a child to miss
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
    poll.register(signals.fd, select.EPOLLIN)
    ranks = Ranks(poll, listeners, key)
    stopping = Stopping()
    why = None
    while why is None:
        limits = {"timed out": None if timeout_s is None else started + timeout_s}
        if (since := ranks.deaths.missed_since()) is not None:
            limits["missed a rank"] = since + LAUNCHER_NOTICES_S
        limits["asked to end"] = stopping.until
        limits["roll call"] = ranks.roll_call_until()
        ends = {name: end - time.monotonic() for name, end in limits.items() if end is not None}
        ready = [fd for fd, _ in poll.poll(max(0.0, min(ends.values())) if ends else None)]
        why = next((name for name, left in ends.items() if not ready and left <= 0), None)
        if why == "roll call":
            ranks.end_roll_calls()
            why = None
        for fd in ready:
            if fd not in (ended, lifeline, signals.fd):
                ranks.hear(fd)
        if signals.fd in ready:
            pass_on(child, signals.come(), stopping, by_owner=False)
            reap_adopted(child.pid)
        if lifeline in ready:
            numbers = os.read(lifeline, 4096)
            pass_on(child, numbers, stopping, by_owner=True)
            why = why if numbers else "stopped"
        # What the ranks said at last is to be heard first.
        if ready == [ended]:
            why = "ended"
    if why not in ("ended", "asked to end"):
        child.terminate()
        select.select([ended], [], [], GRACE_S)
    wall_s = time.monotonic() - started
    kill_descendants()
    return {
        "exit_code": child.wait(),
        "wall_s": wall_s,
        "timed_out": why == "timed out",
        "lost": ranks.deaths.first,
        "cut_short": ranks.deaths.cut_short,
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
