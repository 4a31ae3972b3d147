"""Settings of MPIs under which their waiting ranks yield their cores to others."""

import os
from collections.abc import Mapping

from stretto.launch.base import Abi

# Each spins for its whole time slice otherwise, where it does not know that cores are shared:
# Open MPI under taskset or in a container with few cores, MPICH always. Intel MPI has nothing
# that helps. Of variables that it does not know an MPI takes no notice. A hundred polls take some
# 10 us: short waits stay short where ranks that seem too many are on several hosts.
_MPICH = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "100",
}
_VARIABLES: dict[Abi, Mapping[str, str]] = {
    Abi.OPENMPI: {"OMPI_MCA_mpi_yield_when_idle": "1"},
    Abi.MPICH: _MPICH,
    Abi.MPIABI: _MPICH,
}


def yielding(abi: Abi, here: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables for the ranks of an MPI with that interface; one that is set `here` stays so."""
    return {key: value for key, value in _VARIABLES[abi].items() if key not in here}
