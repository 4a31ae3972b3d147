"""Settings by which cliffs are probed: those of the MPI that is measured."""

import re
import shutil
import subprocess

import pytest

from stretto.launch.base import Abi
from stretto.launch.cliff_knobs import probes

OPERATIONS = ["allreduce", "gather", "alltoallw", "comm_dup"]
# Of other versions than the one that is here.
OF_OPENMPI_5 = {"btl_sm_eager_limit", "btl_sm_max_send_size", "smsc"}


def names(abi: Abi, operation: str, version: str = "") -> set[str]:
    settings = "+".join(probe.settings for probe in probes(abi, operation, version))
    return {word.partition("=")[0] for word in settings.split("+")}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_mpi_is_given_settings_of_its_own(operation: str) -> None:
    intel = "Intel(R) MPI Library 2021.11 for Linux* OS"
    assert all(name.islower() for name in names(Abi.OPENMPI, operation))
    assert all(it.startswith("MPIR_CVAR_") for it in names(Abi.MPICH, operation, "MPICH 4.0"))
    assert all(it.startswith("I_MPI_") for it in names(Abi.MPICH, operation, intel))


def test_intel_mpi_has_presets_of_its_collectives_alone() -> None:
    assert "I_MPI_ADJUST_GATHER" in names(Abi.MPICH, "gather", "Intel MPI")
    assert not any("ADJUST" in it for it in names(Abi.MPICH, "comm_dup", "Intel MPI"))


@pytest.mark.skipif(shutil.which("ompi_info") is None, reason="no Open MPI here")
def test_open_mpi_knows_its_names() -> None:
    command = ["ompi_info", "--all", "--parsable"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r":param:([a-z0-9_]+):", said))
    for operation in OPERATIONS:
        assert names(Abi.OPENMPI, operation) <= known | OF_OPENMPI_5
