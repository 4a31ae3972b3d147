"""What searches for cliffs and for the costs of first calls have found, as it is drawn."""

from collections.abc import Iterable, Iterator, Sequence

from stretto.report.bench import BenchRow
from stretto.report.bench_calls import IN_PROCESS, ON_COMMUNICATOR, CallCurve
from stretto.report.bench_cliffs import Found, Key
from stretto.report.bench_plots import NS, BenchPlot, rows_plot
from stretto.report.line_plot import MOST_COLOURS, LinePlot, PlotLine, Reading
from stretto.report.words import seconds, size
from stretto.stats.cliffs import Cliff

# Of which calls the curve has a reading: all of the first, and on a logarithmic axis enough.
DRAWN = (*range(1, 11), 12, 15, 20, 30, 50, 70, 100)
_EXPLAINED = (
    "the median over launches of what each call takes, on the median rank; whiskers are its "
    "interval"
)


def cliff_plots(
    rows: Sequence[BenchRow], implementations: Sequence[str], answers: Iterable[Found]
) -> Iterator[BenchPlot]:
    """The latency curve of each operation, by class of ranks, with its cliffs as narrow as they
    were measured; `rows` are of all rounds of sizes."""
    found: dict[Key, list[Cliff]] = {}
    for each in answers:
        key = (each.operation, each.rank_class, each.implementation)
        found.setdefault(key, []).append(each.cliff)
    for name in dict.fromkeys(row.cell.name for row in rows):
        if plot := rows_plot(name, rows, implementations, found):
            yield plot


def call_plots(found: Sequence[CallCurve], implementations: Sequence[str]) -> Iterator[LinePlot]:
    """Of each operation and size what its calls take one after the other; without what is faster
    than the clock ticks, of which an axis of logarithms has no place."""
    drawn = implementations[:MOST_COLOURS]
    for name, bytes_ in dict.fromkeys((each.operation, each.bytes) for each in found):
        of_it = [each for each in found if (each.operation, each.bytes) == (name, bytes_)]
        lines = [
            line
            for colour, by in enumerate(drawn)
            for first_of in (IN_PROCESS, ON_COMMUNICATOR)
            for each in of_it
            if (each.implementation, each.first_of) == (by, first_of)
            and (line := _line(each, colour)).readings
        ]
        if lines:
            yield LinePlot(
                f"{name}-{bytes_}-calls",
                f"{name} of {size(bytes_)}: call after call",
                "calls, from the first",
                "from entering to leaving",
                "log",
                lambda call: f"call {call:.0f}",
                seconds,
                lines,
                left_out=len({each.implementation for each in of_it} - {*drawn}),
                explained=_EXPLAINED,
            )


def _line(curve: CallCurve, colour: int) -> PlotLine:
    readings = [
        Reading(
            call,
            NS * time.median,
            NS * time.interval.low,
            NS * time.interval.high,
            NS * time.median,
            NS * time.median,
        )
        for call, time in sorted(curve.calls.items())
        if time.interval.low > 0
    ]
    name = f"{curve.implementation}, {curve.first_of}"
    return PlotLine(name, colour, curve.first_of == ON_COMMUNICATOR, readings)
