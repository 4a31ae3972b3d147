"""The MPI libraries: which interface each has, and where an MPI keeps its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto.launch.base import Abi

# Debian calls MPICH's library libmpich; Intel MPI shares MPICH's soname.
SONAMES = {
    "libmpi.so.40": Abi.OPENMPI,
    "libmpi.so.12": Abi.MPICH,
    "libmpich.so.12": Abi.MPICH,
    "libmpi_abi.so.1": Abi.MPIABI,
}
LABELS = {
    Abi.OPENMPI: "Open MPI ABI",
    Abi.MPICH: "MPICH ABI",
    Abi.MPIABI: "MPI 5.0 standard ABI",
}
# Below the prefix an MPI is installed in, bin/ of which holds its launcher.
_FOLDERS = ("lib", "lib64", "lib/release", "lib/*-linux-gnu", "lib/*-linux-gnu/*/lib")


@dataclass(frozen=True)
class Mpi:
    """The MPI library a program will load."""

    soname: str
    path: Path | None  # None: the loader does not find it

    @property
    def abi(self) -> Abi:
        return SONAMES[self.soname]


def mpi_among(libraries: Mapping[str, Path | None]) -> Mpi | None:
    """The MPI in a program's libraries, which are in the order the loader loads them.

    The first it is that the program's calls are bound to. Another one came with one of its
    libraries, or is what the first is built on.
    """
    for soname, path in libraries.items():
        if soname in SONAMES:
            return Mpi(soname, path)
    return None


def libmpi_beside(launcher: Path, abi: Abi) -> Path | None:
    """The library of an interface that the MPI with this launcher brings, if it does."""
    prefix = launcher.resolve().parents[1]
    for folder in _FOLDERS:
        for soname in (name for name in SONAMES if SONAMES[name] is abi):
            if found := next(prefix.glob(f"{folder}/{soname}"), None):
                return found
    return None
