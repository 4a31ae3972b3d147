"""The MPIs whose own algorithms can be measured and chosen: a module each."""

from stretto.tune import intel, mpich, openmpi
from stretto.tune.settings import Format, OwnSettings

_MPIS = (openmpi.OWN, intel.OWN, mpich.OWN)

PRODUCTS = tuple(mpi.product for mpi in _MPIS)
# By the name that `stretto export --to` takes.
FORMATS: dict[str, Format] = {
    name: format_ for mpi in _MPIS for name, format_ in mpi.formats.items()
}


def settings_of(mpi: str) -> OwnSettings | None:
    """Of the MPI of that name and version."""
    return next((each for each in _MPIS if each.is_of(mpi)), None)
