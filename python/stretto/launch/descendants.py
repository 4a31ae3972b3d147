"""The processes below this one, for the guardian: standard library only."""

import contextlib
import os
import signal
import time
from pathlib import Path

GIVE_UP_S = 10.0


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


def reap_adopted(own: int) -> None:
    """Take leave of every child that has ended but `own`, whose status another asks for.

    Orphans come to a subreaper, and who waits until one is gone finds it there until then.
    """
    options = os.WEXITED | os.WNOHANG
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, options | os.WNOWAIT)) and ended.si_pid != own:
            os.waitid(os.P_PID, ended.si_pid, options)
