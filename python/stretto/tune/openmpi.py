"""Open MPI's own algorithms (its component coll/tuned), and files of rules that it reads.

The numbers are those of Open MPI 4.1 to 6: `ompi_info --param coll tuned --level 9` lists them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from stretto.data.contests import NATIVE
from stretto.errors import InputError
from stretto.tune.rules import CollectiveRules, Tuned

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
# Its name of ours, which has blocks of one size.
_NAMES = {"reduce_scatter": "reduce_scatter_block"}
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


def settings_for(algorithm_of: Mapping[str, str]) -> dict[str, str]:
    """What makes ranks take these algorithms, by collective."""
    forced = {
        f"{_SETTING}{_NAMES.get(name, name)}_algorithm": algorithm
        for name, algorithm in algorithm_of.items()
    }
    return {f"{_SETTING}use_dynamic_rules": "1", **forced}


def classic_rules(tuned: Tuned) -> str:
    """A file for coll_tuned_dynamic_rules_filename. Raises InputError."""
    has_fifth = _version(tuned) >= _FIFTH_COLUMN
    columns = " 0 0 0" if has_fifth else " 0 0"  # fan-out, segments and requests as usual
    lines = ["rule-file-version-2"] if has_fifth else []
    groups = _groups(tuned)
    if left_out := not_written(tuned):
        lines.append(f"# {left_out}")
    lines.append(f"{len(groups)} # collectives")
    for name, by_ranks in groups.items():
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
        _NAMES.get(name, name): [
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
        for name, by_ranks in _groups(tuned).items()
    }
    rules = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(rules, indent=2) + "\n"


def not_written(tuned: Tuned) -> str:
    """Which rules are left out of every file, as one line; empty where none are.

    Ranks that look up different sizes would run different algorithms: wrong data, or a hang.
    """
    named = [f"{each.name} on {each.ranks} ranks" for each in tuned.collective if _is_unsafe(each)]
    if not named:
        return ""
    return (
        f"not written: {', '.join(sorted(named))}: rules that change with the size, which "
        f"{PRODUCT} cannot look up safely for these"
    )


def _is_unsafe(of: CollectiveRules) -> bool:
    algorithms_of = {rule.algorithm for rule in of.mpi_rule}
    return of.name in _IGNORANT_OF_SIZES and len(algorithms_of) > 1


def _version(tuned: Tuned) -> tuple[int, ...]:
    found = re.fullmatch(rf"{PRODUCT} (\d+)\.(\d+)\.(\d+).*", tuned.fingerprint.mpi)
    if found is None:
        raise InputError(f"the rules are {tuned.fingerprint.mpi}'s, not {PRODUCT}'s")
    return tuple(map(int, found.groups()))


def _groups(tuned: Tuned) -> dict[str, list[CollectiveRules]]:
    """What can be written, by collective, the fewest ranks first; its rules know no hosts."""
    _version(tuned)
    with_rules = [each for each in tuned.collective if each.mpi_rule]
    if not with_rules:
        raise InputError(
            "there are no rules of the MPI's own algorithms: measure with "
            "stretto tune --native-algorithms"
        )
    if unknown := next((each.name for each in with_rules if each.name not in _ALGORITHMS), None):
        raise InputError(f"{PRODUCT} has no rules of '{unknown}'")
    safe = [each for each in with_rules if not _is_unsafe(each)]
    if not safe:
        raise InputError(f"no rules are left: {not_written(tuned)}")
    ordered = sorted(safe, key=lambda each: (each.name, each.ranks))
    groups = {name: list(of) for name, of in groupby(ordered, key=lambda each: each.name)}
    for name, of in groups.items():
        ranks = [each.ranks for each in of]
        if len(set(ranks)) < len(ranks):
            raise InputError(f"{name} was measured on as many ranks of different numbers of hosts")
    return groups


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
    """The first and the last size, as Open MPI counts it, and the algorithm."""
    blocks = of.ranks if of.name in _OF_ALL_BLOCKS else 1
    start = 0
    for rule in of.mpi_rule:
        # Up to the last byte of so many blocks, so that no size is without a rule.
        end = None if rule.up_to_bytes is None else (rule.up_to_bytes + 1) * blocks - 1
        yield start, end, rule.algorithm
        start = 0 if end is None else end + 1


def _number(collective: str, algorithm: str) -> int:
    """0 stands for what Open MPI chooses itself."""
    if algorithm == NATIVE:
        return 0
    known = _ALGORITHMS[collective]
    if algorithm not in known:
        raise InputError(f"{PRODUCT} has no {collective} algorithm '{algorithm}'")
    return known.index(algorithm) + 1
