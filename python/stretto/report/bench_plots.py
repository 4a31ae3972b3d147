"""What there is to draw of a benchmark: how long each operation takes, by size and rank class."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.report.bench import BenchResult, BenchRow, Compared
from stretto.report.bench_cliffs import Key, cliffs_of
from stretto.report.line_plot import MOST_COLOURS, Jump, LinePlot, PlotLine, Reading
from stretto.report.spread import Spread
from stretto.report.words import seconds, significant, size
from stretto.stats.cliffs import Cliff
from stretto.stats.rank_classes import ALL, NON_ROOT, ROOT

NS = 1e-9
BYTES = "bytes of the vector, or of one rank's block"


@dataclass(frozen=True)
class TimeSpans:
    """An operation of one size, or that moves no data: one time for each, with its interval."""

    name: str  # of a file
    title: str
    words: str
    spans: dict[str, Spread]  # in seconds; the first is what others compare with
    predicted: dict[str, float] = field(default_factory=dict)  # in seconds, by no measurement


BenchPlot = LinePlot | TimeSpans


def is_plain(cell: BenchCell) -> bool:
    """The operation by itself, all ranks at once."""
    return not (cell.compute_ns or cell.tests or any(cell.delays_ns) or cell.operation == COMPUTE)


def operations(result: BenchResult) -> list[str]:
    """As MPI calls them, in the plan's order."""
    return list(dict.fromkeys(row.cell.name for row in result.rows))


def latency_plot(result: BenchResult, name: str) -> BenchPlot | None:
    """Times of one operation, with its cliffs; None as of `rows_plot`."""
    rows = [row for row in result.rows if row.cell.name == name and is_plain(row.cell)]
    return rows_plot(name, rows, result.record.plan.implementations, cliffs_of(rows))


def rows_plot(
    name: str,
    every: Iterable[BenchRow],
    names: Sequence[str],
    found: Mapping[Key, Sequence[Cliff]],
) -> BenchPlot | None:
    """Times of one operation by the implementations `names`, with the cliffs that were `found`.

    None where it was measured only beside work, or with late ranks, or is faster than the clock
    ticks.
    """
    rows = [row for row in every if row.cell.name == name and is_plain(row.cell)]
    if not any(_least(row) > 0 for row in rows):
        return None
    sizes = {row.cell.bytes for row in rows}
    if len(sizes) == 1:
        return TimeSpans(
            name,
            name,
            (f"of {size(max(sizes))}: " if any(sizes) else "")
            + "the dot is the median of launches, the bar its interval",
            {name_of(row): _span(row) for row in _in_order(rows, names)},
        )
    return LinePlot(
        name,
        name,
        BYTES,
        "from entering to leaving",
        "log",
        size,
        seconds,
        [*_lines(rows, names[:MOST_COLOURS])],
        [
            _jump(each, by, cliff)
            for (whose, each, by), of_it in found.items()
            if whose == name
            for cliff in of_it
        ],
        len({row.implementation for row in rows} - {*names[:MOST_COLOURS]}),
    )


def comparison_plot(result: BenchResult, name: str) -> LinePlot | None:
    """How many times as long the first implementation takes as others; None of a single size."""
    first, *others = result.record.plan.implementations[:MOST_COLOURS]
    compared = [
        each
        for each in result.compared
        if each.row.cell.name == name and is_plain(each.row.cell) and each.row.cell.bytes
    ]
    sizes = sorted({each.row.cell.bytes for each in compared})
    if len(sizes) < 2:
        return None
    lines = [
        _ratios(of_line, colour)
        for colour, other in enumerate(others, 1)
        for rank_class in (ROOT, NON_ROOT, ALL)
        if (
            of_line := [
                each
                for each in compared
                if (each.row.implementation, each.row.rank_class) == (other, rank_class)
            ]
        )
    ]
    even = [Reading(size, *(1.0,) * 5) for size in (sizes[0], sizes[-1])]
    return LinePlot(
        f"{name}-against-{first}",
        f"{name} against {first}",
        BYTES,
        f"the time of {first} over that of others",
        "log",
        size,
        lambda ratio: f"{significant(ratio)}x",
        [*lines, PlotLine(f"as {first}", None, False, even)],
        explained="above 1x they take less; whiskers are intervals of the single ratio, and the "
        "figures say which differ among so many",
    )


def name_of(row: BenchRow) -> str:
    """Of its line."""
    return line_name(row.implementation, row.rank_class)


def line_name(implementation: str, rank_class: str) -> str:
    """Of an implementation, and of its ranks where not all do the same."""
    return implementation + ("" if rank_class == ALL else f", {rank_class}")


def _ratios(compared: Sequence[Compared], colour: int) -> PlotLine:
    """By size."""
    readings = []
    for each in sorted(compared, key=lambda it: it.row.cell.bytes):
        found = each.difference
        ends = found.interval.low, found.interval.high
        readings.append(Reading(each.row.cell.bytes, found.ratio, *ends, found.ratio, found.ratio))
    row = compared[0].row
    return PlotLine(name_of(row), colour, row.rank_class == NON_ROOT, readings)


def reading_of(x: float, row: BenchRow) -> Reading:
    """In seconds."""
    interval = row.time.interval
    values = (row.time.median, interval.low, interval.high, row.minimum, row.maximum)
    return Reading(x, *(NS * each for each in values))


def _in_order(rows: Sequence[BenchRow], names: Sequence[str]) -> list[BenchRow]:
    return sorted(
        rows, key=lambda row: (names.index(row.implementation), row.rank_class == NON_ROOT)
    )


def _lines(rows: Sequence[BenchRow], implementations: Sequence[str]) -> Iterator[PlotLine]:
    """One for each implementation and class, by size."""
    for colour, implementation in enumerate(implementations):
        of_it = [row for row in rows if row.implementation == implementation]
        for rank_class in sorted({row.rank_class for row in of_it}, reverse=True):
            # On axes of logarithms there is no place for nothing.
            known = [
                row
                for row in sorted(of_it, key=lambda row: row.cell.bytes)
                if row.rank_class == rank_class and row.cell.bytes and _least(row) > 0
            ]
            if known:
                readings = [reading_of(row.cell.bytes, row) for row in known]
                is_dashed = rank_class == NON_ROOT
                yield PlotLine(name_of(known[0]), colour, is_dashed, readings)


def _least(row: BenchRow) -> float:
    return min(row.minimum, row.time.interval.low)


def _jump(rank_class: str, implementation: str, cliff: Cliff) -> Jump:
    whose = line_name(implementation, rank_class)
    label = f"{significant(cliff.factor)}x"
    between = f"between {size(cliff.low)} and {size(cliff.high)}"
    words = f"cliff of {whose} {between}: {label} what its trend lets expect"
    return Jump(cliff.low, cliff.high, label, words)


def _span(row: BenchRow) -> Spread:
    interval = row.time.interval
    return Spread(*(NS * each for each in (interval.low, row.time.median, interval.high)))
