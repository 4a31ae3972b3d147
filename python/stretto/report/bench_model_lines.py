"""What a machine's model says of a benchmark, in the plots of what was measured."""

import math
from collections.abc import Sequence
from dataclasses import replace

from stretto.report.bench_model import BesideModel, Point, curves
from stretto.report.bench_plots import NS, BenchPlot, TimeSpans
from stretto.report.line_plot import MOST_COLOURS, OfModel, PlotLine, Reading

FLOOR = "bandwidth floor"
# A floor that is further below all else than this would only make the rest small.
_SHOWN_FLOOR = 0.5


def with_model(plot: BenchPlot, beside: BesideModel, implementations: Sequence[str]) -> BenchPlot:
    """The plot of an operation with its predictions, one for each implementation that it has a
    colour for, and with the floor.

    `plot` is as it was where nothing is predicted of it.
    """
    of_all = curves(beside.found)
    of_it = {
        implementation: of_all[plot.name, implementation]
        for implementation in implementations[:MOST_COLOURS]
        if (plot.name, implementation) in of_all
    }
    if not of_it:
        return plot
    if isinstance(plot, TimeSpans):
        return _among_spans(plot, of_it)
    # On axes of logarithms there is no place for nothing, and one point is no line.
    of_it = {name: [each for each in points if each[0]] for name, points in of_it.items()}
    lines = [
        PlotLine(
            _predicted(implementation),
            implementations.index(implementation),
            False,
            [_exactly(size, NS * ns) for size, ns, _ in points],
            OfModel.PREDICTION,
        )
        for implementation, points in of_it.items()
        if len(points) > 1
    ]
    every = [each.least for line in (*plot.lines, *lines) for each in line.readings]
    floor = _floor([*of_it.values()], _SHOWN_FLOOR * min(every))
    if len(floor) > 1:
        lines.append(PlotLine(FLOOR, None, False, floor, OfModel.FLOOR))
    what = {
        OfModel.PREDICTION: "dotted lines are what the model predicts of the slowest rank",
        OfModel.FLOOR: "the thin line is what the bytes take at least",
    }
    words = [plot.explained, *dict.fromkeys(what[line.model] for line in lines if line.model)]
    return replace(plot, lines=[*plot.lines, *lines], explained="; ".join(words))


def _among_spans(plot: TimeSpans, of_it: dict[str, list[Point]]) -> TimeSpans:
    """Its only size is that of every point."""
    times = {_predicted(name): NS * points[0][1] for name, points in of_it.items()}
    floor = NS * max(points[0][2] for points in of_it.values())
    if floor > 0:
        times[FLOOR] = floor
    words = "what is predicted, of the slowest rank, has none"
    return replace(plot, predicted=times, words=f"{plot.words}; {words}")


def _predicted(implementation: str) -> str:
    return f"{implementation}, predicted"


def _floor(of_all: Sequence[list[Point]], least: float) -> list[Reading]:
    """By size, in seconds, from where it rises above `least`; empty where it nowhere does."""
    floors: dict[float, float] = {}
    for size, _, ns in (point for points in of_all for point in points if point[2] > 0):
        floors[size] = max(floors.get(size, 0.0), NS * ns)
    known = sorted(floors.items())
    first = next((n for n, (_, time) in enumerate(known) if time >= least), len(known))
    readings = [_exactly(*each) for each in known[first:]]
    if readings and first:
        readings.insert(0, _exactly(_crossing(known[first - 1], known[first], least), least))
    return readings


def _crossing(before: tuple[float, float], after: tuple[float, float], time: float) -> float:
    """The size at which a line between two points, on axes of logarithms, comes to a time."""
    rise = math.log(after[1] / before[1])
    share = math.log(time / before[1]) / rise
    return before[0] * math.exp(share * math.log(after[0] / before[0]))


def _exactly(x: float, time: float) -> Reading:
    return Reading(x, *(time,) * 5)
