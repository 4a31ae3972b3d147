"""HAN, Open MPI's component for communicators of several hosts (coll/han), and its file of rules.

From 5.0 on it comes before coll/tuned there, for the collectives that it has, so that rules of
coll/tuned hold only where HAN leaves it the call. It takes itself out where hosts have one rank
each, and of most collectives where not all have as many. HAN of 4.1, where nobody gets it who does
not ask for it, is left alone: a gather in place and a scatter had wrong data under it, and an
allreduce that it leaves to coll/tuned ends in a crash (seen with 4.1.4).
"""

from collections.abc import Iterator, Mapping

from stretto.data.contests import NATIVE
from stretto.tune.rules import CollectiveRules, Rule
from stretto.tune.settings import Where, ranges

# By collective, as coll_han_use_<collective>_algorithm has them.
_ALGORITHMS = {
    "allgather": ("intra", "simple"),
    "allreduce": ("intra", "simple"),
    "barrier": ("simple",),
    "bcast": ("intra", "simple"),
    "gather": ("intra", "simple"),
    "reduce": ("intra", "simple"),
    "scatter": ("intra", "simple"),
}
# It runs these on hosts of different numbers of ranks, too.
_UNEVEN = ("allreduce", "barrier")
# From this version on its file names algorithms, and up to that one nothing of it was seen.
_FIRST = (5, 0, 7)
_BEFORE = (6,)
_START = "han_"
_SETTING = "OMPI_MCA_coll_han_"
# What HAN calls a level of communicators, and components, in settings (coll_han_dynamic.h).
_WHOLE = 2
_TUNED = 3
_ITSELF = 6


def algorithms(collective: str, where: Where) -> list[str]:
    """The names of those that run there; none where HAN does not."""
    has_them = 1 < where.hosts < where.ranks and (where.is_even or collective in _UNEVEN)
    if not has_them or not is_known(where.version):
        return []
    return [_START + name for name in _ALGORITHMS.get(collective, ())]


def is_known(version: tuple[int, ...]) -> bool:
    """Whether what is written here holds of that version's."""
    return _FIRST <= version < _BEFORE


def is_own(algorithm: str) -> bool:
    """Whether the name is that of one of HAN's."""
    return algorithm.startswith(_START)


def runs(of: CollectiveRules) -> bool:
    """Whether HAN ran there, as its algorithms have times, or rules."""
    names = [each.algorithm.removeprefix(f"{NATIVE}:") for each in of.measured]
    return any(map(is_own, [*names, *(rule.algorithm for rule in of.mpi_rule)]))


def comes_first(of: CollectiveRules) -> bool:
    """Whether HAN has such calls where it comes before coll/tuned."""
    has_them = of.even or of.name in _UNEVEN
    return of.name in _ALGORITHMS and 1 < of.hosts < of.ranks and has_them


def forced(collective: str, algorithm: str) -> dict[str, str]:
    """What makes HAN run the calls by this algorithm, or leave them to coll/tuned."""
    if collective not in _ALGORITHMS:
        return {}
    level = f"{_SETTING}{collective}_dynamic_global_communicator_module"
    if not is_own(algorithm):
        return {level: str(_TUNED)}
    chosen = f"{_SETTING}use_{collective}_algorithm"
    return {level: str(_ITSELF), chosen: algorithm.removeprefix(_START)}


def left_to_tuned(of: CollectiveRules) -> list[Rule]:
    """The rules of calls that HAN does not run itself: where it runs, the MPI's own are its."""
    if not runs(of):
        return of.mpi_rule
    return [rule for rule in of.mpi_rule if not _is_hans(rule.algorithm)]


def rules_file(by_collective: Mapping[str, list[CollectiveRules]]) -> str:
    """A file for coll_han_dynamic_rules_filename, of what was measured where HAN runs."""
    lines = [f"{len(by_collective)} # collectives"]
    for name, of in by_collective.items():
        sizes = dict(_all_sizes(of))
        lines += [name, "1 # level", f"{_WHOLE} # the whole communicator"]
        lines.append(f"{len(sizes)} # communicator sizes")
        for ranks, rules in sizes.items():
            lines += [f"{ranks} # ranks or more", f"{len(rules)} # message sizes"]
            lines += [f"{start} {_written(algorithm)}" for start, algorithm in rules]
    return "\n".join(lines) + "\n"


def _all_sizes(by_ranks: list[CollectiveRules]) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The least number of ranks, from 1 on, and its rules: others than those measured are HAN's."""
    own = [(0, NATIVE)]
    yield 1, own
    for each, after in zip(by_ranks, [*by_ranks[1:], None], strict=True):
        # It looks up a vector's size, or one block's.
        yield each.ranks, [(start, algorithm) for start, _, algorithm in ranges(each)]
        if after is None or after.ranks > each.ranks + 1:
            yield each.ranks + 1, own


def _written(algorithm: str) -> str:
    if is_own(algorithm):
        return f"han @{algorithm.removeprefix(_START)}"
    return "han" if algorithm == NATIVE else f"tuned # {algorithm}"


def _is_hans(algorithm: str) -> bool:
    return algorithm == NATIVE or is_own(algorithm)
