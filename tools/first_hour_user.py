"""The user of the first hour: whose MPIs and compilers are there, and who types lines into a shell.
For tools/first_hour.py."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cli_ends import Ended
from first_hour_promises import LANGUAGES, ROOT, Step

from stretto.launch.registry import identify

SOURCES = Path(__file__).with_name("first_hour_programs")
VENV = ROOT / ".venv" / "bin"
HANGS_AFTER_S = 240
# Of variables by which Stretto and MPIs are set nothing counts but what the user sets.
_NOT_THE_USERS = ("STRETTO_", "OMPI_", "MPIR_", "I_MPI_", "MPI4PY_", "LD_PRELOAD", "PYTHONPATH")
# Disks of our own, in a folder beside the program.
_DISK = "mkdir disk && mount -t tmpfs -o size=64k none disk && cd disk"
_PLACES = {
    "full disk": f"{_DISK} && {{ cat /dev/zero >rest; }} 2>/dev/null; ",
    "read-only disk": f"{_DISK} && mount -o remount,ro . && ",
}


@dataclass(frozen=True)
class InstalledMpi:
    """An MPI with its compilers, as a user has it on PATH."""

    name: str  # of its interface: openmpi, mpich
    product: str
    folder: Path  # of its mpicc and mpirun
    is_first: bool


@dataclass(frozen=True)
class Program:
    """One of the small programs, for an MPI."""

    language: str
    mpi: InstalledMpi

    @property
    def words(self) -> str:
        """What is typed for it."""
        return f"{VENV / 'python'} app.py" if self.language == "Python" else "./app"

    @property
    def source(self) -> Path:
        return SOURCES / {"C": "app.c", "Fortran": "app.f90", "Python": "app.py"}[self.language]


def programs() -> Iterator[Program]:
    """Of each MPI those of all languages, whether or not it can compile them."""
    for mpi in installed_mpis():
        for language in LANGUAGES:
            yield Program(language, mpi)


@functools.cache
def installed_mpis() -> tuple[InstalledMpi, ...]:
    """The user's on PATH, and the one that came into .venv; one of each interface."""
    found: dict[str, InstalledMpi] = {}
    for mpicc in (shutil.which("mpicc", path=path_of(None)), shutil.which(VENV / "mpicc")):
        if mpicc is None or (launcher := identify(Path(mpicc).parent / "mpirun")) is None:
            continue
        name = "openmpi" if launcher.product.startswith("Open MPI") else "mpich"
        folder = Path(mpicc).parent
        found.setdefault(name, InstalledMpi(name, launcher.product, folder, not found))
    return tuple(found.values())


def path_of(mpi: InstalledMpi | None) -> str:
    """PATH of a user of this MPI, who did what README.md says: `stretto` alone comes first."""
    others = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != VENV]
    theirs = [str(mpi.folder)] if mpi else []
    return os.pathsep.join([str(ROOT / "bin"), *theirs, *others])


@functools.cache
def page(name: str) -> str:
    """A page of the documentation, or what a command of that name prints of itself."""
    if not name.startswith("stretto "):
        return (ROOT / name).read_text(encoding="utf-8")
    words = [ROOT / "bin" / "stretto", *name.split()[1:]]
    env = os.environ | {"COLUMNS": "100"}
    return subprocess.run(words, check=True, capture_output=True, text=True, env=env).stdout


def _may_mount() -> bool:
    words = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )


def _may_rig() -> bool:
    words = ["unshare", "-n", "ip", "link", "add", "type", "veth"]
    return (
        shutil.which("unshare") is not None
        and shutil.which("ip") is not None
        and subprocess.run(words, capture_output=True, check=False).returncode == 0
    )


_NEEDS = {
    "mounts": (_may_mount, "only root may mount a small disk, and not everywhere"),
    "rig": (_may_rig, "only root may set up a network rig, and not everywhere"),
    "two MPIs": (lambda: len(installed_mpis()) > 1, "there is no second MPI"),
    "strip": (lambda: shutil.which("strip") is not None, "there is no strip (binutils)"),
}


@functools.cache
def _has(need: str) -> bool:
    return _NEEDS[need][0]()


def why_not(step: Step) -> str | None:
    """Why it cannot be walked on this machine; None where it can."""
    needs = (*step.needs, *(["mounts"] if step.place else []))
    return next((_NEEDS[need][1] for need in needs if not _has(need)), None)


class User:
    """Who has the program, and types lines in folders that go on or are empty."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.folders: dict[str, Path] = {}
        others = [mpi for mpi in installed_mpis() if mpi != program.mpi]
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(_NOT_THE_USERS)
        }
        self.env = ours | {
            "PATH": path_of(program.mpi),
            "APP": program.words,
            "PYTHON": str(VENV / "python"),
            "ITS_MPI": program.mpi.name,
            "OTHER_MPIRUN": str(others[0].folder / "mpirun") if others else "",
            "LC_ALL": "C.UTF-8",
        }
        # mpi4py finds the MPI that came with it by itself.
        if program.mpi.folder != VENV:
            self.env["MPI4PY_MPIABI"] = program.mpi.name

    def compile(self) -> str | None:
        """Make the program. Returns why it cannot be made here; None where it was."""
        self.folder.mkdir(parents=True)
        shutil.copy(self.program.source, self.folder)
        if self.program.language == "Python":
            words = [VENV / "python", "-c", "from mpi4py import MPI"]
        elif self.program.language == "C":
            words = [self.program.mpi.folder / "mpicc", "-g", "-O2", "app.c", "-o", "app", "-lm"]
        else:
            words = [self.program.mpi.folder / "mpifort", "-g", "-O2", "app.f90", "-o", "app"]
        if shutil.which(words[0]) is None:
            return f"there is no {words[0]}"
        done = subprocess.run(
            words, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return None
        why = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return f"{words[0]} does not make it: {why}"

    def shown(self, step: Step) -> str:
        """Its line as the user types it."""
        return step.line.replace("$APP", self.program.words.replace(f"{VENV}/", ""))

    def types(self, step: Step) -> Ended:
        """Type it, and wait for the end."""
        folder = self.folders[step.after[0]] if step.after else self._new_folder()
        self.folders[step.name] = folder
        if step.before:
            done = self._shell(f"set -e\n{step.before}", folder, step)
            if done.code != 0:
                return done
        return self._shell(step.line, folder, step)

    def _new_folder(self) -> Path:
        """One that has nothing but the program."""
        folder = self.folder / f"folder-{len(self.folders)}"
        folder.mkdir()
        for each in self.folder.glob("app*"):
            shutil.copy(each, folder)
        return folder

    def _shell(self, line: str, folder: Path, step: Step) -> Ended:
        env = self.env | {"COLUMNS": str(step.columns)}
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            words = ["bash", "-c", line]
            if step.place:
                words = ["unshare", "-m", "bash", "-c", _PLACES[step.place] + line]
            process = subprocess.Popen(
                words, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                stdout=stdout, stderr=stderr, start_new_session=True,
            )  # fmt: skip
            until = time.monotonic() + HANGS_AFTER_S
            if step.interrupt_at and line == step.line:
                while process.poll() is None and time.monotonic() < until:
                    if any(each.stat().st_size for each in folder.glob(step.interrupt_at)):
                        os.killpg(process.pid, signal.SIGINT)
                        break
                    time.sleep(0.02)
            try:
                code: int | None = process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
            said = []
            for stream in (stdout, stderr):
                stream.seek(0)
                said.append(stream.read().decode(errors="replace"))
        return Ended(code, *said)
