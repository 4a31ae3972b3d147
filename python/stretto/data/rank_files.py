"""What has a file of each rank, written as it finalizes: the beginning of them all."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stretto.errors import EnvironmentUnusable, StrettoError, reason

# A disk that a rank found full has seldom room for so much.
_PROBE_BYTES = 1 << 20


class OfRank(msgspec.Struct, frozen=True):
    """Who wrote the file."""

    rank: int
    size: int  # of MPI_COMM_WORLD
    mpi: str  # as its library calls itself


@contextmanager
def recorded_in(folder: Path) -> Iterator[None]:
    """What a launch recorded in `folder` is read in here.

    Raises EnvironmentUnusable where it is not there as no more can be written to the folder.
    """
    try:
        yield
    except StrettoError as error:
        if why := _full(folder):
            words = f"what the ranks recorded could not all be written to {folder}: {why}"
            raise EnvironmentUnusable(words) from error
        raise


def _full(folder: Path) -> str:
    """Why no more can be written to the folder; empty if it can."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
    except OSError as error:
        return reason(error)
    return ""
