"""Where a plot's lines, bands and whiskers go on the page, in percent as in plots.py.

Lines and bands are paths of a picture that is 100 wide and 100 high and is stretched; whiskers,
marks and text keep their size.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from stretto.report.curves import log_axis
from stretto.report.line_plot import LinePlot, PlotLine, Reading
from stretto.report.plots import Axis, Tick, axis
from stretto.report.words import of_round_values

_MOST_FINE_TICKS = 8


@dataclass(frozen=True)
class DrawnReading:
    """A mark, the whisker through it, and what both say."""

    at: float
    height: float  # from the top, as all heights
    low: float
    high: float
    label: str


@dataclass(frozen=True)
class DrawnLine:
    """A line, its band and its marks; without a colour the kind is "reference"."""

    kind: str
    name: str
    is_dashed: bool
    model: str  # which of OfModel; nothing where it was measured
    has_marks: bool
    line: str
    band: str  # nothing where all ranks took the same
    readings: list[DrawnReading]


@dataclass(frozen=True)
class DrawnJump:
    """A stretch of the axis."""

    at: float
    width: float
    label: str
    words: str


@dataclass(frozen=True)
class DrawnPlot:
    """All that a template needs."""

    plot: LinePlot
    horizontal: Axis
    vertical: Axis
    lines: list[DrawnLine]
    jumps: list[DrawnJump]
    kind: str = "lines"


def draw_lines(plot: LinePlot) -> DrawnPlot:
    """The plot as shapes; it has at least one reading, and on log axes all values are above 0."""
    every = [reading for line in plot.lines for reading in line.readings]
    xs = [reading.x for reading in every]
    ys = [y for each in every for y in (each.low, each.high, each.least, each.most)]
    if plot.scale == "log":
        horizontal = log_axis(xs, 2, of_round_values(plot.name_x))
        vertical = _fine_log_axis(ys, of_round_values(plot.name_y))
        across, up = _through(horizontal, math.log2), _through(vertical, math.log10)
    else:
        horizontal = axis(max(xs), of_round_values(plot.name_x))
        vertical = axis(max(ys), of_round_values(plot.name_y))
        across, up = horizontal.at, vertical.at

    def place(x: float, y: float) -> str:
        return f"{across(x):g} {_down(up(y)):g}"

    def drawn(line: PlotLine, reading: Reading) -> DrawnReading:
        low, height, high = (_down(up(y)) for y in (reading.low, reading.median, reading.high))
        return DrawnReading(across(reading.x), height, low, high, plot.label(line, reading))

    return DrawnPlot(
        plot,
        horizontal,
        vertical,
        [
            DrawnLine(
                "reference" if line.colour is None else f"series-{line.colour}",
                line.name,
                line.is_dashed,
                line.model or "",
                line.has_marks,
                _path(place(each.x, each.median) for each in line.readings),
                _band(line.readings, place),
                [drawn(line, each) for each in line.readings],
            )
            for line in plot.lines
        ],
        [
            DrawnJump(
                across(jump.low),
                round(across(jump.high) - across(jump.low), 3),
                jump.label,
                jump.words,
            )
            for jump in plot.jumps
        ],
    )


def _band(readings: Sequence[Reading], place: Callable[[float, float], str]) -> str:
    if all(each.least == each.most for each in readings):
        return ""
    there = [place(each.x, each.most) for each in readings]
    back = [place(each.x, each.least) for each in reversed(readings)]
    return f"{_path([*there, *back])}Z"


def _path(places: Iterable[str]) -> str:
    return "M" + "L".join(places)


def _through(on: Axis, scale: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: on.at(scale(value))


def _down(percent: float) -> float:
    return round(100 - percent, 3)


def _fine_log_axis(values: Sequence[float], label: Callable[[float], str]) -> Axis:
    """One of tenfolds ends at 1, 2 or 5 of them, so that times that are near are told apart."""
    rounds = [
        (factor, power)
        for power in range(
            math.floor(math.log10(min(values)) - 1e-9), math.ceil(math.log10(max(values))) + 2
        )
        for factor in (1, 2, 5)
    ]
    ends = [factor * 10.0**power for factor, power in rounds]
    first = max(number for number, end in enumerate(ends) if end <= min(values) * (1 + 1e-9))
    last = next(n for n in count(first + 1) if ends[n] >= max(values) * (1 - 1e-9))
    low, high = math.log10(ends[first]), math.log10(ends[last])
    within = [*range(first, last + 1)]
    if len(within) > _MOST_FINE_TICKS:
        within = [number for number in within if rounds[number][0] == 1]
    ticks = [
        Tick(round(100 * (math.log10(ends[n]) - low) / (high - low), 3), label(ends[n]))
        for n in within
    ]
    return Axis(high, ticks, low)
