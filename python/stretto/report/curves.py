"""Where the points of curves over ranks or bytes go: a log2 axis across, a log10 one upwards.

In percent of the plot, as in plots.py.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stretto.report.plots import Axis, Tick

_MOST_TICKS = 9
# Curves beyond so many would not be told apart: the table has them all.
MOST_CURVES = 8


@dataclass(frozen=True)
class Point:
    """A measured or simulated value; percent from the left and from the top."""

    at: float
    height: float
    label: str


@dataclass(frozen=True)
class Curve:
    """One line of the plot; the number says its colour and its marks."""

    number: int
    name: str
    points: list[Point]


@dataclass(frozen=True)
class CurvesPlot:
    """Curves over each other, on common axes."""

    title: str
    across: str  # what the axis is a number of
    words: str  # what there is to see, for who does not see it
    horizontal: Axis
    vertical: Axis
    curves: list[Curve]
    left_out: int
    kind: str = "curves"


def curves_plot(
    title: str,
    across: str,
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    name_x: Callable[[float], str],
    name_y: Callable[[float], str],
) -> CurvesPlot | None:
    """Curves of (x, y), both above 0, the most important first; None where there are no points.

    `name_x`, `name_y` say values in words.
    """
    known = [(name, [(x, y) for x, y in points if x > 0 and y > 0]) for name, points in curves]
    known = [(name, points) for name, points in known if points]
    if not known:
        return None
    shown = known[:MOST_CURVES]
    every = [point for _, points in shown for point in points]
    horizontal = log_axis([x for x, _ in every], 2, name_x)
    vertical = log_axis([y for _, y in every], 10, name_y)
    return CurvesPlot(
        title,
        across,
        "; ".join(_in_words(name, points, name_x, name_y) for name, points in shown),
        horizontal,
        vertical,
        [
            Curve(
                number,
                name,
                [
                    Point(
                        horizontal.at(math.log2(x)),
                        round(100 - vertical.at(math.log10(y)), 3),
                        f"{name}, {name_x(x)}: {name_y(y)}",
                    )
                    for x, y in points
                ],
            )
            for number, (name, points) in enumerate(shown)
        ],
        len(known) - len(shown),
    )


def log_axis(values: Sequence[float], base: int, label: Callable[[float], str]) -> Axis:
    """An axis of logarithms over all `values`, with ticks at powers of `base`."""
    least, most = (math.log(end(values), base) for end in (min, max))
    low = math.floor(least + 1e-9)
    high = max(math.ceil(most - 1e-9), low + 1)
    step = math.ceil((high - low) / _MOST_TICKS)
    powers = range(low, high + 1, step)
    length = high - low
    ticks = [Tick(round(100 * (n - low) / length, 3), label(float(base) ** n)) for n in powers]
    return Axis(high, ticks, low)


def _in_words(
    name: str,
    points: Sequence[tuple[float, float]],
    name_x: Callable[[float], str],
    name_y: Callable[[float], str],
) -> str:
    (first, at_first), (last, at_last) = points[0], points[-1]
    ends = f"{name}: {name_y(at_first)} at {name_x(first)}"
    return ends if len(points) == 1 else f"{ends}, {name_y(at_last)} at {name_x(last)}"
