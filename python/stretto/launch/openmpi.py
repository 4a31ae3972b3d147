"""Open MPI's mpirun, 4.x and 5.x."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.launch.base import NEXT_PROGRAM, Abi, Start
from stretto.launch.cores import usable_cores

_VERSION = re.compile(r"\(Open MPI\) (\S+)")


@dataclass(frozen=True)
class OpenMpi:
    """An mpirun of Open MPI."""

    path: Path
    version: str
    extra: tuple[str, ...] = ()

    abi = Abi.OPENMPI
    starts = (Abi.OPENMPI,)
    reports_deaths = True
    starts_several = True

    @classmethod
    def identify(cls, path: Path, version_text: str) -> "OpenMpi | None":
        """The launcher at `path`, if what it says of its version is Open MPI's."""
        found = _VERSION.search(version_text)
        return cls(path, found[1]) if found else None

    @property
    def product(self) -> str:
        return f"Open MPI {self.version}"

    @property
    def name(self) -> str:
        return f"{self.product} ({self.path})"

    def command(self, start: Start) -> list[str]:
        settings = [
            *(word for key, value in start.env.items() for word in ("-x", f"{key}={value}")),
            *(word for name in start.named for word in ("-x", name)),
        ]
        return [
            str(self.path),
            *(["--allow-run-as-root"] if os.geteuid() == 0 else []),
            *(["--oversubscribe"] if start.ranks > usable_cores() else []),
            *("-n", str(start.ranks)),
            *settings,
            *self.extra,
            *_for_each_program(start.argv, settings),
        ]


def _for_each_program(argv: Sequence[str], settings: Sequence[str]) -> list[str]:
    """The words of a command line, on which -x is for the ranks of one program alone."""
    return [
        word for each in argv for word in ((each, *settings) if each == NEXT_PROGRAM else (each,))
    ]
