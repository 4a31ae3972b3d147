"""Which launcher starts a program: the one that belongs to the MPI it will load."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.hydra import Hydra
from stretto.launch.libmpi import LABELS
from stretto.launch.openmpi import OpenMpi
from stretto.launch.program import Program
from stretto.launch.srun import Srun

InstalledLauncher = OpenMpi | Hydra | Srun

_COMMANDS = ("mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.mpich")
_MODULES = {Abi.OPENMPI: "Open MPI", Abi.MPICH: "MPICH", Abi.MPIABI: "MPICH"}


def choose_launcher(
    program: Program, named: str | None = None, extra: Sequence[str] = ()
) -> InstalledLauncher:
    """The launcher the user named, or the nearest one of the program's MPI."""
    launcher = _named(named, program) if named else _found(program)
    return replace(launcher, extra=tuple(extra))


def known_launchers(near: Path | None = None) -> list[InstalledLauncher]:
    """One launcher of every MPI that can be found here, the most fitting first."""
    found: dict[tuple[Path, str], InstalledLauncher] = {}
    for path in _candidates(near):
        if launcher := identify(path):
            # An MPI installs its launcher under several names.
            found.setdefault((path.parent, launcher.product), launcher)
    return list(found.values())


def identify(path: Path, abi: Abi | None = None) -> InstalledLauncher | None:
    """The launcher at `path`, by what it says of itself; `abi` is what srun shall start."""
    path = path.absolute()  # "./mpirun" without its folder would be another one, on PATH
    said = _version_text(path)
    return (
        OpenMpi.identify(path, said)
        or Hydra.identify(path, said)
        or Srun.identify(path, said, abi or Abi.OPENMPI)
    )


def _named(named: str, program: Program) -> InstalledLauncher:
    path = shutil.which(named)
    if path is None:
        raise EnvironmentUnusable(f"the launcher {named} is not there or not executable")
    wanted = program.mpi.abi if program.mpi else None
    launcher = identify(Path(path), wanted)
    if launcher is None:
        raise EnvironmentUnusable(
            f"{named} is no launcher known here (Open MPI, MPICH, Intel MPI, Slurm): "
            "its --version names none of them"
        )
    if wanted is not None and wanted not in launcher.starts:
        raise EnvironmentUnusable(_mismatch(program, launcher))
    return launcher


def _found(program: Program) -> InstalledLauncher:
    mpi = program.mpi
    others: list[InstalledLauncher] = []
    for launcher in known_launchers(mpi.path if mpi else None):
        if mpi is None or mpi.abi in launcher.starts:
            return launcher
        others.append(launcher)
    if os.environ.get("SLURM_JOB_ID") and (srun := shutil.which("srun")):
        slurm = identify(Path(srun), mpi.abi if mpi else None)
        if slurm is not None:
            return slurm
    if others:
        raise EnvironmentUnusable(_mismatch(program, others[0]))
    raise EnvironmentUnusable(
        f"no MPI launcher for {program.name} found: no mpirun or mpiexec on PATH, in "
        f"{sys.prefix}/bin or beside its libmpi. Install or load {_wanted_module(program)}, or "
        "name its launcher: --launcher /path/to/mpiexec"
    )


def _mismatch(program: Program, launcher: InstalledLauncher) -> str:
    assert program.mpi is not None
    return (
        f"{program.name} needs {program.mpi.soname} ({LABELS[program.mpi.abi]}) but "
        f"{launcher.path} is {launcher.product}. Load the {_wanted_module(program)} module, or "
        "name its launcher: --launcher /path/to/mpiexec"
    )


def _wanted_module(program: Program) -> str:
    return _MODULES[program.mpi.abi] if program.mpi else "an MPI"


def _candidates(near: Path | None) -> Iterator[Path]:
    """Launchers beside the program's libmpi first: an MPI only works with its own."""
    seen: set[Path] = set()
    for folder in _folders(near):
        for name in _COMMANDS:
            path = folder / name
            # By content, not by name: mpirun and mpiexec are mostly one file.
            if os.access(path, os.X_OK) and (real := path.resolve()) not in seen:
                seen.add(real)
                yield path


def _folders(near: Path | None) -> Iterable[Path]:
    if near is not None:
        # Not up to the root: /bin is beside everything.
        yield from (parent / "bin" for parent in list(near.resolve().parents)[:-1])
    yield from (Path(folder) for folder in os.environ.get("PATH", "").split(":") if folder)
    yield Path(sys.prefix) / "bin"


def _version_text(path: Path) -> str:
    env = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    # A script that calls another program of its MPI's finds that by PATH.
    env["PATH"] = f"{path.parent}:{env.get('PATH', '')}"
    try:
        answer = subprocess.run(
            [str(path), "--version"],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr
