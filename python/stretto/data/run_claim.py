"""That a run is being made: a lock on its journal, which ends with its process."""

import fcntl
import os
from pathlib import Path

from stretto.errors import InputError

_NEW = os.O_CREAT | os.O_EXCL


class Claim:
    """A journal that this process has locked, until this object goes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __del__(self) -> None:
        os.close(self._descriptor)

    def is_of(self, journal: Path) -> bool:
        """Whether that was not replaced by another between being opened and locked."""
        try:
            return os.path.samestat(journal.stat(), os.fstat(self._descriptor))
        except OSError:
            return False


def claim(journal: Path, *, create: bool = False) -> Claim | None:
    """Lock a journal that is there, or with `create` a new one; None: another process has it.

    Where the file system knows no locks nobody is refused. Raises OSError where it cannot be
    opened.
    """
    try:
        descriptor = os.open(journal, os.O_WRONLY | os.O_APPEND | _NEW * create, 0o666)
    except FileExistsError:
        return None  # another process was faster
    found = Claim(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    except OSError:
        return found
    return found if found.is_of(journal) else None


def refuse_if_claimed(found: Claim | None, folder: Path) -> Claim:
    """The claim; raises InputError where another process has it."""
    if found is None:
        raise InputError(
            f"{folder} is being written by another stretto compare; name another --output"
        )
    return found
