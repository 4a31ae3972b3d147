"""How much of nonblocking collectives went on beside work, and how long was waited after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.data.bench_rows import over_launches
from stretto.report.bench import (
    BenchResult,
    BenchRow,
    Figure,
    cells_frame,
    figures_of_rows,
    rows_over,
)
from stretto.report.bench_plots import NS, is_plain, name_of, reading_of
from stretto.report.line_plot import MOST_COLOURS, LinePlot, PlotLine, Reading
from stretto.report.plain_table import PlainTable
from stretto.report.words import percent, seconds, significant, size
from stretto.stats.overlap import imb_share, osu_percent, over_ideal
from stretto.stats.rank_classes import ALL


@dataclass(frozen=True)
class BesideWork:
    """An operation with work until its wait, on the ranks of one class; times in ns."""

    row: BenchRow  # until the end of the wait
    start: BenchRow | None  # in the call that starts it
    in_tests: BenchRow | None
    wait: BenchRow | None  # from the end of the work to that of the wait
    alone: BenchRow  # the operation without work
    work_ns: float  # the work without the operation
    during: BenchRow | None  # the work beside it, less tests
    after: BenchRow | None  # as much work, or more, after its wait

    @property
    def name(self) -> str:
        """Of its line."""
        tests = self.row.cell.tests
        return name_of(self.row) + (f", {tests} tests" if tests else "")

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """What was hidden as OSU and as IMB have it, of 1, and the total over the longer of both;
        None where the clock shows nothing of one of them."""
        times = self.row.time.median, self.alone.time.median, self.work_ns
        if min(times) <= 0:
            return None
        osu, imb = 0.01 * osu_percent(*times), imb_share(*times)
        return float(osu), float(imb), float(over_ideal(*times))

    @property
    def speed_during(self) -> float | None:
        """Of the work beside the operation, as a share of its speed alone."""
        return _speed(self.work_ns, self.during) if self.work_ns else None

    @property
    def speed_after(self) -> float | None:
        """And of the work after it."""
        cell = self.row.cell
        if not cell.compute_ns:
            return None
        return _speed(self.work_ns * cell.after_ns / cell.compute_ns, self.after)


def beside_work(result: BenchResult, run: BenchFolder) -> list[BesideWork]:
    """All cells with work or tests whose operation was measured without, too, by
    implementation."""
    if not any(map(_has_beside, result.record.plan.cells)):
        return []  # as most runs have none, and their samples are many
    start, tests, waits, during, after = _parts_of(run, result.record.plan.cells)
    alone = {_operation(row): row for row in result.rows if is_plain(row.cell)}
    works = {
        (row.cell.compute_ns, row.implementation): row.time.median
        for row in result.rows
        if row.cell.operation == COMPUTE
    }
    names = result.record.plan.implementations
    return [
        BesideWork(
            row,
            start.get(_key(row)),
            tests.get(_key(row)),
            waits.get(_key(row)),
            alone[_operation(row)],
            works.get((cell.compute_ns, row.implementation), float(cell.compute_ns)),
            during.get(_key(row)),
            after.get(_key(row)),
        )
        for row in sorted(result.rows, key=lambda row: names.index(row.implementation))
        if _has_beside(cell := row.cell) and _operation(row) in alone
    ]


def _has_beside(cell: BenchCell) -> bool:
    return bool(cell.compute_ns or cell.tests) and cell.operation != COMPUTE


def _parts_of(
    run: BenchFolder, cells: Sequence[BenchCell]
) -> Iterator[dict[tuple[int, str, str], BenchRow]]:
    """What lies in the start, in the tests, in the wait, in the work and in the work after."""
    started, computed, leave = (pl.col(f"{each}_ns") for each in ("started", "computed", "leave"))
    in_tests = pl.when(computed.is_not_null()).then(pl.col("in_tests_ns"))
    parts = [
        (pl.col("enter_ns"), started),
        (pl.lit(0, pl.Int64), in_tests),
        (computed, leave),
        (started, computed - in_tests),
        (leave, pl.col("after_ns")),
    ]
    figures = figures_of_rows(cells_frame(cells))
    each_of_each = [_between(*part, figure) for part in parts for figure in figures]
    with_work = [cell.number for cell in cells if _has_beside(cell)]
    found = over_launches(run.samples_by_launch(with_work), *each_of_each)
    for begin in range(0, len(found), len(figures)):
        rows = rows_over(cells, *found[begin : begin + len(figures)])
        yield {_key(row): row for row in rows}


def _between(begin: pl.Expr, end: pl.Expr, figure: Figure) -> Figure:
    """The figure of what lies between two times of each repetition."""
    there = pl.col("enter_ns").is_not_null() & pl.col("leave_ns").is_not_null()
    return lambda samples: figure(samples.with_columns(enter_ns=begin, leave_ns=end).filter(there))


def times_of_launches(
    cells: Sequence[BenchCell], launches: pl.DataFrame, row: BenchRow
) -> list[tuple[float, float, float]]:
    """Of a row with work, in ns in each launch that has them all: until the end of the wait, the
    operation alone, and the work alone. `launches` are what `of_launches` has of the row's run."""
    cell = row.cell
    of_way = launches.filter(implementation=row.implementation).drop_nulls("median_ns")

    def times(rank_class: str, *which: BenchCell) -> dict[int, float]:
        numbers = [each.number for each in which]
        found = of_way.filter(pl.col("cell").is_in(numbers), rank_class=rank_class)
        return dict(found.select("launch", "median_ns").iter_rows())

    key = cell.name, cell.bytes
    plain = [it for it in cells if is_plain(it) and (it.name, it.bytes) == key]
    as_much = [it for it in cells if it.operation == COMPUTE and it.compute_ns == cell.compute_ns]
    totals = times(row.rank_class, cell)
    alone, work = times(row.rank_class, *plain), times(ALL, *as_much)
    whole = [(totals[it], alone[it], work[it]) for it in sorted({*totals} & {*alone} & {*work})]
    return [each for each in whole if min(each) > 0]


