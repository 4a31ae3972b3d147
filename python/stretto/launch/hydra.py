"""The hydra launcher, which MPICH and Intel MPI share."""

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.launch.base import Abi, Start

_MPICH = re.compile(r"HYDRA build details:\s+Version:\s+(\S+)")
_INTEL = re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)")

# Its options on what of its environment the ranks get.
_NOTHING = re.compile("(--?g?env)none")
_THOSE = re.compile("--?g?envlist")


@dataclass(frozen=True)
class Hydra:
    """An mpiexec of MPICH or Intel MPI."""

    path: Path
    mpi: str
    version: str
    extra: tuple[str, ...] = ()

    abi = Abi.MPICH
    starts = (Abi.MPICH, Abi.MPIABI)
    starts_several = True  # -genv is for all
    reports_deaths = False  # of a rank that leaves by _exit(0), for which it ends the others

    @classmethod
    def identify(cls, path: Path, version_text: str) -> "Hydra | None":
        """The launcher at `path`, if what it says of its version is hydra's."""
        if found := _INTEL.search(version_text):
            return cls(_itself(path), "Intel MPI", found[1])
        if found := _MPICH.search(version_text):
            return cls(path, "MPICH", found[1])
        return None

    @property
    def product(self) -> str:
        return f"{self.mpi} {self.version}"

    @property
    def name(self) -> str:
        return f"{self.product} ({self.path})"

    def command(self, start: Start) -> list[str]:
        return [
            str(self.path),
            *(word for key, value in start.env.items() for word in ("-genv", key, value)),
            *("-n", str(start.ranks)),
            *_passing_on(self.extra, start.named),
            *start.argv,
        ]


def _passing_on(options: Sequence[str], named: Iterable[str]) -> list[str]:
    """Those options, with which the variables that are named reach the ranks.

    Hydra hands on all it has, unless it is asked for some or none.
    """
    if not (names := ",".join(named)):
        return list(options)
    words: list[str] = []
    for word in options:
        before = words[-1] if words else ""
        if nothing := _NOTHING.fullmatch(word):
            words += [f"{nothing[1]}list", names]
        else:
            words.append(f"{word},{names}" if _THOSE.fullmatch(before) else word)
    return words


def _itself(path: Path) -> Path:
    """The launcher to call for the one at `path`.

    Intel's mpirun is a script that calls the mpiexec.hydra on PATH, which may be MPICH's.
    """
    own = path.with_name("mpiexec.hydra")
    on_path = shutil.which(own.name)
    if not own.exists() or (on_path is not None and Path(on_path).samefile(own)):
        return path
    return own
