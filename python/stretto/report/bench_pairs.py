"""Which rows of two runs of stretto bench are of the same, as like as can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import polars as pl

from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.report.bench import BenchResult, BenchRow
from stretto.report.bench_overlap import times_of_launches
from stretto.stats.overlap import imb_share
from stretto.stats.summary import median

# Work that is more times the operation in one run than in the other, by more than this, is another
# experiment: a pilot was disturbed.
MOST_APART = 2.0

RowPair = tuple[BenchRow, BenchRow]


@dataclass(frozen=True)
class Hidden:
    """Rows with work beside the operation, as much by plan and not in fact: their times have the
    difference in them, and say nothing about each other."""

    rows: RowPair
    shares: tuple[list[float], list[float]]  # of what could be hidden (IMB), in each launch


@dataclass(frozen=True)
class Paired:
    """Rows of one implementation of two runs."""

    times: list[RowPair]  # of the same
    hidden: list[Hidden]  # of the same by plan
    unlike: list[RowPair]  # of the same by plan, whose work nobody measured or that is another one
    only: tuple[list[BenchRow], list[BenchRow]]  # what one run alone has, and those that are unlike


def paired(first: BenchResult, second: BenchResult, way: tuple[str, str]) -> Paired:
    """What of one implementation of each run can be compared, and by what."""
    times, *ones = paired_rows(first, second, way)
    planned, mine, other = paired_by_plan(*ones)
    hidden, unlike = [], []
    for pair in planned:
        shares = _hidden_shares((first, second), pair)
        if shares is None:
            unlike.append(pair)
        else:
            hidden.append(Hidden(pair, shares))
    only = [*mine, *(one for one, _ in unlike)], [*other, *(one for _, one in unlike)]
    return Paired(times, hidden, unlike, only)


def _hidden_shares(
    runs: tuple[BenchResult, BenchResult], rows: RowPair
) -> tuple[list[float], list[float]] | None:
    one, other = (
        hidden_in(run.record.plan.cells, run.launches, row)
        for run, row in zip(runs, rows, strict=True)
    )
    if one is None or other is None or not is_as_much(one, other):
        return None
    return one.shares, other.shares


@dataclass(frozen=True)
class HiddenInRun:
    """Of a row with work beside the operation."""

    shares: list[float]  # in each launch, of what could be hidden (IMB)
    times: float  # the work is as many times what the operation took alone


def hidden_in(
    cells: Sequence[BenchCell], launches: pl.DataFrame, row: BenchRow
) -> HiddenInRun | None:
    """None where nobody measured the operation or the work alone; `launches` of the row's run are
    what `of_launches` has."""
    times = times_of_launches(cells, launches, row)
    if not times:
        return None
    many = median([work / alone for _, alone, work in times])
    return HiddenInRun([float(imb_share(*each)) for each in times], many)


def is_as_much(one: HiddenInRun, other: HiddenInRun) -> bool:
    """Their work is about as many times the operation in fact, too."""
    return max(one.times, other.times) / min(one.times, other.times) <= MOST_APART


def plain_cell(cell: BenchCell) -> BenchCell:
    """A cell whatever its place in its plan."""
    return msgspec.structs.replace(cell, number=-1)


def planned_cell(cell: BenchCell) -> BenchCell:
    """The same with work of as many times what the operation takes alone, however long that is."""
    if not cell.compute_factor:
        return plain_cell(cell)
    return msgspec.structs.replace(cell, number=-1, compute_ns=0, after_ns=min(cell.after_ns, 1))


def paired_rows(
    first: BenchResult, second: BenchResult, way: tuple[str, str]
) -> tuple[list[tuple[BenchRow, BenchRow]], list[BenchRow], list[BenchRow]]:
    """Rows of one implementation of each run: those of both, and those that only one has."""
    mine, other = (_by_cell(it.rows, name) for it, name in zip((first, second), way, strict=True))
    return (
        [(row, other[key]) for key, row in mine.items() if key in other],
        [row for key, row in mine.items() if key not in other],
        [row for key, row in other.items() if key not in mine],
    )


def paired_by_plan(
    first: Sequence[BenchRow], second: Sequence[BenchRow]
) -> tuple[list[tuple[BenchRow, BenchRow]], list[BenchRow], list[BenchRow]]:
    """As `paired_rows` has them, of rows of one implementation of each run, those with work of
    as many times what the operation takes alone, however long that is."""
    mine, other = ({_planned(row): row for row in rows} for rows in (first, second))
    both = [key for key, row in mine.items() if key in other and row.cell.compute_factor]
    return (
        [(mine[key], other[key]) for key in both],
        [row for row in first if _planned(row) not in both],
        [row for row in second if _planned(row) not in both],
    )


def _planned(row: BenchRow) -> tuple[bytes, str]:
    return msgspec.json.encode(planned_cell(row.cell)), row.rank_class


def _by_cell(rows: Sequence[BenchRow], implementation: str) -> dict[tuple[bytes, str], BenchRow]:
    return {
        (msgspec.json.encode(plain_cell(row.cell)), row.rank_class): row
        for row in rows
        if row.implementation == implementation and row.cell.operation != COMPUTE
    }


def row_words(row: BenchRow) -> str:
    """A row in a line."""
    return f"{row.cell.name} of {row.cell.bytes} B, {row.rank_class}, {row.implementation}"
