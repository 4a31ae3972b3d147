"""Two runs of stretto bench against each other, or a run and what another suite measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.imported import Imported
from stretto.errors import InputError
from stretto.report.bench import BenchResult, BenchRow
from stretto.report.bench_overlap import times_of_launches
from stretto.report.bench_pairs import paired_by_plan, paired_rows, plain_cell, row_words
from stretto.report.comparables import (
    TIME,
    Comparable,
    Statistic,
    of_import,
    of_run,
    ranks_of,
    unplaced,
)
from stretto.report.unlike_runs import unlike
from stretto.stats.difference import adjusted, can_differ, difference, launches_needed, shift
from stretto.stats.estimate import LEVEL, Interval
from stretto.stats.overlap import imb_share
from stretto.stats.suite_figures import RANKS, SLOWEST
from stretto.stats.summary import median

OF_LAUNCHES = "median over launches of the median rank's median"
OF_OVERLAP = "share of what could be hidden that was (IMB)"
SHARE = "share"
# Work that is more times the operation in one run than in the other, by more than this, is another
# experiment: a pilot was disturbed.
_MOST_APART = 2.0


@dataclass(frozen=True)
class Versus:
    """One thing that both sides measured. Times are in ns."""

    name: str  # as MPI calls the function
    bytes: int
    details: BenchCell | None  # of runs: all there is to know of it
    rank_class: str
    by: tuple[str, str]
    statistic: str  # what both figures are
    unit: str
    figures: tuple[float, float]
    launches: tuple[int, int]
    ratio: float | None  # the first's figure over the second's; None: shares have a shift
    interval: Interval | None = None  # None: there is no test of it
    p: float | None = None  # corrected for all comparisons that are made
    work_ns: tuple[int, int] | None = None  # beside the operation, where both sides' differ
    shift: float | None = None  # the first's share less the second's

    @property
    def is_lower_in_second(self) -> bool:
        """The second has the lower figure."""
        return self.shift > 0 if self.shift is not None else (self.ratio or 0) > 1

    @property
    def differs(self) -> bool:
        """It does so beyond chance."""
        return self.p is not None and self.p <= 1 - LEVEL


@dataclass(frozen=True)
class BenchComparison:
    """All that both sides have, and what only one of them has."""

    pairs: list[Versus]
    only_first: list[str]
    only_second: list[str]
    notes: list[str]  # how it is to be read
    warnings: list[str]


def compare_runs(
    first: BenchResult, second: BenchResult, impl_a: str | None = None, impl_b: str | None = None
) -> BenchComparison:
    """What both runs measured, as like as can be. Raises InputError."""
    plans = first.record.plan, second.record.plan
    ways = implementations(plans[0].implementations, plans[1].implementations, impl_a, impl_b)
    warnings = []
    if plans[0].ranks != plans[1].ranks:
        warnings.append(f"the first has {plans[0].ranks} ranks, the second {plans[1].ranks}")
    warnings += unlike([first.record, second.record])
    pairs: list[Versus] = []
    unlike_work = 0
    only: tuple[list[str], list[str]] = ([], [])
    for way in ways:
        both, *ones = paired_rows(first, second, way)
        pairs += [each for pair in both for each in _versus_rows(*pair)]
        planned, *ones = paired_by_plan(*ones)
        for pair in planned:
            versus = _versus_overlap((first, second), pair)
            if versus is not None:
                pairs.append(versus)
            else:
                unlike_work += 1
                ones = [[*rows, row] for rows, row in zip(ones, pair, strict=True)]
        only[0].extend(map(row_words, ones[0]))
        only[1].extend(map(row_words, ones[1]))
    pairs = _corrected(pairs)
    warnings += _too_few(pairs)
    if unlike_work:
        warnings.append(
            f"{unlike_work} rows with work are not compared: by plan it is as many times what the "
            f"operation takes alone, and in fact more than {_MOST_APART:g} times as many in one "
            "run as in the other, or nobody measured it"
        )
    return BenchComparison(pairs, *only, [*_notes_of_runs(pairs)], warnings)


def _notes_of_runs(pairs: Sequence[Versus]) -> Iterator[str]:
    yield f"figures are the {OF_LAUNCHES}"
    works = [each.work_ns for each in pairs if each.work_ns is not None]
    if works:
        most = max(max(each) / min(each) for each in works) - 1
        yield (
            f"the work beside {len(works)} rows differs, by up to {most:.0%}, as each run measured "
            "what it is a multiple of: instead of their times it is compared which share of the "
            "shorter, operation or work, was hidden behind the longer"
        )


def implementations(
    first: Sequence[str], second: Sequence[str], impl_a: str | None, impl_b: str | None
) -> list[tuple[str, str]]:
    """Which of one run is compared with which of the other. Raises InputError."""
    _require(first, impl_a, "--impl-a")
    _require(second, impl_b, "--impl-b")
    alike = [(each, each) for each in first if each in second]
    if impl_a is None and impl_b is None and alike:
        return alike
    a = impl_a or _the_one_of(first, impl_b)
    b = impl_b or _the_one_of(second, impl_a)
    if a is None or b is None:
        raise InputError(
            f"--impl-a and --impl-b say what is to be compared: the first has {', '.join(first)}, "
            f"the second {', '.join(second)}"
        )
    return [(a, b)]


def _require(known: Sequence[str], chosen: str | None, option: str) -> None:
    if chosen is not None and chosen not in known:
        raise InputError(f"{option} {chosen}: the run has {', '.join(known)}")


def _the_one_of(known: Sequence[str], like: str | None) -> str | None:
    if len(known) == 1:
        return known[0]
    return like if like in known else None


def _versus_rows(first: BenchRow, second: BenchRow) -> Iterator[Versus]:
    # A time of 0 ns is one that the clock does not show.
    if min(*first.launches, *second.launches) > 0:
        found = difference(first.launches, second.launches)
        yield Versus(
            name=first.cell.name,
            bytes=first.cell.bytes,
            details=plain_cell(first.cell),
            rank_class=first.rank_class,
            by=(first.implementation, second.implementation),
            statistic=OF_LAUNCHES,
            unit="ns",
            figures=(first.time.median, second.time.median),
            launches=(len(first.launches), len(second.launches)),
            ratio=found.ratio,
            interval=found.interval,
            p=found.p,
        )


def _versus_overlap(
    runs: tuple[BenchResult, BenchResult], rows: tuple[BenchRow, BenchRow]
) -> Versus | None:
    """Of rows whose times have other work in them, and say nothing about each other."""
    both = [times_of_launches(*each) for each in zip(runs, rows, strict=True)]
    if not all(both):
        return None
    many = [median([work / alone for _, alone, work in times]) for times in both]
    if max(many) / min(many) > _MOST_APART:
        return None
    first, second = ([float(imb_share(*each)) for each in times] for times in both)
    found = shift(first, second)
    row, other = rows
    return Versus(
        name=row.cell.name,
        bytes=row.cell.bytes,
        details=plain_cell(row.cell),
        rank_class=row.rank_class,
        by=(row.implementation, other.implementation),
        statistic=OF_OVERLAP,
        unit=SHARE,
        figures=(median(first), median(second)),
        launches=(len(first), len(second)),
        ratio=None,
        interval=found.interval,
        p=found.p,
        work_ns=(row.cell.compute_ns, other.cell.compute_ns),
        shift=found.by,
    )


def _corrected(pairs: Sequence[Versus]) -> list[Versus]:
    """With p corrected for all of them that were tested."""
    tested = [each.p for each in pairs if each.p is not None]
    corrected = iter(adjusted(tested))
    return [each if each.p is None else replace(each, p=next(corrected)) for each in pairs]


def _too_few(pairs: Sequence[Versus]) -> Iterator[str]:
    tested = [each.launches for each in pairs if each.p is not None]
    if not tested or any(can_differ(*each, len(tested)) for each in tested):
        return
    yield (
        f"with {min(map(min, tested))} launches on a side no difference can be shown among "
        f"{len(tested)} comparisons, however large: launch {launches_needed(len(tested))} on each, "
        "or compare less"
    )


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
            _require(side.result.record.plan.implementations, chosen, option)
    ranks = _common_ranks(first, second)
    sides = [
        [it for it in _comparables(side, ranks) if chosen in (None, it.by)]
        for side, chosen in ((first, impl_a), (second, impl_b))
    ]
    alike = [(one, other) for one in sides[0] for other in _alike(one, sides)]
    pairs = [pair for one, other in alike for pair in _figures(one, other)]
    pairs = _corrected(pairs)
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
    return BenchComparison(pairs, only[0], only[1], notes, [*_too_few(pairs)])


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
    what = min(tested or shared, key=_rank_of)
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
