"""Operations under the names that suites give them."""

import re

COLLECTIVES = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "exscan", "gather", "gatherv", "reduce", "reduce_scatter"),
    *("reduce_scatter_block", "scan", "scatter", "scatterv", "neighbor_allgather"),
    *("neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"),
)
# Those that take an MPI_Op.
REDUCTIONS = {
    *("allreduce", "exscan", "reduce", "reduce_local", "reduce_scatter", "reduce_scatter_block"),
    "scan",
}
_SQUEEZED = {name.replace("_", ""): name for name in COLLECTIVES}
_OTHERS = {"broadcast": "bcast", "reducelocal": "reduce_local"}
_APART = re.compile(r"[^a-z0-9]+")


def _known(squeezed: str) -> str | None:
    squeezed = squeezed.replace("neighborhood", "neighbor")
    return _OTHERS.get(squeezed) or _SQUEEZED.get(squeezed)


def operation_of(name: str) -> tuple[str, str]:
    """An operation in MPI's lower case, and its form.

    "MPI_Iallreduce" and "Iallreduce" are ("allreduce", "nonblocking"), "all_reduce" and
    "AllReduce" are ("allreduce", "blocking"), "MPI_Allreduce_init" is ("allreduce", "persistent").
    What is no collective keeps its words: "Bi-Directional Bandwidth" is
    "bi_directional_bandwidth".
    """
    words = _APART.sub("_", name.lower()).strip("_").removeprefix("mpi_")
    squeezed = words.replace("_", "")
    if known := _known(squeezed):
        return known, "blocking"
    if squeezed.endswith("init") and (known := _known(squeezed.removesuffix("init"))):
        return known, "persistent"
    if squeezed.startswith("i") and (known := _known(squeezed[1:])):
        return known, "nonblocking"
    return words, "blocking"
