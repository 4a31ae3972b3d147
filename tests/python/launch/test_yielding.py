from pathlib import Path

import pytest

from stretto.launch import whatif
from stretto.launch.base import Abi
from stretto.launch.hydra import Hydra
from stretto.launch.job import Job
from stretto.launch.openmpi import OpenMpi
from stretto.launch.program import Program
from stretto.launch.registry import InstalledLauncher
from stretto.launch.srun import Srun
from stretto.launch.whatif import WhatifPlan

OPEN_MPI = "OMPI_MCA_mpi_yield_when_idle"
MPICH = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"

LAUNCHERS = [
    (OpenMpi(Path("mpirun"), "4.1.4"), OPEN_MPI),
    (Hydra(Path("mpiexec"), "MPICH", "5.0.2"), MPICH),
    (Srun(Path("srun"), "24.11", Abi.MPIABI), MPICH),
]


def command(launcher: InstalledLauncher, ranks: int, *, virtual: bool = True) -> str:
    job = Job(Program(("./app",), None), launcher, launcher.abi, Path("s.so"))
    plan = WhatifPlan(job, launcher, ranks, Path("scenarios.txt"), 0, None)
    return " ".join(plan.command(Path("run"), virtual=virtual))


@pytest.mark.parametrize(("launcher", "variable"), LAUNCHERS)
def test_only_ranks_that_share_cores_are_told_to_yield_them(
    launcher: InstalledLauncher, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(whatif, "usable_cores", lambda: 2)
    named = f"{variable} 1" if isinstance(launcher, Hydra) else f"{variable}=1"
    assert f" {named} " in command(launcher, 3)
    assert variable not in command(launcher, 2)
    # The real run is the user's own.
    assert variable not in command(launcher, 3, virtual=False)


@pytest.mark.parametrize(("launcher", "variable"), LAUNCHERS)
def test_what_the_user_set_stays(
    launcher: InstalledLauncher, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif, "usable_cores", lambda: 2)
    monkeypatch.setenv(variable, "0")
    assert f"{variable}=1" not in command(launcher, 3)
    assert f"{variable} 1" not in command(launcher, 3)
