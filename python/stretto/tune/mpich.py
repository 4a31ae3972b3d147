"""MPICH 5.0's own algorithms, and the two JSON files that choose them.

CH4 decides first, by a table of compositions: which call goes to the ranks of a host (where
release_gather in shared memory takes it) and which to all ranks at once. The generic table decides
which algorithm runs what goes to all at once. So each file alone changes little. Each replaces a
whole table of MPICH's, which has no answer of its own for what is missing.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from stretto.data.contests import NATIVE
from stretto.tune.mpich_defaults import CH4, GENERIC, Tree
from stretto.tune.rules import CollectiveRules, Tuned
from stretto.tune.settings import Format, OwnSettings, Where, groups, name_of, ranges, within

PRODUCT = "MPICH 5.0"


@dataclass(frozen=True)
class _Algorithm:
    """What it needs: all else has MPICH's own choice, as programs would abort, or compute nonsense.
    And its parameters, as MPICH has them by default."""

    power_of_two: bool = False  # ranks
    commutative: bool = False  # operations
    built_in: bool = False  # operations, on no fewer elements than ranks, cut to a power of two
    parameters: tuple[str, ...] = ()


_ANY = _Algorithm()
_POWER_OF_TWO = _Algorithm(power_of_two=True)
_COMMUTATIVE = _Algorithm(commutative=True)
_BUILT_IN = _Algorithm(built_in=True)
_TREE = ("tree_type=kary", "k=2", "is_non_blocking=1")
_EXCHANGE = ("k=2", "single_phase_recv=0")

_ALGORITHMS: dict[str, dict[str, _Algorithm]] = {
    "barrier": {
        "k_dissemination": _Algorithm(parameters=("k=2",)),
        "recexch": _Algorithm(parameters=_EXCHANGE),
    },
    "bcast": {
        "binomial": _ANY,
        "scatter_recursive_doubling_allgather": _POWER_OF_TWO,
        "scatter_ring_allgather": _ANY,
        "pipelined_tree": _Algorithm(parameters=(*_TREE, "chunk_size=8192", "recv_pre_posted=0")),
    },
    "reduce": {"binomial": _ANY, "reduce_scatter_gather": _BUILT_IN},
    "allreduce": {
        "recursive_doubling": _ANY,
        # With k=2 it was right for all operations here; what MPICH promises is not written down.
        "recexch": _Algorithm(commutative=True, parameters=_EXCHANGE),
        "reduce_scatter_allgather": _BUILT_IN,
        "ring": _BUILT_IN,
    },
    "allgather": {
        "brucks": _ANY,
        "recursive_doubling": _POWER_OF_TWO,
        "ring": _ANY,
        "recexch_doubling": _Algorithm(parameters=_EXCHANGE),
        "recexch_halving": _Algorithm(parameters=_EXCHANGE),
    },
    "alltoall": {"brucks": _ANY, "pairwise": _ANY, "scattered": _ANY},
    "reduce_scatter": {
        "noncommutative": _POWER_OF_TWO,
        "recursive_doubling": _ANY,
        "pairwise": _COMMUTATIVE,
        "recursive_halving": _COMMUTATIVE,
    },
}
# It looks up the blocks of all ranks together.
_OF_ALL_BLOCKS = ("allgather", "reduce_scatter")
# The composition that gives the call to all ranks at once. What is not here has no other one.
_AT_ONCE = {"barrier": "beta", "bcast": "gamma", "reduce": "gamma", "allreduce": "beta"}
_LARGEST = (1 << 31) - 1  # number that MPICH reads
_PAGE = 4096
_INTRA = "comm_type=intra"
_OF_COMMUNICATORS = ("comm_", "is_node_consecutive=")  # conditions
_KINDS = ("intra", "inter")  # of communicators
_WITH_KIND = ("intra_", "inter_", "allcomm_")
_ALGORITHM = "algorithm=MPIR_{}_{}"
_COMPOSITION = "composition=MPIDI_{}_intra_composition_{}"

# Variables that do, but for those of nonblocking calls, which begin with an I.
_CHOOSING = (
    r"MPIR_CVAR_(\w*COLL_SELECTION_TUNING_JSON_FILE|(?!I)\w+_INTRA_ALGORITHM|"
    r"DEVICE_COLLECTIVES|(?!I)\w+_(DEVICE_COLLECTIVE|COMPOSITION))"
)

_Node = dict[str, "_Node"]


def algorithms(collective: str, where: Where) -> list[str]:
    """The names of those that run among so many ranks; none where MPICH has one only."""
    return [
        name
        for name, each in _ALGORITHMS.get(collective, {}).items()
        if not each.power_of_two or _is_power_of_two(where.ranks)
    ]


def forced(algorithm_of: Mapping[str, str]) -> dict[str, str]:
    """What makes ranks take these algorithms, all ranks at once, by collective."""
    settings = {"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll"}
    for name, algorithm in algorithm_of.items():
        start = f"MPIR_CVAR_{name_of(name).upper()}"
        settings |= {f"{start}_DEVICE_COLLECTIVE": "0", f"{start}_INTRA_ALGORITHM": algorithm}
    return settings


def generic_table(tuned: Tuned) -> str:
    """JSON for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. Raises InputError."""
    table = _whole(GENERIC, _ALGORITHM)
    for name, of in _groups(tuned).items():
        entry = table[f"collective={name_of(name)}"]
        rules: dict[int, _Node] = {}
        for each in of:
            usual = _among(each.ranks, entry[_INTRA])
            nodes = {way.algorithm: _guarded(each, way.algorithm, usual) for way in each.mpi_rule}
            node = _by_size(each, nodes)
            if name == "alltoall":  # in place there is one algorithm, and no size
                node = {"is_sendbuf_inplace=yes": usual, "is_sendbuf_inplace=no": node}
            rules[each.ranks] = node
        entry[_INTRA] = _by_ranks(rules, entry[_INTRA])
    return _text(table)


def ch4_table(tuned: Tuned) -> str:
    """JSON for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE. Raises InputError."""
    table = _whole(CH4, _COMPOSITION)
    for name, of in _groups(tuned).items():
        if name not in _AT_ONCE:
            continue
        entry = table[f"collective={name_of(name)}"]
        at_once = _leaf(name_of(name), _COMPOSITION, _AT_ONCE[name])
        rules: dict[int, _Node] = {}
        for each in of:
            usual = _among(each.ranks, entry[_INTRA])
            ways = {way.algorithm for way in each.mpi_rule}
            rules[each.ranks] = _by_size(
                each, {way: usual if way == NATIVE else at_once for way in ways}
            )
        entry[_INTRA] = _by_ranks(rules, entry[_INTRA])
    return _text(table)


def _groups(tuned: Tuned) -> dict[str, list[CollectiveRules]]:
    found = groups(tuned, PRODUCT, _ALGORITHMS, algorithms, lambda _: False)
    return {
        name: [within(each, _LARGEST, _blocks(each)) for each in of] for name, of in found.items()
    }


def _among(ranks: int, node: _Node, *, is_pruned: bool = True) -> _Node:
    """MPICH's own choice for so many ranks, without conditions on their number.

    Those mean something else in a file, below sizes. As it makes a communicator, MPICH decides by
    what is known of it, up to the first condition on calls; of later ones, which it looks up in
    each call, it takes `comm_size<8` for `comm_size<=8`.
    """
    found: _Node = {}
    for key, branch in node.items():
        is_pruned = is_pruned and (key.startswith(_OF_COMMUNICATORS) or key.endswith("=any"))
        holds = _holds(ranks, key, is_pruned=is_pruned)
        if holds is False:
            continue
        below = _among(ranks, branch, is_pruned=is_pruned)
        if holds and not found:
            return below
        found[key] = below
    return found


def _holds(ranks: int, condition: str, *, is_pruned: bool) -> bool | None:
    """None where it does not depend on the number of ranks alone."""
    if condition == "comm_size=any":
        return True
    if condition == "comm_size=pow2":
        return _is_power_of_two(ranks)
    name, _, limit = condition.partition("<")
    if name != "comm_size":
        return None
    return ranks < int(limit) or (ranks == int(limit) and not is_pruned)


def _by_ranks(rules: Mapping[int, _Node], usual: _Node) -> _Node:
    """Of other numbers of ranks than those measured MPICH's own choice."""
    node: _Node = {}
    for ranks, of_these in sorted(rules.items()):
        if ranks - 1 not in rules:
            node[f"comm_size<={ranks - 1}"] = usual
        node[f"comm_size<={ranks}"] = of_these
    return {**node, "comm_size=any": usual}


