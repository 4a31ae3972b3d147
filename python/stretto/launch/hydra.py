"""The hydra launcher, which MPICH and Intel MPI share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.launch.base import Abi

_MPICH = re.compile(r"HYDRA build details:\s+Version:\s+(\S+)")
_INTEL = re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)")


@dataclass(frozen=True)
class Hydra:
    """An mpiexec of MPICH or Intel MPI."""

    path: Path
    mpi: str
    version: str
    extra: tuple[str, ...] = ()

    abi = Abi.MPICH

    @classmethod
    def identify(cls, path: Path, version_text: str) -> "Hydra | None":
        """The launcher at `path`, if what it says of its version is hydra's."""
        for mpi, pattern in (("Intel MPI", _INTEL), ("MPICH", _MPICH)):
            if found := pattern.search(version_text):
                return cls(path, mpi, found[1])
        return None

    @property
    def name(self) -> str:
        return f"{self.mpi} {self.version} ({self.path})"

    def command(self, ranks: int, argv: Sequence[str], env: Mapping[str, str]) -> list[str]:
        return [
            str(self.path),
            *(word for key, value in env.items() for word in ("-genv", key, value)),
            *("-n", str(ranks)),
            *self.extra,
            *argv,
        ]
