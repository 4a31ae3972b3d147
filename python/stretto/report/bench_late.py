"""Who is delayed by a rank that comes late, as a table of ranks by ranks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import over_launches
from stretto.report.bench import BenchResult
from stretto.report.bench_plots import NS, is_plain
from stretto.report.words import seconds, size
from stretto.stats.late_rank import END, delays, matrix, reached

# Of more ranks each row and column is of as many that follow each other.
MOST_SHOWN = 16
_WORDS = {END: "the end", "start": "the return of the call"}


@dataclass(frozen=True)
class DelayMatrix:
    """By what share of one rank's lateness each rank is delayed: at [late rank, rank].

    NaN where nothing was measured; `is_sure`: not by chance.
    """

    name: str  # of a file
    operation: str
    title: str
    words: str
    shares: NDArray[np.float64]
    is_sure: NDArray[np.bool_]
    ranks_a_row: int

    def rank_names(self) -> list[str]:
        """Of the rows, and of the columns."""
        width = self.ranks_a_row
        firsts = [width * number for number in range(len(self.shares))]
        return [str(first) if width == 1 else f"{first}-{first + width - 1}" for first in firsts]


def delay_matrices(result: BenchResult, run: BenchFolder) -> Iterator[DelayMatrix]:
    """One for each operation, size, implementation, lateness and stage that has late ranks.

    Cells in which several ranks are late at once are no part of any.
    """
    cells = result.record.plan.cells
    plain = {_operation(cell): cell.number for cell in cells if is_plain(cell)}
    late = [
        (cell.number, plain[_operation(cell)], rank, cell.delays_ns[rank])
        for cell in cells
        if _operation(cell) in plain
        for rank in _late_ranks(cell)
        if len(_late_ranks(cell)) == 1
    ]
    if not late:
        return
    columns = ["cell", "alone", "late_rank", "late_ns"]
    places = pl.DataFrame(late, schema=columns, orient="row")
    undelayed = places.drop("cell").rename({"alone": "cell"}).unique()

    def of_late(samples: pl.DataFrame) -> pl.DataFrame:
        return reached(samples.join(places, on="cell").with_columns(cell=pl.col("alone")))

    def of_alone(samples: pl.DataFrame) -> pl.DataFrame:
        return reached(samples.join(undelayed, on="cell"))

    needed = {*places["cell"], *places["alone"]}
    found = delays(*over_launches(run.samples_by_launch(needed), of_alone, of_late))
    by_number = {cell.number: cell for cell in cells}
    names = result.record.plan.implementations
    # Beside each other what compares: implementations, and these first of when operations end.
    in_order = found.with_columns(
        by=pl.col("implementation").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    ).sort("cell", "late_ns", "stage", "by")
    keys = ["cell", "late_ns", "stage", "implementation"]
    for (number, late_ns, stage, by), rows in in_order.group_by(keys, maintain_order=True):
        yield _matrix(by_number[number], late_ns, by, stage, rows)


def _matrix(
    cell: BenchCell, late_ns: int, implementation: str, stage: str, rows: pl.DataFrame
) -> DelayMatrix:
    shares, sure = matrix(rows), matrix(rows, "delayed") == 1
    width = -(-len(shares) // MOST_SHOWN)
    lateness = seconds(NS * late_ns)
    what = f"{cell.name} of {size(cell.bytes)}" if cell.bytes else cell.name
    kinds = "" if stage == END else f"-{stage}"
    return DelayMatrix(
        f"{cell.name}-{cell.bytes}-late-{late_ns}-{implementation}{kinds}",
        cell.name,
        f"{what} by {implementation}: {_WORDS[stage]} where a rank is {lateness} late",
        f"rows are the rank that is late by {lateness}, columns the ranks that are delayed: 1.00 "
        "is by as much, 0 not at all; * is not by chance"
        + (f"; each is the mean of {width} ranks" if width > 1 else ""),
        _means(shares, width),
        _means(sure.astype(float), width) >= 0.5,
        width,
    )


def _means(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Of squares so wide, without what is NaN in them."""
    if width == 1:
        return values
    rows = -(-len(values) // width)
    padded = np.full((rows * width, rows * width), np.nan)
    padded[: len(values), : len(values)] = values
    squares = np.ma.masked_invalid(padded.reshape(rows, width, rows, width))
    return np.asarray(squares.mean(axis=(1, 3)).filled(np.nan))


def _late_ranks(cell: BenchCell) -> list[int]:
    return [rank for rank, delay in enumerate(cell.delays_ns) if delay]


def _operation(cell: BenchCell) -> tuple[str, int]:
    return cell.name, cell.bytes
