"""Open MPI's own algorithms: those of its components coll/tuned and, on several hosts, HAN.

The numbers are those of Open MPI 4.1 to 6: `ompi_info --param coll tuned --level 9` lists them.
"""

from collections.abc import Mapping

from stretto.tune import han
from stretto.tune.openmpi_variables import leaves_out_han
from stretto.tune.settings import Where, name_of

_SETTING = "OMPI_MCA_coll_tuned_"
# By number, from 1 on. Those for two ranks only are left out where there are more.
_TWO = "two_proc"
ALGORITHMS = {
    "barrier": ("linear", "double_ring", "recursive_doubling", "bruck", _TWO, "tree"),
    "bcast": (
        "basic_linear",
        "chain",
        "pipeline",
        "split_binary_tree",
        "binary_tree",
        "binomial",
        "knomial",
        "scatter_allgather",
        "scatter_allgather_ring",
    ),
    "reduce": (
        "linear",
        "chain",
        "pipeline",
        "binary",
        "binomial",
        "in-order_binary",
        "rabenseifner",
    ),
    "allreduce": (
        "basic_linear",
        "nonoverlapping",
        "recursive_doubling",
        "ring",
        "segmented_ring",
        "rabenseifner",
    ),
    "gather": ("basic_linear", "binomial", "linear_sync"),
    "scatter": ("basic_linear", "binomial", "linear_nb"),
    "allgather": ("linear", "bruck", "recursive_doubling", "ring", "neighbor", _TWO),
    "alltoall": ("linear", "pairwise", "modified_bruck", "linear_sync", _TWO),
    "reduce_scatter": ("basic_linear", "recursive_doubling", "recursive_halving", "butterfly"),
    "scan": ("linear", "recursive_doubling"),
    "exscan": ("linear", "recursive_doubling"),
}
# How many there are side by side in "chain" where nobody sets that: in a rule it has to be said.
CHAIN = "chain"
CHAINS = 4
# These call other collectives of the communicator: reduce and bcast, reduce and scatter, gather and
# bcast (ompi/mca/coll/base of Open MPI's sources).
_COMPOSED = {
    "allreduce": "nonoverlapping",
    "reduce_scatter": "basic_linear",
    "allgather": "linear",
}


def algorithms(collective: str, where: Where) -> list[str]:
    """The names of those that run there, HAN's first."""
    of_tuned = [name for name in ALGORITHMS[collective] if name != _TWO or where.ranks == 2]
    # Words for the launcher come last, and count where the environment has the same.
    in_force = {name: value for name, value in where.settings if value}
    is_off = any(leaves_out_han(name, value) for name, value in in_force.items())
    return [*([] if is_off else han.algorithms(collective, where)), *of_tuned]


def stage(collective: str, algorithm: str) -> int:
    """HAN's and the composed ones call other collectives. Those run as the user's MPI chooses only
    in launches in which none of coll/tuned's algorithms is forced that may run them."""
    if han.is_own(algorithm):
        return 0
    return 1 if _COMPOSED.get(collective) == algorithm else 2


def forced(algorithm_of: Mapping[str, str]) -> dict[str, str]:
    """What makes ranks take these algorithms, by collective."""
    chosen = {
        f"{_SETTING}{name_of(name)}_algorithm": algorithm
        for name, algorithm in algorithm_of.items()
        if not han.is_own(algorithm)
    }
    for name, algorithm in algorithm_of.items():
        chosen |= han.forced(name, algorithm)
        if algorithm == CHAIN:
            chosen[f"{_SETTING}{name_of(name)}_algorithm_chain_fanout"] = str(CHAINS)
    return {f"{_SETTING}use_dynamic_rules": "1", **chosen}
