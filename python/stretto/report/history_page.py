"""The page of a history: a small line for each thing that was measured."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from stretto.report.bench_history import SHARE, BenchHistory, HistoryLine, HistoryPoint, HistoryRun
from stretto.report.page import environment, refuse_if_not_ours, write_page
from stretto.report.page_size import is_small
from stretto.report.words import seconds
from stretto.stats.summary import median

WIDTH, HEIGHT = 240, 36
_MARGIN = 4
# So much around a line's median is always in its picture, or noise would look like change.
_LEAST_REACH = 0.1


@dataclass(frozen=True)
class SparkDot:
    """One run's median."""

    x: float
    y: float
    kind: str  # "", "slower" or "faster"
    label: str


@dataclass(frozen=True)
class Spark:
    """A line of medians with their intervals; in units of a picture of WIDTH x HEIGHT."""

    medians: str  # points of a polyline
    intervals: str  # of a path
    dots: list[SparkDot]


@dataclass(frozen=True)
class LineShown:
    """A line of the table."""

    line: HistoryLine
    spark: Spark
    newest: str
    interval: str
    change: str  # since the oldest run that has it
    kind: str  # of the newest run


@dataclass(frozen=True)
class ChangeShown:
    """A line of the table of changes."""

    run: str
    what: str
    words: str
    kind: str


def write_history(history: BenchHistory, path: Path) -> None:
    """Write the page. Raises InputError where something else is at `path`."""
    refuse_if_not_ours(path)
    write_page(render_history(history), path)


def render_history(history: BenchHistory) -> str:
    """The page as text; one that would be large has dots, which say what they are of, only where
    something changed, and at last the lines that changed alone."""
    page = _rendered(history, [_shown(line, history.runs) for line in history.lines])
    if is_small(page):
        return page
    said = "the page would be over 2 MB: only changes have dots"
    fewer = [_with_fewer_dots(_shown(line, history.runs)) for line in history.lines]
    page = _rendered(_warned(history, said), fewer)
    if is_small(page):
        return page
    changed = [it for it in fewer if any(point.changed for point in it.line.points)]
    said += f", and {len(fewer) - len(changed)} lines without a change are left out"
    return _rendered(_warned(history, f"{said}; --last takes fewer runs"), changed)


def _warned(history: BenchHistory, words: str) -> BenchHistory:
    return replace(history, warnings=[words, *history.warnings])


def _with_fewer_dots(shown: LineShown) -> LineShown:
    dots = [dot for dot in shown.spark.dots if dot.kind]
    return replace(shown, spark=replace(shown.spark, dots=dots))


def _rendered(history: BenchHistory, lines: list[LineShown]) -> str:
    names = list(dict.fromkeys((it.line.plan, it.line.name) for it in lines))
    sections = [
        (f"{name} ({plan})", [it for it in lines if (it.line.plan, it.line.name) == (plan, name)])
        for plan, name in names
    ]
    template = environment().get_template("history.html.j2")
    return template.render(
        history=history,
        sections=sections,
        changes=[*_changes(history)],
        width=WIDTH,
        height=HEIGHT,
    )


def _kind(point: HistoryPoint) -> str:
    if not point.changed:
        return ""
    if point.shift is not None:  # who hides less is slower
        return "slower" if point.shift < 0 else "faster"
    if point.factor is None:
        return ""
    return "slower" if point.factor > 1 else "faster"


def _value(line: HistoryLine, value: float) -> str:
    return f"{value:.0%} hidden" if line.unit == SHARE else seconds(value * 1e-9)


def _interval(line: HistoryLine, point: HistoryPoint) -> str:
    return f"{_value(line, point.low)} to {_value(line, point.high)}"


def _since(line: HistoryLine) -> str:
    first, last = line.points[0].median, line.points[-1].median
    if line.unit == SHARE:
        return f"{100 * (last - first):+.0f} points"
    return f"{last / first:.2f}x" if first > 0 else ""


def _changes(history: BenchHistory) -> Iterator[ChangeShown]:
    for line, point in history.changes:
        if point.interval is None:
            continue
        low, high = point.interval.low, point.interval.high
        if point.shift is None:
            words = f"{point.factor:.2f}x [{low:.2f}, {high:.2f}]"
        else:
            words = f"{100 * point.shift:+.0f} points [{100 * low:.0f}, {100 * high:.0f}]"
        words += f", to {_value(line, point.median)}"
        what = ", ".join(filter(None, (line.name, line.what, line.rank_class, line.implementation)))
        yield ChangeShown(history.runs[point.run].label, what, words, _kind(point))


def _shown(line: HistoryLine, runs: list[HistoryRun]) -> LineShown:
    first, last = line.points[0], line.points[-1]
    now = _value(line, last.median)
    is_newest = last.run == len(runs) - 1
    return LineShown(
        line,
        _spark(line, runs),
        now if is_newest else f"{now}, not in the newest run",
        _interval(line, last),
        _since(line) if last != first else "",
        _kind(last) if is_newest else "",
    )


def _spark(line: HistoryLine, runs: list[HistoryRun]) -> Spark:
    middle = median([it.median for it in line.points])
    reach = _LEAST_REACH * (1 if line.unit == SHARE else middle)
    low = min(*(it.low for it in line.points), middle - reach)
    high = max(*(it.high for it in line.points), middle + reach)
    step = (WIDTH - 2 * _MARGIN) / max(len(runs) - 1, 1)

    def x(point: HistoryPoint) -> float:
        return round(_MARGIN + step * point.run, 1)

    def y(time: float) -> float:
        share = (time - low) / (high - low) if high > low else 0.5
        return round(HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN), 1)

    return Spark(
        " ".join(f"{x(it):g},{y(it.median):g}" for it in line.points),
        "".join(f"M{x(it):g} {y(it.low):g}V{y(it.high):g}" for it in line.points),
        [
            SparkDot(
                x(it),
                y(it.median),
                _kind(it),
                f"{runs[it.run].label}: {_value(line, it.median)} ({_interval(line, it)})",
            )
            for it in line.points
        ],
    )
