"""What folders of `stretto bench` that are being made have in common: whose they are, how they are
written, and how the same command finds its own again."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from stretto.data.run_claim import Claim, claim
from stretto.errors import InputError, StrettoError, naming

LOCK = "lock"
_Found = TypeVar("_Found")


def claimed(path: Path) -> Claim:
    """For this process alone. Raises InputError where another one is writing it."""
    lock = path / LOCK
    with naming(path):
        found = claim(lock, create=not lock.exists())
    if found is None:
        raise InputError(f"{path} is being written by another stretto bench; name another --output")
    return found


def newest_resumed(
    parent: Path, name: str, resume: Callable[[Path], _Found | None]
) -> _Found | None:
    """The newest of the folders of that name in `parent` that `resume` takes."""
    if not parent.is_dir():
        return None
    begun = [path for path in parent.iterdir() if path.name.startswith(f"{name}-")]
    for path in sorted(begun, key=lambda it: it.stat().st_mtime, reverse=True):
        with suppress(StrettoError):
            if found := resume(path):
                return found
    return None
