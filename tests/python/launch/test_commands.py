from pathlib import Path

import pytest

from stretto.launch import openmpi
from stretto.launch.base import Abi
from stretto.launch.hydra import Hydra
from stretto.launch.openmpi import OpenMpi
from stretto.launch.srun import Srun

MPIRUN = Path("/opt/bin/mpirun")
ENV = {"LD_PRELOAD": "/lib/s.so", "A": "b, c"}


@pytest.fixture(autouse=True)
def _two_cores_and_no_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openmpi, "usable_cores", lambda: 2)
    monkeypatch.setattr(openmpi.os, "geteuid", lambda: 1000)


def test_open_mpi() -> None:
    command = OpenMpi(MPIRUN, "4.1.4", ("--bind-to", "core")).command(2, ["./app", "-n"], ENV)
    assert command == [
        *("/opt/bin/mpirun", "-n", "2", "-x", "LD_PRELOAD=/lib/s.so", "-x", "A=b, c"),
        *("--bind-to", "core", "./app", "-n"),
    ]


def test_open_mpi_needs_to_be_told_of_root_and_of_too_few_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openmpi.os, "geteuid", lambda: 0)
    command = OpenMpi(MPIRUN, "4.1.4").command(3, ["./app"], {})
    assert command[1:3] == ["--allow-run-as-root", "--oversubscribe"]


def test_hydra() -> None:
    command = Hydra(Path("mpiexec"), "MPICH", "5.0.2", ("-l",)).command(4, ["./app"], ENV)
    assert command == [
        *("mpiexec", "-genv", "LD_PRELOAD", "/lib/s.so", "-genv", "A", "b, c"),
        *("-n", "4", "-l", "./app"),
    ]


def test_srun_sets_variables_past_itself() -> None:
    srun = Srun(Path("srun"), "24.11", Abi.MPICH)
    assert srun.command(4, ["./app"], ENV) == [
        *("srun", "-n", "4", "env", "LD_PRELOAD=/lib/s.so", "A=b, c", "./app"),
    ]
    assert srun.command(4, ["./app"], {}) == ["srun", "-n", "4", "./app"]
