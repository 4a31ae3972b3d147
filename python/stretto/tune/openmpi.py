"""Files of rules of Open MPI's own algorithms, as it reads them."""

import json
from collections.abc import Iterator

from msgspec.structs import replace

from stretto.data.contests import NATIVE
from stretto.errors import InputError
from stretto.tune import han
from stretto.tune.openmpi_algorithms import ALGORITHMS, CHAIN, CHAINS, algorithms, forced, stage
from stretto.tune.openmpi_variables import chooses
from stretto.tune.rules import CollectiveRules, Rule, Tuned
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
# In place it looks up the arguments that are ignored then. HAN does not: where one algorithm is all
# that HAN leaves it, no size is asked for.
_IN_PLACE = "allgather"
_HAN_FIRST = (5, 0)  # from this version on it comes first
_HAN_OFF = "--mca coll_han_priority 0"
# What mixes up the order of ranks, whatever the operation: with one that does not commute results
# are wrong (tests/mpi/ordered.c; 4.1.4, 5.0.11). Open MPI heeds that where it chooses itself.
_MIXES = {
    "allreduce": ("ring", "segmented_ring"),
    "reduce": ("chain", "pipeline", "binary", "binomial"),
}
_BY_REDUCE = "nonoverlapping"  # of allreduce: by the rules of reduce
# Of operations that do not commute Open MPI itself runs these by the communicator's reduce: at some
# sizes the first, at all the others.
_MAY_RUN_BY_REDUCE = "MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block"
# From this version on rules have a fifth column, and the first line says so.
_FIFTH_COLUMN = (5, 0, 7)


def classic_rules(tuned: Tuned) -> str:
    """A file for coll_tuned_dynamic_rules_filename. Raises InputError."""
    has_fifth = version_of(tuned, PRODUCT) >= _FIFTH_COLUMN
    columns = " 0 0" if has_fifth else " 0"  # segments and requests as usual
    lines = ["rule-file-version-2"] if has_fifth else []
    written = _groups(tuned)
    lines += [f"# {line}" for line in remarks(tuned)]
    lines.append(f"{len(written)} # collectives")
    for name, by_ranks in written.items():
        sizes = dict(_all_sizes([_of_tuned(each) for each in by_ranks]))
        lines += [f"{_IDS[name]} # {name}", f"{len(sizes)} # communicator sizes"]
        for ranks, rules in sizes.items():
            lines += [f"{ranks} # ranks or more", f"{len(rules)} # message sizes"]
            for start, algorithm in rules:
                fan_out = CHAINS if algorithm == CHAIN else 0
                way = f"{_number(name, algorithm)} {fan_out}{columns}"
                lines.append(f"{start} {way} # {algorithm}")
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
                    | ({"faninout": CHAINS} if algorithm == CHAIN else {})
                    for start, end, algorithm in _ranges(each)
                ],
            }
            for each in (_of_tuned(measured) for measured in by_ranks)
        ]
        for name, by_ranks in _groups(tuned).items()
    }
    rules = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(rules, indent=2) + "\n"


def han_rules(tuned: Tuned) -> str:
    """A file for coll_han_dynamic_rules_filename: what HAN runs, and by which algorithm, and what
    it leaves to coll/tuned and the file of classic_rules(). Raises InputError."""
    if not han.is_known(version_of(tuned, PRODUCT)):
        raise InputError(
            f"HAN of {tuned.fingerprint.mpi} is not known here, only that of 5.0.7 to the last 5"
        )
    written = _groups(tuned)
    of_han = {
        name: several
        for name, by_ranks in written.items()
        if (several := [each for each in by_ranks if han.runs(each)])
    }
    if not of_han:
        raise InputError(
            "of HAN, which runs where several hosts have several ranks each, nothing was measured "
            "that can be written"
        )
    return "".join(f"# {line}\n" for line in remarks(tuned)) + han.rules_file(of_han)


def remarks(tuned: Tuned) -> list[str]:
    """Which rules are left out of every file, which files belong together, and for which programs
    they are."""
    return [*_left_out(tuned), *_of_han(tuned), *_wrong(tuned)]


def remarks_of_6(tuned: Tuned) -> list[str]:
    """The same for Open MPI 6, for whose HAN no file is written."""
    return [*_left_out(tuned), *_of_han_of_6(tuned), *_wrong(tuned)]


def _left_out(tuned: Tuned) -> list[str]:
    line = not_written(tuned, PRODUCT, _is_unsafe)
    return [line] if line else []


def _written(tuned: Tuned) -> list[CollectiveRules]:
    return [each for each in tuned.collective if each.mpi_rule and not _is_unsafe(each)]


