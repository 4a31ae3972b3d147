"""A run of stretto bench and what another suite measured, or two files of other suites."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stretto.data.bench_folder import BenchFolder
from stretto.data.imported import Imported
from stretto.errors import InputError
from stretto.report.bench import BenchResult
from stretto.report.bench_versus import (
    BenchComparison,
    Versus,
    corrected,
    require_one_of,
    too_few,
)
from stretto.report.comparables import (
    TIME,
    Comparable,
    Statistic,
    of_import,
    of_run,
    ranks_of,
    unplaced,
)
from stretto.stats.difference import difference
from stretto.stats.suite_figures import RANKS, SLOWEST
from stretto.stats.summary import median


@dataclass(frozen=True)
class MeasuredRun:
    """A run and where its samples are, for figures that its rows do not have."""

    result: BenchResult
    folder: BenchFolder


def compare_others(
    first: MeasuredRun | Imported,
    second: MeasuredRun | Imported,
    impl_a: str | None = None,
    impl_b: str | None = None,
) -> BenchComparison:
    """Two sides of which one is a file of another suite at least. Raises InputError."""
    for side, chosen, option in ((first, impl_a, "--impl-a"), (second, impl_b, "--impl-b")):
        if isinstance(side, Imported) and chosen is not None:
            raise InputError(f"{option} {chosen}: {side.path} has no implementations")
        if isinstance(side, MeasuredRun):
            require_one_of(side.result.record.plan.implementations, chosen, option)
    ranks = _common_ranks(first, second)
    sides = [
        [it for it in _comparables(side, ranks) if chosen in (None, it.by)]
        for side, chosen in ((first, impl_a), (second, impl_b))
    ]
    alike = [(one, other) for one in sides[0] for other in _alike(one, sides)]
    pairs = [pair for one, other in alike for pair in _figures(one, other)]
    pairs = corrected(pairs)
    keys = [{it.key for it in side} for side in sides]
    only = [
        list(dict.fromkeys(_words(it) for it in side if it.key not in other))
        for side, other in ((sides[0], keys[1]), (sides[1], keys[0]))
    ]
    notes = [*_notes(first, second, ranks, pairs)]
    if len(pairs) < len(alike):
        notes.append(
            f"{len(alike) - len(pairs)} are in both by other statistics, as a mean over ranks and "
            "a time of the slowest rank: they are not compared"
        )
    return BenchComparison(pairs, only[0], only[1], notes, [*too_few(pairs)])


def _runs(*sides: MeasuredRun | Imported) -> list[MeasuredRun]:
    return [side for side in sides if isinstance(side, MeasuredRun)]


def _common_ranks(*sides: MeasuredRun | Imported) -> int | None:
    """For a file that does not say how many ranks there were: as many as on the other side."""
    known = set[int]()
    for side in sides:
        if isinstance(side, Imported):
            known |= ranks_of(side)
        else:
            return side.result.record.plan.ranks
    return known.pop() if len(known) == 1 else None


def _comparables(side: MeasuredRun | Imported, ranks: int | None) -> list[Comparable]:
    if isinstance(side, Imported):
        return of_import(side, ranks)
    return of_run(side.result, side.folder)


def _alike(one: Comparable, sides: Sequence[Sequence[Comparable]]) -> list[Comparable]:
    """Those of the second side that are of the same; as like as can be."""
    found = [it for it in sides[1] if it.key == one.key]
    return [it for it in found if it.by == one.by] or found


def _figures(first: Comparable, second: Comparable) -> Iterator[Versus]:
    """The statistic that says most of those that both have."""
    shared = [what for what in first.figures if what in second.figures]
    if not shared:
        return
    # Of launches a test can be made; of means most suites have one.
    tested = [it for it in shared if min(len(first.figures[it]), len(second.figures[it])) > 1]
    what = says_most(tested or shared)
    values = first.figures[what], second.figures[what]
    if tested:
        found = difference(*values)
        ratio, interval, p = found.ratio, found.interval, found.p
        middle = median(values[0]), median(values[1])
    else:
        middle = _mean(values[0]), _mean(values[1])
        ratio, interval, p = middle[0] / middle[1], None, None
    yield Versus(
        name=first.name,
        bytes=first.bytes,
        details=None,
        rank_class="all ranks",
        by=(first.by, second.by),
        statistic=what.words,
        unit=what.unit,
        figures=middle,
        launches=(len(values[0]), len(values[1])),
        ratio=ratio,
        interval=interval,
        p=p,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def says_most(figures: Sequence[Statistic]) -> Statistic:
    """Of those that there are, which is shown and compared: a time, and a mean, before others."""
    return min(figures, key=_rank_of)


def _rank_of(what: Statistic) -> tuple[bool, int, int]:
    order = ("mean", "median", "max", "min")
    at = order.index(what.name) if what.name in order else len(order)
    return what.metric != TIME, at, (RANKS, SLOWEST, "").index(what.over)


def _words(it: Comparable) -> str:
    ranks = "" if it.ranks is None else f", {it.ranks} ranks"
    place = ", in place" if it.in_place else ""
    return f"{it.name} of {it.bytes} B{ranks}{place}"


def _notes(
    first: MeasuredRun | Imported,
    second: MeasuredRun | Imported,
    ranks: int | None,
    pairs: Sequence[Versus],
) -> Iterator[str]:
    if _runs(first, second):
        yield (
            "figures of the run are worked out from its samples as the other suite's are, on all "
            "ranks together: a mean is compared with a mean, never with a median"
        )
    if any(each.p is None for each in pairs):
        yield "where a side has one figure only there is a ratio, and no test of it"
    for side in (first, second):
        if not isinstance(side, Imported):
            continue
        if not ranks_of(side) and ranks is not None:
            yield f"{side.path} does not say how many ranks there were: taken for {ranks}"
        if left_out := unplaced(side, ranks):
            yield (
                f"{left_out} values of {side.path} are left out: their bytes are those of all "
                "blocks, of how many ranks is not said"
            )
