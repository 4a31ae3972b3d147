"""What a guardian leaves behind that was itself killed, and how its owner ends that."""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stretto.launch.descendants import descendants, kill_all

# In the environment of a guardian, and so of what it starts: distinguishes one launch from another.
VARIABLE = "STRETTO_RUN_GUARDIAN"

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37


class _Adoption:
    """Whether orphans below this process come to it: so while any launch of its goes on.

    Not for ever, as those of its other children would stay zombies here until it ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._launches = 0
        self._before = 0

    def begin(self) -> None:
        with self._lock:
            if self._launches == 0:
                before = ctypes.c_int()
                _prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before))
                self._before = before.value
                _prctl(_PR_SET_CHILD_SUBREAPER, 1)
            self._launches += 1

    def end(self) -> None:
        with self._lock:
            self._launches -= 1
            if self._launches == 0:
                _prctl(_PR_SET_CHILD_SUBREAPER, self._before)


def _prctl(option: int, value: object) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


_adoption = _Adoption()


@contextmanager
def adopting() -> Iterator[None]:
    """While a launch goes on, what a guardian that was killed leaves behind comes to us."""
    _adoption.begin()
    try:
        yield
    finally:
        _adoption.end()


def end_left_behind(guardian: int, mark: str) -> None:
    """Kill what the dead process `guardian`, whose launch has that mark, has started.

    Whatever else this process has started, other launches among it, goes on.
    """
    entry = f"{VARIABLE}={mark}".encode()
    for pid in kill_all(lambda: _left_behind(guardian, entry)):
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _left_behind(guardian: int, entry: bytes) -> set[int]:
    of_launch = {pid for pid in descendants(os.getpid()) if _is_of(pid, guardian, entry)}
    return of_launch | set(descendants(*of_launch))


def _is_of(pid: int, guardian: int, entry: bytes) -> bool:
    """By its session, which MPI's daemons leave, or its environment, which some clear."""
    with suppress(OSError):
        if os.getsid(pid) == guardian:
            return True
        return entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False
