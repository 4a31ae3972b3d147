"""The hydra launcher, which MPICH and Intel MPI share."""

import re
import shutil
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
    starts = (Abi.MPICH, Abi.MPIABI)

    @classmethod
    def identify(cls, path: Path, version_text: str) -> "Hydra | None":
        """The launcher at `path`, if what it says of its version is hydra's."""
        if found := _INTEL.search(version_text):
            return cls(_itself(path), "Intel MPI", found[1])
        if found := _MPICH.search(version_text):
            return cls(path, "MPICH", found[1])
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


def _itself(path: Path) -> Path:
    """The launcher to call for the one at `path`.

    Intel's mpirun is a script that calls the mpiexec.hydra on PATH, which may be MPICH's.
    """
    own = path.with_name("mpiexec.hydra")
    on_path = shutil.which(own.name)
    if not own.exists() or (on_path is not None and Path(on_path).samefile(own)):
        return path
    return own
