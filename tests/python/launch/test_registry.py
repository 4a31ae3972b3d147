from pathlib import Path

import pytest
from stand_ins import MPIRUN, executable

from stretto.errors import EnvironmentUnusable
from stretto.launch import registry
from stretto.launch.base import Abi, Start
from stretto.launch.hydra import Hydra
from stretto.launch.libmpi import Mpi
from stretto.launch.openmpi import OpenMpi
from stretto.launch.program import Program
from stretto.launch.registry import choose_launcher, identify
from stretto.launch.srun import Srun


def says(path: Path, text: str) -> Path:
    return executable(path, f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")


HYDRA = "HYDRA build details:\n    Version:                5.0.2\n    Release Date: today"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.19 Build 20260101"


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is of PATH, and no launcher elsewhere."""
    folder = tmp_path / "path"
    folder.mkdir()
    for tool in ("sh", "cat", "bash"):
        (folder / tool).symlink_to(f"/bin/{tool}")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(registry.sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return folder


def program(soname: str, lib: Path) -> Program:
    return Program(("./solver",), Mpi(soname, lib / soname))


@pytest.mark.parametrize(
    ("text", "kind", "name", "abi"),
    [
        ("mpirun (Open MPI) 5.0.11\n\nReport bugs", OpenMpi, "Open MPI 5.0.11", Abi.OPENMPI),
        (HYDRA, Hydra, "MPICH 5.0.2", Abi.MPICH),
        (INTEL, Hydra, "Intel MPI 2021.19", Abi.MPICH),
        ("slurm-wlm 22.05.8", Srun, "Slurm 22.05.8", Abi.OPENMPI),
    ],
)
def test_launchers_are_known_by_what_they_say(
    only: Path, text: str, kind: type, name: str, abi: Abi
) -> None:
    path = says(only / "launcher", text)
    launcher = identify(path)
    assert isinstance(launcher, kind)
    assert (launcher.product, launcher.name) == (name, f"{name} ({path})")
    assert launcher.abi is abi


def test_anything_else_is_no_launcher(only: Path) -> None:
    assert identify(says(only / "launcher", "hello 1.0")) is None
    assert identify(only / "not-there") is None


def test_the_launcher_beside_libmpi_goes_before_the_one_on_path(only: Path, tmp_path: Path) -> None:
    executable(only / "mpirun", MPIRUN)
    own = executable(tmp_path / "opt" / "bin" / "mpirun", MPIRUN)
    chosen = choose_launcher(program("libmpi.so.40", tmp_path / "opt" / "lib"))
    assert chosen.path == own


def test_launchers_of_another_abi_are_passed_over(only: Path, tmp_path: Path) -> None:
    executable(only / "mpirun", MPIRUN)
    hydra = says(tmp_path / "venv" / "bin" / "mpiexec", HYDRA)
    assert choose_launcher(program("libmpi.so.12", tmp_path)).path == hydra


def test_hydra_starts_programs_of_the_standard_abi_too(only: Path, tmp_path: Path) -> None:
    executable(only / "mpirun", MPIRUN)
    hydra = says(only / "mpiexec", HYDRA)
    assert choose_launcher(program("libmpi_abi.so.1", tmp_path)).path == hydra
    assert choose_launcher(program("libmpi_abi.so.1", tmp_path), str(hydra)).path == hydra


# Intel's mpirun is a script that calls the mpiexec.hydra on PATH.
def test_intels_mpirun_is_not_taken_for_the_mpi_on_path(only: Path, tmp_path: Path) -> None:
    says(only / "mpiexec.hydra", HYDRA)
    intel = tmp_path / "intel" / "bin"
    own = says(intel / "mpiexec.hydra", INTEL)
    mpirun = executable(intel / "mpirun", '#!/bin/sh\nexec mpiexec.hydra "$@"\n')
    launcher = identify(mpirun)
    assert launcher == Hydra(own, "Intel MPI", "2021.19")


def test_intels_mpirun_is_called_where_path_leads_it_to_its_own(
    only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    intel = tmp_path / "intel" / "bin"
    says(intel / "mpiexec.hydra", INTEL)
    mpirun = executable(intel / "mpirun", '#!/bin/sh\nexec mpiexec.hydra "$@"\n')
    monkeypatch.setenv("PATH", f"{intel}:{only}")
    assert identify(mpirun) == Hydra(mpirun, "Intel MPI", "2021.19")


def test_a_mismatch_names_both_sides_and_the_way_out(only: Path, tmp_path: Path) -> None:
    path = executable(only / "mpirun", MPIRUN)
    with pytest.raises(EnvironmentUnusable) as error:
        choose_launcher(program("libmpi.so.12", tmp_path))
    assert str(error.value) == (
        f"./solver needs libmpi.so.12 (MPICH ABI) but {path} is Open MPI 4.1.4. Load the MPICH "
        "module, or name its launcher: --launcher /path/to/mpiexec"
    )


@pytest.mark.usefixtures("only")
def test_no_launcher_at_all_says_where_was_sought(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match=r"no MPI launcher for \./solver found"):
        choose_launcher(program("libmpi.so.40", tmp_path))


def test_a_program_that_shows_no_mpi_follows_the_launcher(only: Path) -> None:
    executable(only / "mpirun", MPIRUN)
    assert choose_launcher(Program(("./job",), None)).abi is Abi.OPENMPI


def test_a_named_launcher_is_used_with_its_arguments(only: Path, tmp_path: Path) -> None:
    executable(only / "mpirun", MPIRUN)
    mine = executable(tmp_path / "mine", MPIRUN)
    chosen = choose_launcher(program("libmpi.so.40", tmp_path), str(mine), ["--bind-to", "core"])
    assert chosen.path == mine
    assert "--bind-to" in chosen.command(Start(2, ["./solver"]))


@pytest.mark.parametrize("named", ["./mpirun", "mpirun"])
def test_a_launcher_in_this_folder_is_not_taken_for_another_on_path(
    only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    executable(only / "mpirun", MPIRUN)
    mine = executable(tmp_path / "here" / "mpirun", MPIRUN)
    monkeypatch.chdir(mine.parent)
    if "/" not in named:
        monkeypatch.setenv("PATH", f".:{only}")
    chosen = choose_launcher(program("libmpi.so.40", tmp_path), named)
    assert chosen.command(Start(2, ["./solver"]))[0] == str(mine)


@pytest.mark.parametrize(
    ("named", "words"),
    [("/not/there", "not there"), ("cat", "no launcher known"), ("mpirun", "is Open MPI 4.1.4")],
)
def test_a_named_launcher_that_will_not_do_says_why(
    only: Path, tmp_path: Path, named: str, words: str
) -> None:
    executable(only / "mpirun", MPIRUN)
    with pytest.raises(EnvironmentUnusable, match=words):
        choose_launcher(program("libmpi.so.12", tmp_path), named)


def test_srun_serves_any_abi_inside_a_job(
    only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(only / "srun", "slurm 24.11.1")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    chosen = choose_launcher(program("libmpi.so.12", tmp_path))
    assert isinstance(chosen, Srun)
    assert chosen.abi is Abi.MPICH


def test_an_mpi_with_several_names_for_its_launcher_counts_once(only: Path) -> None:
    for name in ("mpirun", "mpiexec", "mpiexec.hydra"):
        says(only / name, HYDRA)
    executable(only / "mpirun.openmpi", MPIRUN)
    assert [each.path.name for each in registry.known_launchers()] == ["mpirun", "mpirun.openmpi"]
