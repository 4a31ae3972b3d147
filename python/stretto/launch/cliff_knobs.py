"""Settings of MPIs that move, or take away, what makes a collective's time jump at one size.

Each is tried in turn. A cliff that moves with one has its cause there; one that stays where every
one of them changes has it elsewhere.
"""

from dataclasses import dataclass

from stretto.launch.base import Abi


@dataclass(frozen=True)
class Probe:
    """What an `--impl` overrides, in words and as settings of the native implementation."""

    what: str
    settings: str  # NAME=VALUE, + between several

    @property
    def implementation(self) -> str:
        return f"native:{self.settings}"


# Their algorithms 1 are the basic linear ones, which send each block as a message of its own.
_TUNED = ("allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "scatter")
_DYNAMIC = "coll_tuned_use_dynamic_rules=1"

_OPENMPI = (
    Probe("what is sent at once with its header", "btl_vader_max_inline_send=65536"),
    # Both names: until 4.1 and since 5.0.
    Probe(
        "what is sent eagerly within a host",
        "btl_vader_eager_limit=65536+btl_vader_max_send_size=131072"
        "+btl_sm_eager_limit=65536+btl_sm_max_send_size=131072",
    ),
    Probe("copies by the kernel", "btl_vader_single_copy_mechanism=none+smsc=^cma,xpmem,knem"),
    Probe("the layer that matches messages: not ob1", "pml=^ob1"),
    Probe("transport: TCP", "btl=tcp,self"),
)
_MPICH = (
    Probe("from when on the kernel copies", "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=1048576"),
    Probe(
        "cells of the queues in shared memory",
        "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=131072+MPIR_CVAR_CH4_PACK_BUFFER_SIZE=131072",
    ),
    Probe("transport: the network's, not shared memory", "MPIR_CVAR_NOLOCAL=1"),
)
# Names that the library of Intel MPI 2021.19 has. The first two are not in what could be read of
# Intel's Developer Reference, the last is. It names no threshold of eager messages within a host.
_INTEL_MPI = (
    Probe(
        "cells of the queues in shared memory",
        "I_MPI_SHM_CELL_FWD_SIZE=131072+I_MPI_SHM_CELL_BWD_SIZE=131072",
    ),
    Probe("transport: the network's, not shared memory", "I_MPI_FABRICS=ofi"),
)
# I_MPI_ADJUST_<name>, whose presets begin with 1.
_ADJUSTED = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter", "scan", "scatter"),
    "scatterv",
)
_INTEL = "Intel"


def probes(abi: Abi, operation: str, version: str = "") -> list[Probe]:
    """What is tried of an operation's cliffs; `version` is what the library says of itself, as
    Intel MPI has MPICH's binary interface and other settings."""
    if abi is Abi.OPENMPI:
        algorithm = (
            [
                Probe(
                    "algorithm: the basic one",
                    f"{_DYNAMIC}+coll_tuned_{operation}_algorithm=1",
                )
            ]
            if operation in _TUNED
            else []
        )
        return [*_OPENMPI, *algorithm]
    name = operation.upper()
    if _INTEL in version:
        preset = Probe("algorithm: the first one", f"I_MPI_ADJUST_{name}=1")
        return [*_INTEL_MPI, *([preset] if operation in _ADJUSTED else [])]
    return [
        *_MPICH,
        Probe(
            "algorithm: not that of shared memory",
            f"MPIR_CVAR_{name}_DEVICE_COLLECTIVE=0+MPIR_CVAR_DEVICE_COLLECTIVES=none",
        ),
    ]
