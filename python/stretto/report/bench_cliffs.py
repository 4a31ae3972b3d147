"""The cliffs of a benchmark's operations, and what makes them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stretto.data.bench_plan import COMPUTE
from stretto.report.bench import BenchResult, BenchRow
from stretto.stats.cliffs import FEWEST_LAUNCHES, Cliff, cliffs
from stretto.stats.difference import adjusted, difference
from stretto.stats.estimate import LEVEL

# Launch medians, in ns, by bytes.
Curve = dict[int, list[float]]
# Whose a curve is: an operation as MPI calls it, a class of ranks and an implementation.
Key = tuple[str, str, str]

# So much of a cliff, as a factor, must be left for it to be there still.
_STILL = 0.5
_UNKNOWN = ("not measured", "unknown")


@dataclass(frozen=True)
class Probed:
    """What became of a cliff under another setting."""

    what: str
    settings: str
    verdict: str  # moves, gone, smaller, stays or unknown
    now: Cliff | None  # where it has moved to
    # A time at one of the sizes is another than without it, beyond noise: it has an effect.
    has_changed: bool = False


@dataclass(frozen=True)
class Found:
    """One cliff, as narrow as it was measured."""

    operation: str
    rank_class: str
    implementation: str
    cliff: Cliff
    below_ns: float  # the median at its lower end
    above_ns: float
    probes: list[Probed]


def curves(rows: Iterable[BenchRow]) -> dict[Key, Curve]:
    """Of the plain cells: no work beside them, nobody late."""
    found: dict[Key, Curve] = {}
    for row in rows:
        cell = row.cell
        if cell.operation == COMPUTE or cell.compute_ns or cell.tests or any(cell.delays_ns):
            continue
        if not cell.bytes or min(row.launches) <= 0:
            continue
        curve = found.setdefault((cell.name, row.rank_class, row.implementation), {})
        curve.setdefault(cell.bytes, []).extend(row.launches)
    return found


def cliffs_of(rows: Iterable[BenchRow]) -> dict[Key, list[Cliff]]:
    """By whose they are; those without any are left out."""
    found = {key: cliffs(curve) for key, curve in curves(rows).items()}
    return {key: each for key, each in found.items() if each}


def around(cliff: Cliff, sizes: Sequence[int]) -> list[int]:
    """The sizes at which it is looked for again under another setting: its ends, and those that
    were measured from a quarter of it to four times as far."""
    near = [size for size in sizes if cliff.low / 4 <= size <= cliff.high * 4]
    return sorted({cliff.low, cliff.high, *near})


def verdicts(cliff: Cliff, curve: Mapping[int, Sequence[float]]) -> tuple[str, Cliff | None]:
    """Whether a cliff is where it was in a curve that another setting gave."""
    if any(len(curve.get(end, ())) < FEWEST_LAUNCHES for end in (cliff.low, cliff.high)):
        return "unknown", None
    there = [each for each in cliffs(curve) if (each.factor > 1) == (cliff.factor > 1)]
    for each in there:
        if each.low < cliff.high and cliff.low < each.high:
            return ("stays", each) if _as_large(each, cliff) else ("smaller", each)
    moved = [each for each in there if _as_large(each, cliff)]
    if moved:
        return "moves", min(moved, key=lambda each: abs(each.low - cliff.low))
    return "gone", None


def has_changed(
    without: Mapping[int, Sequence[float]], curve: Mapping[int, Sequence[float]]
) -> bool:
    """Does an operation take another time under a setting, at one of the sizes, beyond chance?"""
    sizes = [size for size in curve if size in without]
    found = [difference(without[size], curve[size]).p for size in sizes]
    return any(p <= 1 - LEVEL for p in adjusted(found))


def _as_large(one: Cliff, other: Cliff) -> bool:
    """Is it at least half of the other, in the same direction?"""
    jump, before = (max(each.factor, 1 / each.factor) - 1 for each in (one, other))
    return jump >= _STILL * before


def wrong_results(result: BenchResult) -> list[str]:
    """What had a wrong result in a run, and is left out of it, in words."""
    return [
        f"{way}: {cell.name} of {cell.bytes} B: {state.why}"
        for way, cell, state in result.not_measured
        if state.state == "wrong"
    ]


def sentences(found: Iterable[Found]) -> Iterator[str]:
    """What each is, in words."""
    for each in found:
        causes = [it.what for it in each.probes if it.verdict in ("moves", "gone")]
        cause = f"; it goes with {', '.join(causes)}" if causes else ""
        if each.probes and not causes:
            cause = "; no setting that was tried moves it"
            measured = [it for it in each.probes if it.verdict not in _UNKNOWN]
            if not any(it.has_changed for it in measured):
                cause += ", and as none changed a time beyond noise, they may have had no effect"
        yield (
            f"{each.operation}, {each.rank_class} ranks: between {each.cliff.low} and "
            f"{each.cliff.high} B it takes {each.cliff.factor:.2g} times as long as its trend "
            f"has it{cause}"
        )
