"""What a launcher is: the way one MPI starts ranks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Abi(StrEnum):
    """The binary interfaces an MPI library can have; also the drop-in's variants."""

    OPENMPI = "openmpi"
    MPICH = "mpich"
    MPIABI = "mpiabi"


# Between programs that are launched together, each with its own options, on a command line.
NEXT_PROGRAM = ":"


@dataclass(frozen=True)
class Start:
    """What a launcher is to start: so many ranks of a program.

    `env` is for the ranks only and travels the launcher's own way, so that an
    LD_PRELOAD in it reaches the ranks and never the launcher itself. `named` are variables
    that the launcher has in its own environment and hands on: every user of the machine may read
    command lines, and some values are secret.
    """

    ranks: int
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    named: Iterable[str] = ()


class Launcher(Protocol):
    """Turns a start into one command line."""

    @property
    def name(self) -> str:
        """As a message shows it: "Open MPI 4.1.4 (/usr/bin/mpirun)"."""

    @property
    def abi(self) -> Abi:
        """The interface of the programs it starts, where they do not show theirs."""

    @property
    def starts(self) -> tuple[Abi, ...]:
        """Every interface that programs it starts may have."""

    @property
    def starts_several(self) -> bool:
        """Whether the environment of a `Start` reaches the ranks of all programs of a line."""

    @property
    def reports_deaths(self) -> bool:
        """Whether it never ends with 0 that has ended ranks because one of them died."""

    def command(self, start: Start) -> list[str]:
        """The full command line; running it is `launch.process.launch`."""
