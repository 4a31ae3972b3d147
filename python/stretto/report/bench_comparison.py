"""Two runs of stretto bench against each other."""

from collections.abc import Iterator, Sequence

from stretto.errors import InputError
from stretto.report.bench import BenchResult, BenchRow
from stretto.report.bench_pairs import MOST_APART, Hidden, paired, plain_cell, row_words
from stretto.report.bench_versus import (
    BenchComparison,
    Versus,
    corrected,
    require_one_of,
    too_few,
)
from stretto.report.unlike_runs import unlike
from stretto.stats.difference import difference, shift
from stretto.stats.summary import median

OF_LAUNCHES = "median over launches of the median rank's median"
OF_OVERLAP = "share of what could be hidden that was (IMB)"
SHARE = "share"


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
        found = paired(first, second, way)
        pairs += [each for pair in found.times for each in _versus_rows(*pair)]
        pairs += map(_versus_overlap, found.hidden)
        unlike_work += len(found.unlike)
        only[0].extend(map(row_words, found.only[0]))
        only[1].extend(map(row_words, found.only[1]))
    pairs = corrected(pairs)
    warnings += too_few(pairs)
    if unlike_work:
        warnings.append(
            f"{unlike_work} rows with work are not compared: by plan it is as many times what the "
            f"operation takes alone, and in fact more than {MOST_APART:g} times as many in one "
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
    require_one_of(first, impl_a, "--impl-a")
    require_one_of(second, impl_b, "--impl-b")
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


def _versus_overlap(each: Hidden) -> Versus:
    """Of rows whose times have other work in them."""
    first, second = each.shares
    found = shift(first, second)
    row, other = each.rows
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
