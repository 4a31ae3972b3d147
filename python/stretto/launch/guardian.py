"""Run one command so that nothing of it outlives its end, its time or its owner.

    python -I -S guardian.py LIFELINE_FD TIMEOUT_S|none COMMAND...

MPI daemons call setsid, so killing a process group is not enough; a process that
adopts orphans (a subreaper) keeps every descendant below itself, whatever they do,
and needs no privilege. The owner holds the other end of LIFELINE_FD: its closing,
even by SIGKILL of the owner, means "stop". The report goes back through it as JSON.
A program of its own, standard library only, because it must start in milliseconds.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
# What a launcher gets to stop its ranks on other hosts, which no kill from here reaches.
GRACE_S = 2.0
GIVE_UP_S = 10.0


def parents() -> dict[int, int]:
    """Every living process and its parent."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name, in parentheses, may itself hold spaces and parentheses.
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
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
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def guard(lifeline: int, timeout_s: float | None, command: list[str]) -> dict[str, object]:
    """Run `command` to its end, its time or the owner's, and report which."""
    started = time.monotonic()
    try:
        child = subprocess.Popen(command)
    except OSError as error:
        return {"error": f"{command[0]}: {error.strerror}"}
    ended = os.pidfd_open(child.pid)
    ready, _, _ = select.select([ended, lifeline], [], [], timeout_s)
    if ended not in ready:
        child.terminate()
        select.select([ended], [], [], GRACE_S)
    wall_s = time.monotonic() - started
    kill_descendants()
    return {"exit_code": child.wait(), "wall_s": wall_s, "timed_out": not ready}


def main() -> None:
    """Guard the command on the command line."""
    lifeline = int(sys.argv[1])
    timeout_s = None if sys.argv[2] == "none" else float(sys.argv[2])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = guard(lifeline, timeout_s, sys.argv[3:])
    # The owner may be gone; its command is too then, and that was the task.
    with contextlib.suppress(OSError):
        os.write(lifeline, json.dumps(report).encode())


if __name__ == "__main__":
    main()
