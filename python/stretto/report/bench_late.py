"""Who is delayed by a rank that comes late, as a table of ranks by ranks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import over_launches
from stretto.data.bench_spec import MANY_RANKS
from stretto.report.bench import BenchResult
from stretto.report.bench_plots import NS, is_plain
from stretto.report.words import seconds, size
from stretto.stats.late_rank import END, Floats, delays, matrix, reached

# Of more ranks each row and column is of as many that follow each other.
MOST_SHOWN = 16
# What may be delayed, in words.
STAGES = {END: "the end", "start": "the return of the call"}


@dataclass(frozen=True)
class DelayMatrix:
    """By what share of one rank's lateness each rank is delayed: at [late rank, rank].

    NaN where nothing was measured; `is_sure`: not by chance.
    """

    name: str  # of a file
    cell: BenchCell  # the same where nobody is late
    implementation: str
    late_ns: int
    stage: str  # until when it is: "end" or "start", which is the return of the call
    title: str
    words: str
    shares: Floats
    is_sure: NDArray[np.bool_]
    ranks_a_row: int
    # Where few of many ranks are late in turn: rows are of these, the first column of themselves.
    late_ranks: tuple[int, ...] = ()

    @property
    def operation(self) -> str:
        """As MPI calls it."""
        return self.cell.name

    def row_names(self) -> list[str]:
        """Who is late."""
        return [*map(str, self.late_ranks)] or self._spans(len(self.shares))

    def column_names(self) -> list[str]:
        """Who is delayed."""
        if self.late_ranks:
            return ["itself", *self._spans(self.shares.shape[1] - 1)]
        return self._spans(self.shares.shape[1])

    def _spans(self, count: int) -> list[str]:
        width = self.ranks_a_row
        firsts = [width * number for number in range(count)]
        return [str(first) if width == 1 else f"{first}-{first + width - 1}" for first in firsts]


def delay_matrices(result: BenchResult, run: BenchFolder) -> Iterator[DelayMatrix]:
    """One for each operation, size, implementation, lateness and stage that has late ranks.

    Cells in which several ranks are late at once are no part of any: bench_late_patterns has those.
    """
    cells = result.record.plan.cells
    plain = {operation_of(cell): cell.number for cell in cells if is_plain(cell)}
    late = [
        (cell.number, plain[operation_of(cell)], rank, late_ns)
        for cell in cells
        if operation_of(cell) in plain
        for rank, late_ns in cell.late_ns.items()
        if len(cell.late_ns) == 1
    ]
    if not late:
        return
    columns = ["cell", "alone", "late_rank", "late_ns"]
    places = pl.DataFrame(late, schema=columns, orient="row")
    undelayed = places.drop("cell").rename({"alone": "cell"}).unique(maintain_order=True)
    # What nobody is late in is there once for each late rank, of many ranks one after the other.
    is_many = result.record.plan.ranks > MANY_RANKS
    at_once = 1 if is_many else len(undelayed)

    def of_late(samples: pl.DataFrame) -> pl.DataFrame:
        return reached(samples.join(places, on="cell").with_columns(cell=pl.col("alone")))

    def of_alone(samples: pl.DataFrame) -> pl.DataFrame:
        parts = undelayed.iter_slices(at_once)
        return pl.concat([reached(samples.join(part, on="cell")) for part in parts])

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
        yield _matrix(by_number[number], late_ns, by, stage, rows, is_many=is_many)


def _matrix(
    cell: BenchCell,
    late_ns: int,
    implementation: str,
    stage: str,
    rows: pl.DataFrame,
    *,
    is_many: bool,
) -> DelayMatrix:
    if is_many:
        shares, sure, width, late_ranks, left_out = _of_many(rows)
    else:
        full, is_sure = matrix(rows), matrix(rows, "delayed")
        width, late_ranks = -(-len(full) // MOST_SHOWN), ()
        shares, sure = (
            _means(full, width),
            _means(np.where(np.isnan(is_sure), np.nan, is_sure == 1), width),
        )
        left_out = f"; each is the mean of {width} ranks" if width > 1 else ""
    lateness = seconds(NS * late_ns)
    what = f"{cell.name} of {size(cell.bytes)}" if cell.bytes else cell.name
    kinds = "" if stage == END else f"-{stage}"
    return DelayMatrix(
        f"{cell.name}-{cell.bytes}-late-{late_ns}-{implementation}{kinds}",
        cell,
        implementation,
        late_ns,
        stage,
        f"{what} by {implementation}: {STAGES[stage]} where a rank is {lateness} late",
        f"rows are the rank that is late by {lateness}, columns the ranks that are delayed: 1.00 "
        "is by as much, 0 not at all; * is not by chance" + left_out,
        shares,
        sure >= 0.5,
        width,
        late_ranks,
    )


def _of_many(rows: pl.DataFrame) -> tuple[Floats, Floats, int, tuple[int, ...], str]:
    """The shares of the late ranks that delay others most, each first of itself and then of others,
    in means; which share of these is no chance; of how many ranks a mean is; the late ranks; and
    what is left out, in words."""
    others = pl.col("rank") != pl.col("late_rank")
    by_harm = (
        rows.group_by("late_rank")
        .agg(pl.col("amplification").filter(others).sum())
        .sort(-pl.col("amplification"), "late_rank")["late_rank"]
        .to_list()
    )
    late_ranks = sorted(by_harm[:MOST_SHOWN])
    whole = matrix(rows, late_ranks=late_ranks)
    is_sure = matrix(rows, "delayed", late_ranks)
    ranks = whole.shape[1]
    width = -(-ranks // MOST_SHOWN)
    shares, sure = (_beside_itself(each, late_ranks, width) for each in (whole, is_sure))
    words = f"; of {ranks} ranks {len(by_harm)} were late in turn"
    if len(by_harm) < ranks:
        words += ", and the others are left out"
    if len(by_harm) > MOST_SHOWN:
        words += f", as are all but the {MOST_SHOWN} of these that delay others most"
    words += f"; but for the late one itself each is the mean of {width} ranks"
    return shares, sure, width, tuple(late_ranks), words


def _beside_itself(values: Floats, late_ranks: Sequence[int], width: int) -> Floats:
    """Of each row what is of the late rank, and the means of so many others each."""
    rows = np.arange(len(late_ranks))
    itself = values[rows, late_ranks]
    others = values.copy()
    others[rows, late_ranks] = np.nan
    columns = -(-values.shape[1] // width)
    padded = np.full((len(rows), columns * width), np.nan)
    padded[:, : values.shape[1]] = others
    means = np.ma.masked_invalid(padded.reshape(len(rows), columns, width)).mean(axis=2)
    return np.column_stack([itself, np.ma.filled(means, np.nan)])


def _means(values: Floats, width: int) -> Floats:
    """Of squares so wide, without what is NaN in them."""
    if width == 1:
        return values
    rows = -(-len(values) // width)
    padded = np.full((rows * width, rows * width), np.nan)
    padded[: len(values), : len(values)] = values
    squares = np.ma.masked_invalid(padded.reshape(rows, width, rows, width))
    return np.asarray(squares.mean(axis=(1, 3)).filled(np.nan))


def operation_of(cell: BenchCell) -> tuple[str, int]:
    """What cells with late ranks have in common with the one where nobody is late."""
    return cell.name, cell.bytes
