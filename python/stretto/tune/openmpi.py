"""Open MPI's own algorithms (its component coll/tuned), and files of rules that it reads.

The numbers are those of Open MPI 4.1 to 6: `ompi_info --param coll tuned --level 9` lists them.
"""

import json
from collections.abc import Iterator, Mapping

from stretto.data.contests import NATIVE
from stretto.tune.rules import CollectiveRules, Tuned
from stretto.tune.settings import (
    Format,
    OwnSettings,
    groups,
    name_of,
    not_written,
    ranges,
    version_of,
)

PRODUCT = "Open MPI"
_SETTING = "OMPI_MCA_coll_tuned_"

# By number, from 1 on. Those for two ranks only are left out where there are more.
_TWO = "two_proc"
_ALGORITHMS = {
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
# The numbers that collectives have in a classic file.
_IDS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "bcast": 7,
    "exscan": 8,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter": 13,
    "scan": 14,
    "scatter": 15,
}
# It counts the blocks of all ranks together.
_OF_ALL_BLOCKS = ("allgather", "alltoall", "gather", "scatter", "reduce_scatter")
# It looks up the rules of these by what not every rank knows, or not by the size at all: gather's
# by what each sends, which means nothing on a root in place; scatter's by what each has to send,
# which means nothing but on the root; scan's and exscan's by the bytes of one element.
_IGNORANT_OF_SIZES = ("gather", "scatter", "scan", "exscan")
# From this version on rules have a fifth column, and the first line says so.
_FIFTH_COLUMN = (5, 0, 7)


def algorithms(collective: str, ranks: int) -> list[str]:
    """The names of those that run among so many ranks."""
    return [name for name in _ALGORITHMS[collective] if name != _TWO or ranks == 2]


def forced(algorithm_of: Mapping[str, str]) -> dict[str, str]:
    """What makes ranks take these algorithms, by collective."""
    chosen = {
        f"{_SETTING}{name_of(name)}_algorithm": algorithm
        for name, algorithm in algorithm_of.items()
    }
    return {f"{_SETTING}use_dynamic_rules": "1", **chosen}


def classic_rules(tuned: Tuned) -> str:
    """A file for coll_tuned_dynamic_rules_filename. Raises InputError."""
    has_fifth = version_of(tuned, PRODUCT) >= _FIFTH_COLUMN
    columns = " 0 0 0" if has_fifth else " 0 0"  # fan-out, segments and requests as usual
    lines = ["rule-file-version-2"] if has_fifth else []
    written = groups(tuned, PRODUCT, _ALGORITHMS, algorithms, _is_unsafe)
    lines += [f"# {line}" for line in remarks(tuned)]
    lines.append(f"{len(written)} # collectives")
    for name, by_ranks in written.items():
        sizes = dict(_all_sizes(by_ranks))
        lines += [f"{_IDS[name]} # {name}", f"{len(sizes)} # communicator sizes"]
        for ranks, rules in sizes.items():
            lines += [f"{ranks} # ranks or more", f"{len(rules)} # message sizes"]
            for start, algorithm in rules:
                lines.append(f"{start} {_number(name, algorithm)}{columns} # {algorithm}")
    return "\n".join(lines) + "\n"


def json_rules(tuned: Tuned) -> str:
    """The same for Open MPI 6. Raises InputError."""
    collectives = {
        name_of(name): [
            {
                "comm_size_min": each.ranks,
                "comm_size_max": each.ranks,
                "rules": [
                    {"msg_size_min": start, "alg": _number(name, algorithm)}
                    | ({} if end is None else {"msg_size_max": end})
                    for start, end, algorithm in _ranges(each)
                ],
            }
            for each in by_ranks
        ]
        for name, by_ranks in groups(tuned, PRODUCT, _ALGORITHMS, algorithms, _is_unsafe).items()
    }
    rules = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(rules, indent=2) + "\n"


def remarks(tuned: Tuned) -> list[str]:
    """Which rules are left out of every file."""
    left_out = not_written(tuned, PRODUCT, _is_unsafe)
    return [left_out] if left_out else []


def _is_unsafe(of: CollectiveRules) -> bool:
    algorithms_of = {rule.algorithm for rule in of.mpi_rule}
    return of.name in _IGNORANT_OF_SIZES and len(algorithms_of) > 1


def _all_sizes(by_ranks: list[CollectiveRules]) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The least number of ranks and its rules: others than those measured go by none."""
    none = [(0, NATIVE)]
    if by_ranks[0].ranks > 0:
        yield 0, none
    for each, after in zip(by_ranks, [*by_ranks[1:], None], strict=True):
        yield each.ranks, [(start, algorithm) for start, _, algorithm in _ranges(each)]
        if after is None or after.ranks > each.ranks + 1:
            yield each.ranks + 1, none


def _ranges(of: CollectiveRules) -> Iterator[tuple[int, int | None, str]]:
    return ranges(of, blocks=of.ranks if of.name in _OF_ALL_BLOCKS else 1)


def _number(collective: str, algorithm: str) -> int:
    """0 stands for what Open MPI chooses itself."""
    if algorithm == NATIVE:
        return 0
    return _ALGORITHMS[collective].index(algorithm) + 1


_USE = (
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file} ..."
)
OWN = OwnSettings(
    PRODUCT,
    algorithms,
    forced,
    remarks,
    {"openmpi": Format(classic_rules, _USE), "openmpi6": Format(json_rules, _USE)},
)
