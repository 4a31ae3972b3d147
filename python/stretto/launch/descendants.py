"""The processes below this one, for the guardian and its owner: standard library only."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable

GIVE_UP_S = 10.0


def parents() -> dict[int, int]:
    """Every living process and its parent."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            # The name, in parentheses, may itself hold spaces and parentheses.
            with open(f"/proc/{name}/stat", errors="replace") as stat:
                state, parent = stat.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has ended meanwhile
        if state not in "ZX":
            found[int(name)] = int(parent)
    return found


def descendants(*ancestors: int) -> list[int]:
    """All living processes below one of `ancestors`."""
    parent_of = parents()
    below = set(ancestors)
    while more := {pid for pid, parent in parent_of.items() if parent in below} - below:
        below |= more
    return sorted(below - set(ancestors))


def kill_descendants() -> None:
    """SIGKILL until none is left."""
    kill_all(lambda: descendants(os.getpid()))


def kill_all(find: Callable[[], Iterable[int]]) -> set[int]:
    """SIGKILL all that are found until none is: one may fork before it is killed."""
    killed: set[int] = set()
    deadline = time.monotonic() + GIVE_UP_S
    while (living := set(find())) and time.monotonic() < deadline:
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= living
        time.sleep(0.005)
    return killed


def has_ended(child: int) -> bool:
    """Whether that child has; its status is still there to be asked for."""
    try:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, child, options) is not None
    except ChildProcessError:
        return True


def reap_adopted(own: int) -> None:
    """Take leave of every child that has ended but `own`, whose status another asks for.

    Orphans come to a subreaper, and who waits until one is gone finds it there until then.
    """
    options = os.WEXITED | os.WNOHANG
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, options | os.WNOWAIT)) and ended.si_pid != own:
            os.waitid(os.P_PID, ended.si_pid, options)


def reap_all() -> None:
    """Take leave of every child that has ended, lest the owner, which adopts too, must."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
