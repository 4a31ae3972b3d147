"""The MPIs that programs are built for here, and how a test runs one of the programs."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from stretto import native
from stretto.errors import StrettoError
from stretto.launch.base import Abi
from stretto.launch.dropin import SELECTION, selections_in_turn
from stretto.launch.process import launch
from stretto.launch.registry import Known, known_launchers
from stretto.launch.schedules import known_algorithms

# A program that takes this long hangs; nothing here needs a tenth of it.
HANGS_AFTER_S = 240.0


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
    """An MPI, and the programs of this repository built for it."""

    launcher: Known
    build: Path

    @property
    def abi(self) -> Abi:
        return self.launcher.abi

    def app(self, name: str) -> Path:
        """A sample application."""
        return self._program("apps", name)

    def program(self, name: str) -> Path:
        """The program of tests/mpi/<name>.*."""
        return self._program("tests", name)

    def run(
        self,
        program: Path | str,
        *arguments: object,
        ranks: int,
        env: Mapping[str, str] | None = None,
        timeout_s: float = HANGS_AFTER_S,
    ) -> Ended:
        """Run to the end, or kill whatever it has become; `env` goes to the ranks alone."""
        command = [str(program), *map(str, arguments)]
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            outcome = launch(
                self.launcher.command(ranks, command, env or {}),
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
        env: Mapping[str, str] | None = None,
        timeout_s: float = HANGS_AFTER_S,
    ) -> Ended:
        """The same with the drop-in preloaded."""
        preload = {"LD_PRELOAD": str(native.drop_in(self.abi))}
        env = {**preload, **(env or {})}
        return self.run(program, *arguments, ranks=ranks, env=env, timeout_s=timeout_s)

    def _program(self, kind: str, name: str) -> Path:
        path = self.build / kind / self.abi / name
        if not path.exists():
            # Only Fortran may be missing: not every MPI brings its bindings.
            assert name.startswith("fortran"), f"{path} was not built"
            pytest.skip(f"no Fortran bindings for {self.launcher.name}")
        return path


def _mpis() -> dict[str, Mpi]:
    """By ABI: the first launcher of each that programs were built for."""
    try:
        build = native.native_dir()
    except StrettoError:
        return {}
    found: dict[str, Mpi] = {}
    for launcher in known_launchers():
        if (build / "tests" / launcher.abi).is_dir():
            found.setdefault(launcher.abi, Mpi(launcher, build))
    return found


MPIS = _mpis()


def algorithms_in_turn() -> list[dict[str, str]]:
    """Settings for as many runs as it takes to force each algorithm of each collective once."""
    return [
        {f"{SELECTION}{collective.upper()}": name for collective, name in selection.items()}
        for selection in selections_in_turn(known_algorithms())
    ]
