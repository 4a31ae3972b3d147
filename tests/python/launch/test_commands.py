from pathlib import Path

import pytest

from stretto.launch import openmpi
from stretto.launch.base import Abi, Start
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
    command = OpenMpi(MPIRUN, "4.1.4", ("--bind-to", "core")).command(
        Start(2, ["./app", "-n"], ENV)
    )
    assert command == [
        *("/opt/bin/mpirun", "-n", "2", "-x", "LD_PRELOAD=/lib/s.so", "-x", "A=b, c"),
        *("--bind-to", "core", "./app", "-n"),
    ]


def test_open_mpi_preloads_every_program_of_several() -> None:
    argv = ["./a", ":", "-n", "1", "./b"]
    command = OpenMpi(MPIRUN, "4.1.4").command(Start(1, argv, {"A": "b"}, ["SECRET"]))
    settings = ["-x", "A=b", "-x", "SECRET"]
    assert command[3:] == [*settings, "./a", ":", *settings, "-n", "1", "./b"]


def test_open_mpi_needs_to_be_told_of_root_and_of_too_few_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openmpi.os, "geteuid", lambda: 0)
    command = OpenMpi(MPIRUN, "4.1.4").command(Start(3, ["./app"]))
    assert command[1:3] == ["--allow-run-as-root", "--oversubscribe"]


def test_open_mpi_finds_the_value_of_what_is_only_named() -> None:
    command = OpenMpi(MPIRUN, "4.1.4").command(Start(2, ["./app"], {"A": "b"}, ["SECRET"]))
    assert command == ["/opt/bin/mpirun", "-n", "2", "-x", "A=b", "-x", "SECRET", "./app"]


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["-l"], ["-l"]),
        (["-genvall"], ["-genvall"]),
        (["-genvnone", "-l"], ["-genvlist", "SECRET", "-l"]),
        (["-genvlist", "A,B"], ["-genvlist", "A,B,SECRET"]),
        (["--envnone"], ["--envlist", "SECRET"]),
    ],
)
def test_hydra_hands_on_what_is_named_beside_what_it_is_told_to(
    given: list[str], passed: list[str]
) -> None:
    hydra = Hydra(Path("mpiexec"), "MPICH", "5.0.2", tuple(given))
    assert hydra.command(Start(4, ["./app"], {}, ["SECRET"]))[3:-1] == passed
    assert hydra.command(Start(4, ["./app"]))[3:-1] == given


@pytest.mark.parametrize(
    ("given", "outer", "passed"),
    [
        ([], None, []),
        ([], "ALL", []),
        ([], "NONE", ["--export=SECRET"]),
        ([], "A,B", ["--export=A,B,SECRET"]),
        (["--export=NIL"], None, ["--export=SECRET"]),
        (["--export", "ALL,A=b"], "NONE", []),
        (["--export", "A=b"], None, ["--export=A=b,SECRET"]),
    ],
)
def test_srun_hands_on_what_is_named_beside_what_it_is_told_to(
    monkeypatch: pytest.MonkeyPatch, given: list[str], outer: str | None, passed: list[str]
) -> None:
    monkeypatch.delenv("SLURM_EXPORT_ENV", raising=False)
    if outer is not None:
        monkeypatch.setenv("SLURM_EXPORT_ENV", outer)
    srun = Srun(Path("srun"), "24.11", Abi.MPICH, tuple(given))
    assert srun.command(Start(4, ["./app"], {}, ["SECRET"])) == [
        "srun",
        "-n",
        "4",
        *given,
        *passed,
        "./app",
    ]


def test_hydra() -> None:
    command = Hydra(Path("mpiexec"), "MPICH", "5.0.2", ("-l",)).command(Start(4, ["./app"], ENV))
    assert command == [
        *("mpiexec", "-genv", "LD_PRELOAD", "/lib/s.so", "-genv", "A", "b, c"),
        *("-n", "4", "-l", "./app"),
    ]


def test_srun_sets_variables_past_itself() -> None:
    srun = Srun(Path("srun"), "24.11", Abi.MPICH)
    assert srun.command(Start(4, ["./app"], ENV)) == [
        *("srun", "-n", "4", "env", "LD_PRELOAD=/lib/s.so", "A=b, c", "./app"),
    ]
    assert srun.command(Start(4, ["./app"])) == ["srun", "-n", "4", "./app"]
