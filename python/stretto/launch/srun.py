"""Slurm's srun, which starts the ranks of any MPI."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.launch.base import Abi, Start

_VERSION = re.compile(r"^slurm(?:-wlm)? (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Srun:
    """An srun; which MPI's ranks it starts is up to the program."""

    path: Path
    version: str
    abi: Abi
    extra: tuple[str, ...] = ()

    reports_deaths = True
    starts_several = False

    @classmethod
    def identify(cls, path: Path, version_text: str, abi: Abi) -> "Srun | None":
        """The launcher at `path`, if what it says of its version is Slurm's."""
        found = _VERSION.search(version_text)
        return cls(path, found[1], abi) if found else None

    @property
    def starts(self) -> tuple[Abi, ...]:
        return (self.abi,)

    @property
    def product(self) -> str:
        return f"Slurm {self.version}"

    @property
    def name(self) -> str:
        return f"{self.product} ({self.path})"

    def command(self, start: Start) -> list[str]:
        # srun's own --export splits values at commas; env(1) takes any value, and is
        # itself started before the variables are set.
        settings = [f"{key}={value}" for key, value in start.env.items()]
        return [
            str(self.path),
            *("-n", str(start.ranks)),
            *self.extra,
            *_passing_on(self.extra, start.named),
            *(["env", *settings] if settings else []),
            *start.argv,
        ]


def _passing_on(options: Sequence[str], named: Iterable[str]) -> list[str]:
    """The options with which the variables that are named reach the ranks.

    srun hands on all it has, unless it, or the sbatch that it runs in, is asked for some or
    none.
    """
    passed = os.environ.get("SLURM_EXPORT_ENV", "ALL")
    for word, after in zip(options, (*options[1:], ""), strict=False):
        if word == "--export":
            passed = after
        elif word.startswith("--export="):
            passed = word.removeprefix("--export=")
    words = passed.split(",")
    if not (names := list(named)) or "ALL" in words:
        return []
    return ["--export=" + ",".join([*(w for w in words if w not in ("NONE", "NIL")), *names])]
