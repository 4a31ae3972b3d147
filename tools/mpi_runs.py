"""The MPIs that programs are built for here, and how tools and tests run one of the programs."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto import native
from stretto.errors import StrettoError
from stretto.launch.base import Abi, Start
from stretto.launch.environment import (
    ALL_RANKS,
    CALIBRATION_TIME,
    SELECTED,
    SELECTION,
    selections_in_turn,
)
from stretto.launch.process import launch
from stretto.launch.registry import InstalledLauncher, identify, known_launchers
from stretto.launch.survey import mpi_interfaces
from stretto.launch.yielding import yielding
from stretto.native.schedules import known_algorithms

# Several programs run at a time, so ranks share cores: waiting ones leave them to others.
for _abi in Abi:
    os.environ.update(yielding(_abi))

# Open MPI starts in a third of the time where it looks for no networks but TCP. On a machine that
# has no others it chooses the same transports by itself.
os.environ.setdefault("OMPI_MCA_pml", "ob1")
os.environ.setdefault("OMPI_MCA_btl", "^ofi,openib,uct,usnic")

# What is measured of the machine need not be precise.
os.environ.setdefault(CALIBRATION_TIME, "5")

# Tools and tests mostly preload by hand, all ranks.
os.environ[ALL_RANKS] = "trust"

# For MPIs that read other ranks' memory, some of which give up where the kernel refuses that.
NO_READS_OF_MEMORY = {
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "MPIR_CVAR_CH4_CMA_ENABLE": "0",
}

# What tools/mpis.sh installs; programs built for another MPI of the same ABI run on these.
FURTHER_MPIS = Path(__file__).resolve().parents[1] / ".mpis"

LIBRARY = {Abi.OPENMPI: "libmpi.so.40", Abi.MPICH: "libmpi.so.12", Abi.MPIABI: "libmpi_abi.so.1"}

# A program that takes this long hangs; nothing here needs a tenth of it.
HANGS_AFTER_S = 240.0


class NoFortran(Exception):
    """Not every MPI brings its bindings: a program in Fortran was not built for it."""


@dataclass(frozen=True)
class Ended:
    """How a program ended, and all it said."""

    exit_code: int
    timed_out: bool
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True)
class Mpi:
    """An MPI with one of its interfaces, and the programs of this repository built for that."""

    launcher: InstalledLauncher
    abi: Abi
    libmpi: Path | None
    build: Path

    @property
    def name(self) -> str:
        """The MPI and its version."""
        return self.launcher.product

    @property
    def environment(self) -> dict[str, str]:
        """What makes the loader find this MPI and not the one a program was built with."""
        if self.libmpi is None or not self.libmpi.is_relative_to(FURTHER_MPIS):
            return {}
        theirs = os.environ.get("LD_LIBRARY_PATH", "")
        return {"LD_LIBRARY_PATH": f"{self.libmpi.parent}:{theirs}".rstrip(":")}

    def app(self, name: str) -> Path:
        """A sample application."""
        return self._program("apps", name)

    def program(self, name: str) -> Path:
        """The program of tests/mpi/<name>.*."""
        return self._program("tests", name)

    def standin(self, name: str) -> Path:
        """The library of tests/mpi/standin/<name>_mpi.c; preloaded, it is taken for the MPI's."""
        return self.build / "tests" / self.abi / "standin" / name / LIBRARY[self.abi]

    def run(
        self,
        program: Path | str,
        *arguments: object,
        ranks: int,
        apart: int = 0,
        env: Mapping[str, str] | None = None,
        timeout_s: float = HANGS_AFTER_S,
    ) -> Ended:
        """Run to the end, or kill whatever it has become; `env` goes to the ranks alone.

        The last `apart` ranks are those of a second program on the launcher's command line.
        """
        command = [str(program), *map(str, arguments)]
        env = {**self.environment, **(env or {})}
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            outcome = launch(
                self._command(ranks, apart, command, env),
                timeout_s=timeout_s,
                stdout=stdout,
                stderr=stderr,
            )
            said = []
            for stream in (stdout, stderr):
                stream.seek(0)
                said.append(stream.read().decode(errors="replace"))
        return Ended(outcome.exit_code, outcome.timed_out, *said)

    def run_under_stretto(
        self,
        program: Path | str,
        *arguments: object,
        ranks: int,
        apart: int = 0,
        env: Mapping[str, str] | None = None,
        timeout_s: float = HANGS_AFTER_S,
    ) -> Ended:
        """The same with the drop-in preloaded.

        What is tested is what Stretto runs itself, whether or not there are cores enough here.
        """
        preload = {"LD_PRELOAD": str(native.drop_in(self.abi)), SELECTED: "stretto"}
        env = {**preload, **(env or {})}
        return self.run(program, *arguments, ranks=ranks, apart=apart, env=env, timeout_s=timeout_s)

    def _command(
        self, ranks: int, apart: int, program: list[str], env: Mapping[str, str]
    ) -> list[str]:
        if not apart:
            return self.launcher.command(Start(ranks, program, env))
        path, *first = self.launcher.command(Start(ranks - apart, program, env))
        # Each program has its own number of ranks; that cores are shared only their sum tells.
        crowded = ["--oversubscribe"] if self.abi is Abi.OPENMPI else []
        second = self.launcher.command(Start(apart, program, env))
        return [path, *crowded, *first, ":", *second[second.index("-n") :]]

    def _program(self, kind: str, name: str) -> Path:
        path = self.build / kind / self.abi / name
        if not path.exists():
            assert name.startswith("fortran"), f"{path} was not built"
            raise NoFortran(f"no Fortran bindings for {self.launcher.name}")
        return path


def _every_mpi() -> dict[str, Mpi]:
    """Each MPI here with each interface it has and programs were built for."""
    try:
        build = native.native_dir()
    except StrettoError:
        return {}
    further = (identify(folder / "bin" / "mpirun") for folder in sorted(FURTHER_MPIS.glob("*")))
    found: dict[str, Mpi] = {}
    for each in mpi_interfaces(dict.fromkeys([*known_launchers(), *filter(None, further)])):
        if (build / "tests" / each.abi).is_dir():
            mpi = Mpi(each.launcher, each.abi, each.libmpi, build)
            found.setdefault(f"{mpi.name}, {mpi.abi}", mpi)
    return found


def _first_of_each_abi() -> dict[str, Mpi]:
    found: dict[str, Mpi] = {}
    for mpi in EVERY_MPI.values():
        if mpi.abi is not Abi.MPIABI:  # its MPIs are there with their own interface already
            found.setdefault(mpi.abi, mpi)
    return found


EVERY_MPI = _every_mpi()
MPIS = _first_of_each_abi()


def algorithms_in_turn() -> list[dict[str, str]]:
    """Settings for as many runs as it takes to force each algorithm of each collective once."""
    return [
        {f"{SELECTION}{collective.upper()}": name for collective, name in selection.items()}
        for selection in selections_in_turn(known_algorithms())
    ]