def _by_size(of: CollectiveRules, nodes: Mapping[str, _Node]) -> _Node:
    """What is to be done by the size, of each algorithm that its rules name."""
    if of.name == "barrier":
        return nodes[of.mpi_rule[0].algorithm]
    size = "total_msg_size" if of.name in _OF_ALL_BLOCKS else "avg_msg_size"
    return {
        f"{size}=any" if end is None else f"{size}<={end}": nodes[algorithm]
        for _, end, algorithm in ranges(of, _blocks(of))
    }


def _blocks(of: CollectiveRules) -> int:
    return of.ranks if of.name in _OF_ALL_BLOCKS else 1


def _guarded(of: CollectiveRules, name: str, usual: _Node) -> _Node:
    """The algorithm, and MPICH's own choice for what it must not be given."""
    if name == NATIVE:
        return usual
    algorithm = _ALGORITHMS[of.name][name]
    words = " ".join((f"intra_{name}", *algorithm.parameters))
    node = _leaf(name_of(of.name), _ALGORITHM, words)
    if algorithm.commutative:
        node = {"is_commutative=yes": node, "is_commutative=no": usual}
    if algorithm.built_in:
        enough: _Node = {"count<pow2": usual, "count=any": node}
        node = {"is_op_built_in=yes": enough, "is_op_built_in=no": usual}
    return node


