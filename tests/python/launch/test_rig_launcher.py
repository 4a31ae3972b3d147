"""The command lines that start ranks on a rig."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from stretto.errors import InputError
from stretto.launch.base import Abi, Launcher, Start
from stretto.launch.hydra import Hydra
from stretto.launch.openmpi import OpenMpi
from stretto.launch.rig import parse_rig
from stretto.launch.rig.launcher import RigLauncher
from stretto.launch.srun import Srun

OPEN_MPI_4 = OpenMpi(Path("/usr/bin/mpirun"), "4.1.4")
OPEN_MPI_5 = OpenMpi(Path("/opt/bin/mpirun"), "5.0.11")
MPICH = Hydra(Path("/opt/bin/mpiexec"), "MPICH", "5.0.2")


def enter(host: str, argv: Sequence[str]) -> list[str]:
    return ["on", host, *argv]


def line(mpi: Launcher, ranks: int = 4) -> str:
    launcher = RigLauncher(parse_rig("2x2@1gbit"), mpi, enter)
    return shlex.join(launcher.command(Start(ranks, ["./a b"], {"KEY": "1"})))


@pytest.mark.parametrize("mpi", [OPEN_MPI_4, OPEN_MPI_5, MPICH])
def test_launcher_starts_on_the_first_host_and_is_the_mpis_own(mpi: OpenMpi | Hydra) -> None:
    assert line(mpi).startswith(f"on host0 {mpi.path} ")
    assert line(mpi).endswith(" './a b'")
    assert "host0:2,host1:2" in line(mpi)


@pytest.mark.parametrize("mpi", [OPEN_MPI_4, OPEN_MPI_5, MPICH])
def test_environment_is_for_the_ranks_only(mpi: OpenMpi | Hydra) -> None:
    before_program = line(mpi).split(" './a b'")[0]
    assert any(how in before_program for how in ("-x KEY=1", "-genv KEY 1"))


def test_each_open_mpi_hears_its_own_spelling() -> None:
    assert "--mca plm_rsh_agent /media/agent" in line(OPEN_MPI_4)
    assert "--prtemca plm_ssh_agent /media/agent" in line(OPEN_MPI_5)
    assert "vader" in line(OPEN_MPI_4)
    assert "vader" not in line(OPEN_MPI_5)


def test_hydra_reaches_hosts_by_the_agent_over_the_wire() -> None:
    assert "-launcher-exec /media/agent -iface eth0" in line(MPICH)


def test_keeps_the_mpis_name_and_abi() -> None:
    launcher = RigLauncher(parse_rig("2x2@1gbit"), MPICH, enter)
    assert launcher.abi is MPICH.abi
    assert MPICH.name in launcher.name
    assert "2x2@1gbit" in launcher.name


def test_too_many_ranks_is_an_input_error() -> None:
    with pytest.raises(InputError, match="5 ranks do not fit on rig 2x2@1gbit: it takes 4"):
        line(MPICH, ranks=5)


def test_a_launcher_that_brings_its_own_hosts_is_refused() -> None:
    with pytest.raises(InputError, match="use Open MPI or MPICH"):
        line(Srun(Path("/usr/bin/srun"), "22.05.8", Abi.OPENMPI))
