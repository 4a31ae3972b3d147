"""Where the marks of each plot go, in percent of its width; the templates draw them.

Percentages keep text at its size on any screen: the plot stretches, its text does not.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from stretto.data.samples import Sample, Side
from stretto.report.comparison import Result, SideTimes
from stretto.report.spread import Spread
from stretto.report.words import seconds

_MOST_TICKS = 6


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Axis:
    """From 0 to a little beyond the largest value, so that lengths compare as values do.

    One of logarithms begins elsewhere.
    """

    end: float
    ticks: list[Tick]
    begin: float = 0

    def at(self, value: float) -> float:
        """Where `value` lies, in percent."""
        return round(100 * (value - self.begin) / (self.end - self.begin), 3)


@dataclass(frozen=True)
class Dot:
    """One launch."""

    at: float
    height: float  # percent from the top, where a plot has heights
    side: Side
    label: str


@dataclass(frozen=True)
class Strip:
    """The launches of one side on one line, its median marked."""

    side: Side
    dots: list[Dot]
    median: float
    label: str


@dataclass(frozen=True)
class TimesPlot:
    """Both sides' times under each other, on one axis."""

    title: str
    axis: Axis
    strips: list[Strip]


@dataclass(frozen=True)
class OrderPlot:
    """Times in the order of the launches: a trend here is the machine, not the program."""

    axis: Axis
    dots: list[Dot]


@dataclass(frozen=True)
class SpanRow:
    """A program's ratio, or a scenario's time, with its interval."""

    name: str
    median: float
    low: float
    high: float
    label: str
    is_measured: bool = True


@dataclass(frozen=True)
class RatioPlot:
    """Every program's ratio on one axis, with the place where nothing is gained."""

    axis: Axis
    even: float
    rows: list[SpanRow]


@dataclass(frozen=True)
class SpansPlot:
    """Times with how far they reach, on one axis, and the place of what they compare with."""

    title: str
    words: str  # what bars and dots are
    axis: Axis
    even: float
    rows: list[SpanRow]
    kind: str = "spans"


def axis(largest: float, label: Callable[[float], str]) -> Axis:
    """An axis to `largest` with ticks at round values."""
    step = _round_step(largest / _MOST_TICKS)
    count = math.floor(largest / step * (1 + 1e-9))
    end = largest * 1.04  # room for half a dot
    ticks = [Tick(round(100 * i * step / end, 3), label(i * step)) for i in range(count + 1)]
    return Axis(end, ticks)


def times_plots(result: Result) -> list[TimesPlot]:
    """The program's own time where it prints one, and wall time."""
    found = []
    if result.own is not None:
        own = _times_plot("The program's own time", result, result.own, lambda s: s.own_time_s)
        found.append(own)
    wall = "Wall time, start-up included"
    return [*found, _times_plot(wall, result, result.wall, lambda s: s.wall_time_s)]


def order_plot(result: Result) -> OrderPlot:
    """The better measure of time in launch order."""
    timed = [
        (sample, sample.own_time_s if result.own else sample.wall_time_s)
        for sample in sorted(result.samples, key=lambda s: s.order)
    ]
    times = [(sample, time) for sample, time in timed if time is not None]
    vertical = axis(max(time for _, time in times), _tick_seconds)
    width = 100 / len(times)
    dots = [
        Dot(
            round((i + 0.5) * width, 3), 100 - vertical.at(time), sample.side, _launch(sample, time)
        )
        for i, (sample, time) in enumerate(times)
    ]
    return OrderPlot(vertical, dots)


def ratio_plot(results: list[Result]) -> RatioPlot:
    """The ratio of every program by its best measure of time."""
    ratios = [(result, *result.best) for result in results]
    ends = [times.ratio.spread.maximum for _, _, times in ratios]
    horizontal = axis(max(1.2, *ends), lambda value: f"{value:g}x")
    rows = []
    for result, what, times in ratios:
        spread, interval = times.ratio.spread, times.ratio.interval
        low, high = (interval.low, interval.high) if interval else (spread.median, spread.median)
        at = horizontal.at
        label = f"{spread.median:.2f}x by {what} ({low:.2f} to {high:.2f})"
        rows.append(SpanRow(result.name, at(spread.median), at(low), at(high), label))
    return RatioPlot(horizontal, horizontal.at(1), rows)


def spans_plot(
    title: str,
    words: str,
    spans: Mapping[str, Spread],
    even: str,
    predicted: Mapping[str, float] = MappingProxyType({}),
) -> SpansPlot:
    """Times in seconds by name; `even` is the one that others compare with. Those that are
    `predicted` have no interval, and stand beneath.
    """
    most = max(*(span.most for span in spans.values()), *predicted.values(), 0.0)
    horizontal = axis(most, _tick_seconds)
    at = horizontal.at
    rows = [
        SpanRow(name, at(span.median), at(span.least), at(span.most), _span_words(span))
        for name, span in spans.items()
    ]
    rows += [
        SpanRow(name, at(time), at(time), at(time), seconds(time), is_measured=False)
        for name, time in predicted.items()
    ]
    return SpansPlot(title, words, horizontal, at(spans[even].median), rows)


def _span_words(span: Spread) -> str:
    return f"{seconds(span.median)} ({seconds(span.least)} to {seconds(span.most)})"


def _times_plot(
    title: str, result: Result, times: SideTimes, time: Callable[[Sample], float | None]
) -> TimesPlot:
    horizontal = axis(max(times.native.maximum, times.stretto.maximum), _tick_seconds)
    strips = []
    for side, spread in ((Side.NATIVE, times.native), (Side.STRETTO, times.stretto)):
        dots = [
            Dot(horizontal.at(value), 50, side, _launch(sample, value))
            for sample in result.samples
            if sample.side is side and (value := time(sample)) is not None
        ]
        label = f"{side}, median {seconds(spread.median)}"
        strips.append(Strip(side, dots, horizontal.at(spread.median), label))
    return TimesPlot(title, horizontal, strips)


def _launch(sample: Sample, time: float) -> str:
    return f"launch {sample.order}, {sample.side}, pair {sample.pair}: {seconds(time)}"


def _tick_seconds(value: float) -> str:
    if value == 0:
        return "0"
    number, unit = seconds(value).split()
    return f"{float(number):g} {unit}"


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