def _whole(trees: Mapping[str, Tree], spelling: str) -> _Node:
    """MPICH's own table, as it writes it."""
    return {f"collective={name}": _spelled(tree, name, spelling) for name, tree in trees.items()}


def _spelled(tree: Tree, collective: str, spelling: str, kind: str = "") -> _Node:
    if isinstance(tree, str):
        prefix = "" if spelling == _COMPOSITION or tree.startswith(_WITH_KIND) else kind
        return _leaf(collective, spelling, prefix + tree)
    return {
        f"comm_type={key}" if key in _KINDS else key: _spelled(
            branch, collective, spelling, f"{key}_" if key in _KINDS else kind
        )
        for key, branch in tree.items()
    }


def _leaf(collective: str, spelling: str, words: str) -> _Node:
    name, *parameters = words.split()
    function = spelling.format(collective.capitalize(), name)
    return {function: {word: {} for word in parameters}}


def _text(table: _Node) -> str:
    """MPICH maps the file and reads to a zero byte, which a file of whole pages does not have."""
    text = json.dumps(table, indent=1) + "\n"
    return text if len(text) % _PAGE else text + "\n"


def _is_power_of_two(ranks: int) -> bool:
    return ranks & (ranks - 1) == 0


def remarks(tuned: Tuned) -> list[str]:
    """What is known of a file by itself."""
    del tuned
    return ["MPICH needs both files, that of --to mpich and that of --to mpich-ch4"]


OWN = OwnSettings(
    PRODUCT,
    algorithms,
    forced,
    {
        "mpich": Format(
            generic_table,
            "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file} mpirun ...",
            remarks,
        ),
        "mpich-ch4": Format(
            ch4_table,
            "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE={file} mpirun ...",
            remarks,
        ),
    },
    lambda name, _: re.fullmatch(_CHOOSING, name) is not None,
)