def _of_han(tuned: Tuned) -> Iterator[str]:
    """Which calls are HAN's where it comes first: those that the rules leave it, or all."""
    version = version_of(tuned, PRODUCT)
    own = [each for each in _written(tuned) if han.runs(each)]
    if own:
        yield (
            f"HAN runs {_on(own)}: these rules hold only together with the file of the other "
            "format: openmpi and openmpi-han"
        )
    before = [each for each in _written(tuned) if _is_behind_han(each) and not han.runs(each)]
    if version < _HAN_FIRST or not before:
        return
    advice = _without_han(tuned, before)
    if own:  # HAN cannot be off where rules are its
        advice = "measure them again"
    elif han.is_known(version):
        advice = f"measure them again, or, if HAN was off then, hand over {_HAN_OFF}, too"
    yield f"HAN comes before the rules of {_on(before)}, and was not measured: {advice}"


def _of_han_of_6(tuned: Tuned) -> Iterator[str]:
    if before := [each for each in _written(tuned) if _is_behind_han(each)]:
        advice = _without_han(tuned, before)
        yield f"HAN of Open MPI 6 comes before the rules of {_on(before)}: {advice}"


def _is_behind_han(of: CollectiveRules) -> bool:
    """Whether they choose something, of calls that HAN has where it comes first."""
    return han.comes_first(of) and any(rule.algorithm != NATIVE for rule in of.mpi_rule)


def _without_han(tuned: Tuned, before: list[CollectiveRules]) -> str:
    chosen = {rule.algorithm for each in before for rule in each.mpi_rule}
    is_some_left = any(name == NATIVE or han.is_own(name) for name in chosen)
    may_be_hans = is_some_left and version_of(tuned, PRODUCT) >= _HAN_FIRST
    left = "; sizes left to Open MPI may have been HAN's as they were measured"
    return f"they hold with {_HAN_OFF}{left if may_be_hans else ''}"


def _wrong(tuned: Tuned) -> Iterator[str]:
    """For which programs the rules are not."""
    written = _written(tuned)
    mixing = [f"{each.name} by {name}" for each in written for name in _mixed_up_by(each, written)]
    if not mixing:
        return
    by_reduce = any(each.name == "reduce" and _mixed_up_by(each, written) for each in written)
    too = f", and of {_MAY_RUN_BY_REDUCE}, which may run by the rules of reduce"
    yield (
        "only for programs whose operations all commute: with others results are wrong of "
        f"{_listed(mixing)}{too if by_reduce else ''}"
    )


def _on(those: list[CollectiveRules]) -> str:
    return _listed([f"{each.name} on {each.ranks} ranks" for each in those])


def _listed(names: list[str]) -> str:
    return ", ".join(sorted(set(names)))


def _mixed_up_by(of: CollectiveRules, written: list[CollectiveRules]) -> list[str]:
    """The algorithms with which results of operations that do not commute are wrong."""
    names = [rule.algorithm for rule in of.mpi_rule]
    found = [name for name in names if name in _MIXES.get(of.name, ())]
    if of.name == "allreduce" and _BY_REDUCE in names:
        reduces = (each for each in written if (each.name, each.ranks) == ("reduce", of.ranks))
        found += [_BY_REDUCE for each in reduces if _mixed_up_by(each, written)]
    return found


def _groups(tuned: Tuned) -> dict[str, list[CollectiveRules]]:
    return groups(tuned, PRODUCT, ALGORITHMS, algorithms, _is_unsafe)


def _is_unsafe(of: CollectiveRules) -> bool:
    left = {rule.algorithm for rule in han.left_to_tuned(of)}
    return of.name in _IGNORANT_OF_SIZES and len(left) > 1


def _of_tuned(of: CollectiveRules) -> CollectiveRules:
    """What coll/tuned has to know, which HAN does not ask at all sizes where it runs."""
    left = han.left_to_tuned(of)
    if left == of.mpi_rule:
        return of
    of_left = {rule.algorithm for rule in left}
    if of.name in (*_IGNORANT_OF_SIZES, _IN_PLACE) and len(of_left) < 2:
        return replace(of, mpi_rule=[Rule(next(iter(of_left), NATIVE))])
    rules = [
        rule if rule in left else Rule(NATIVE, up_to_bytes=rule.up_to_bytes) for rule in of.mpi_rule
    ]
    return replace(of, mpi_rule=rules)


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
    return ALGORITHMS[collective].index(algorithm) + 1


_USE = (
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file} ..."
)
_USE_HAN = (
    "mpirun --mca coll_han_use_dynamic_file_rules 1 --mca coll_han_dynamic_rules_filename {file} "
    "..."
)
OWN = OwnSettings(
    PRODUCT,
    algorithms,
    forced,
    {
        "openmpi": Format(classic_rules, _USE, remarks),
        "openmpi-han": Format(han_rules, _USE_HAN, remarks),
        "openmpi6": Format(json_rules, _USE, remarks_of_6),
    },
    chooses,
    stage,
)