def overlap_plots(found: Sequence[BesideWork]) -> Iterator[LinePlot]:
    """One operation's, a plot for each size, the largest first."""
    with_work = [each for each in found if each.row.cell.compute_ns]
    for bytes_ in sorted({each.row.cell.bytes for each in with_work}, reverse=True):
        of_size = [each for each in found if each.row.cell.bytes == bytes_]
        operation = of_size[0].row.cell.name
        lines = list(dict.fromkeys(it.name for it in with_work if it.row.cell.bytes == bytes_))
        longest = NS * max(each.work_ns for each in of_size)
        if longest == 0:  # The clock shows nothing of the work, by which the plot would go.
            continue
        yield LinePlot(
            f"{operation}-{bytes_}-overlap",
            f"{operation} of {size(bytes_)} beside work",
            "work between start and wait",
            "until the wait ends, and the wait",
            "linear",
            seconds,
            seconds,
            [
                *(
                    line
                    for colour, name in enumerate(lines[:MOST_COLOURS])
                    for line in _lines(
                        name, colour, [each for each in of_size if each.name == name]
                    )
                ),
                PlotLine("work alone", None, False, [_exactly(0), _exactly(longest)]),
            ],
            (),
            len(lines[MOST_COLOURS:]),
        )


def overlap_table(found: Sequence[BesideWork]) -> PlainTable:
    """One operation's, all sizes."""
    heads = ["bytes", "work", "by", "alone", "with work", "start", "tests", "wait"]
    return PlainTable(
        "",
        [*heads, "hidden (OSU)", "hidden (IMB)", "over the ideal", "speed of work", "and after"],
        [
            _figures(each)
            for each in sorted(found, key=lambda it: (it.row.cell.bytes, it.row.cell.compute_ns))
        ],
    )


def _key(row: BenchRow) -> tuple[int, str, str]:
    return row.cell.number, row.implementation, row.rank_class


def _speed(alone_ns: float, row: BenchRow | None) -> float | None:
    return alone_ns / row.time.median if row and row.time.median > 0 else None


def _operation(row: BenchRow) -> tuple[str, int, str, str]:
    return row.cell.name, row.cell.bytes, row.implementation, row.rank_class


def _lines(name: str, colour: int, found: Sequence[BesideWork]) -> Iterator[PlotLine]:
    """From no work on, where that was measured: with as many tests."""
    by_work = sorted(found, key=lambda each: each.work_ns)
    alone = [] if by_work[0].row.cell.tests else [reading_of(0, by_work[0].alone)]
    totals = [reading_of(NS * each.work_ns, each.row) for each in by_work]
    yield PlotLine(name, colour, False, [*alone, *totals])
    waits = [reading_of(NS * each.work_ns, each.wait) for each in by_work if each.wait]
    if waits:
        yield PlotLine(f"{name}, wait", colour, True, waits)


def _exactly(time: float) -> Reading:
    return Reading(time, time, time, time, time, time)


def _figures(each: BesideWork) -> list[str]:
    shares = ["", "", ""]
    if each.shares is not None:
        osu, imb, over = each.shares
        shares = [percent(osu), percent(imb), f"{significant(over)}x"]
    return [
        size(each.row.cell.bytes),
        seconds(NS * each.work_ns),
        each.name,
        seconds(NS * each.alone.time.median),
        seconds(NS * each.row.time.median),
        *(
            seconds(NS * it.time.median) if it else ""
            for it in (each.start, each.in_tests, each.wait)
        ),
        *shares,
        *("" if it is None else percent(it) for it in (each.speed_during, each.speed_after)),
    ]
