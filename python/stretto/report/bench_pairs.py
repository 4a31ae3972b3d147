"""Which rows of two runs of stretto bench are of the same, as like as can be."""

from collections.abc import Sequence

import msgspec

from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.report.bench import BenchResult, BenchRow


def plain_cell(cell: BenchCell) -> BenchCell:
    """A cell whatever its place in its plan."""
    return msgspec.structs.replace(cell, number=-1)


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
    cell = plain_cell(row.cell)
    if cell.compute_factor:
        after = min(cell.after_ns, 1)
        cell = msgspec.structs.replace(cell, compute_ns=0, after_ns=after)
    return msgspec.json.encode(cell), row.rank_class


def _by_cell(rows: Sequence[BenchRow], implementation: str) -> dict[tuple[bytes, str], BenchRow]:
    return {
        (msgspec.json.encode(plain_cell(row.cell)), row.rank_class): row
        for row in rows
        if row.implementation == implementation and row.cell.operation != COMPUTE
    }


def row_words(row: BenchRow) -> str:
    """A row in a line."""
    return f"{row.cell.name} of {row.cell.bytes} B, {row.rank_class}, {row.implementation}"
