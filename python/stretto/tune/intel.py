"""Intel MPI's presets, and two ways to choose them: a file for I_MPI_TUNING, and I_MPI_ADJUST_*.

A preset is an algorithm with its parameters; it has a number. Preset 0 is the MPI's basic logic,
which is not what runs where nobody chooses: that comes from a tuning file of the machine, and no
number stands for it. So a collective has presets for all its sizes and communicators, or for none.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stretto.data.contests import NATIVE, Way
from stretto.errors import InputError
from stretto.tune.decide import rules_from
from stretto.tune.rules import CollectiveRules, Rule, Tuned
from stretto.tune.settings import Format, OwnSettings, Where, groups, name_of, ranges, within

PRODUCT = "Intel MPI"

# The highest number, by Intel MPI 2021.19: `impi_info -a` lists them. Versions that have fewer
# take no notice of the others, and say so.
_HIGHEST = {
    "barrier": 11,
    "bcast": 22,
    "reduce": 19,
    "allreduce": 32,
    "gather": 5,
    "scatter": 5,
    "allgather": 6,
    "alltoall": 18,
    "reduce_scatter": 4,
    "scan": 3,
    "exscan": 3,
}
# Of operations that do not commute it computes nonsense: 2021.19, on 2, 4 and 8 ranks.
_WRONG = {"reduce_scatter": ("preset_2",)}
# Variables that choose some. I_MPI_ADJUST_I... are for nonblocking calls, which are not measured.
_CHOOSING = r"I_MPI_(ADJUST_(?!I)\w+|TUNING(_BIN|_MODE)?)"
_PRESET = "preset_"
_BASIC = 0
_ALL = -1  # sizes, or numbers of ranks
_LARGEST = (1 << 31) - 1  # size that I_MPI_ADJUST_* takes; the last range holds beyond it, too

_Sized = list[tuple[int | None, int]]  # the last size of a range, and its preset


def algorithms(collective: str, where: Where) -> list[str]:
    """All presets that are right: Intel MPI itself takes another one where they cannot run."""
    del where
    names = [f"{_PRESET}{number}" for number in range(_HIGHEST[collective] + 1)]
    return [name for name in names if name not in _WRONG.get(collective, ())]


def forced(algorithm_of: Mapping[str, str]) -> dict[str, str]:
    """What makes ranks take these presets, by collective."""
    return {_variable(name): str(_number(preset)) for name, preset in algorithm_of.items()}


def tuning_file(tuned: Tuned) -> str:
    """JSON for I_MPI_TUNING. Of each level it is the first limit that is not exceeded that counts,
    and the last entry beyond all. Raises InputError."""
    tree = {
        f"coll={name_of(name).capitalize()}": {
            f"ppn={_ALL}": {
                f"comm_size={ranks}": {"comm_id=-1": _by_size(name_of(name).upper(), sizes)}
                for ranks, sizes in _by_ranks(of)
            }
        }
        for name, of in _groups(tuned).items()
    }
    return json.dumps(tree, indent=2) + "\n"


def _by_size(key: str, sizes: _Sized) -> dict[str, dict[str, dict[str, str]]]:
    return {
        f"msg_size={_ALL if end is None else end}": {f"{key}={preset}": {}} for end, preset in sizes
    }


def adjust_settings(tuned: Tuned) -> str:
    """Lines that a shell reads. Raises InputError.

    No range names its number of ranks: of those of one number 2021.19 heeds the last only.
    """
    written = _groups(tuned)
    counts = sorted({each.ranks for of in written.values() for each in of})
    if len(counts) > 1:
        raise InputError(
            "I_MPI_ADJUST_* hold for communicators of any size, and the rules are for "
            f"{', '.join(map(str, counts))} ranks: tune one number of them, or write --to impi"
        )
    (ranks,) = counts
    header = f"# For jobs of {ranks} ranks. Smaller communicators have these presets, unmeasured."
    lines = [header]
    for name, (each,) in written.items():
        words = [
            f"{_number(preset)}:{start}-{_LARGEST if end is None else end}"
            for start, end, preset in ranges(each)
        ]
        lines.append(f"export {_variable(name)}='{';'.join(words)}'")
    return "\n".join(lines) + "\n"


def remarks(tuned: Tuned) -> list[str]:
    """Where it is not the rules themselves that are written."""
    measured = _measured(tuned)
    usual = [each for of in measured.values() if not _has_presets(of) for each in of]
    mixed = [
        each
        for of in measured.values()
        if _has_presets(of)
        for each in of
        if any(rule.algorithm == NATIVE for rule in each.mpi_rule)
    ]
    lines = []
    if usual:
        lines.append(
            f"left to {PRODUCT}, whose own choice no preset surely beats: {_listed(usual)}"
        )
    if mixed:
        lines.append(
            f"of sizes where {PRODUCT}'s own choice won, which no number stands for, the fastest "
            f"preset is written: {_listed(mixed)}"
        )
    return lines


def _listed(those: list[CollectiveRules]) -> str:
    return ", ".join(sorted(f"{each.name} on {each.ranks} ranks" for each in those))


def _groups(tuned: Tuned) -> dict[str, list[CollectiveRules]]:
    """Collectives that have presets, and nothing but presets: where one number of ranks has some,
    the others would otherwise have the basic logic."""
    written = {
        name: [_without_native(each) for each in of]
        for name, of in _measured(tuned).items()
        if _has_presets(of)
    }
    if not written:
        raise InputError(f"no rules are left: {PRODUCT}'s own choice won wherever it was measured")
    return written


def _measured(tuned: Tuned) -> dict[str, list[CollectiveRules]]:
    found = groups(tuned, PRODUCT, _HIGHEST, algorithms, lambda _: False)
    return {name: [within(each, _LARGEST) for each in of] for name, of in found.items()}


def _has_presets(of: list[CollectiveRules]) -> bool:
    return any(rule.algorithm != NATIVE for each in of for rule in each.mpi_rule)


def _without_native(of: CollectiveRules) -> CollectiveRules:
    rules: list[Rule] = []
    for (start, end, algorithm), rule in zip(ranges(of), of.mpi_rule, strict=True):
        rules += [rule] if algorithm != NATIVE else _fastest_presets(of, start, end)
    return replace(of, mpi_rule=rules)


def _fastest_presets(of: CollectiveRules, start: int, end: int | None) -> list[Rule]:
    """Rules for sizes of which the MPI's own choice was the fastest."""
    costs: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for each in of.measured:
        kind, _, preset = each.algorithm.partition(":")
        if kind == NATIVE and preset and start <= each.bytes and (end is None or each.bytes <= end):
            costs[each.bytes][preset] += each.median_us
    if not costs:
        raise InputError(
            f"{of.name} on {of.ranks} ranks: {PRODUCT} has no way to choose itself beside "
            f"presets, and none was measured from {start} bytes on"
        )
    best = {size: Way(NATIVE, of_mpi=min(by, key=lambda x: by[x])) for size, by in costs.items()}
    *rules, last = rules_from(best)
    return [*rules, replace(last, up_to_bytes=end)]


def _by_ranks(of: list[CollectiveRules]) -> Iterator[tuple[int, _Sized]]:
    """The largest number of ranks and its presets: others than those measured have the basic."""
    basic: _Sized = [(None, _BASIC)]
    before = 1
    for each in of:
        if each.ranks > before + 1:
            yield each.ranks - 1, basic
        yield each.ranks, [(end, _number(word)) for _, end, word in ranges(each)]
        before = each.ranks
    yield _ALL, basic


def _variable(collective: str) -> str:
    return f"I_MPI_ADJUST_{name_of(collective).upper()}"


def _number(preset: str) -> int:
    return int(preset.removeprefix(_PRESET))


OWN = OwnSettings(
    PRODUCT,
    algorithms,
    forced,
    {
        "impi": Format(tuning_file, "I_MPI_TUNING={file} mpirun ...", remarks),
        "impi-adjust": Format(adjust_settings, ". {file}; mpirun ...", remarks),
    },
    lambda name, _: re.fullmatch(_CHOOSING, name) is not None,
)
