"""Latency curves of what other suites printed: by themselves, and beside those of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stretto.data.imported import Imported
from stretto.data.importers.registry import title_of
from stretto.report.bench import BenchResult
from stretto.report.bench_plots import BYTES, NS, BenchPlot, TimeSpans, is_plain
from stretto.report.bench_with_suites import says_most
from stretto.report.comparables import TIME, as_suites_do, of_import
from stretto.report.line_plot import MOST_COLOURS, LinePlot, PlotLine, Reading
from stretto.report.spread import Spread
from stretto.report.words import seconds, size
from stretto.stats.estimate import Estimate, estimate

# All suites give half of a round trip, where ours is a whole one.
_ROUND_TRIP, _HALF = "pingpong", ", twice: it is half of a round trip"
_PRINTED = "what a suite printed once has no whiskers, and none has bands"


@dataclass(frozen=True)
class SuiteCurve:
    """One operation on as many ranks, by size; times in ns."""

    name: str  # as MPI calls the function
    is_in_place: bool
    ranks: int | None  # None: the file does not say it
    words: str  # the file, its suite, and what a time is of
    times: dict[int, Estimate]  # by bytes, as stretto bench has them


def suite_curves(
    imported: Imported, ranks: int | None = None, file_name: str | None = None
) -> list[SuiteCurve]:
    """Of all that a file has times of; where it does not say how many ranks there were, `ranks`.

    `file_name`: what the file is called in the words, where its own name is another's, too.

    Of each size the statistic that says most, as where a run is compared with it.
    """
    found: dict[tuple[str, bool, int | None, str], dict[int, Estimate]] = {}
    is_of_several = len({each.ranks for each in imported.rows}) > 1
    for each in of_import(imported, ranks):
        of_time = [what for what in each.figures if what.metric == TIME]
        if not of_time:
            continue
        what = says_most(of_time)
        on = f"{each.ranks} ranks" if is_of_several and each.ranks else ""
        place = "in place" if each.in_place else ""
        parts = (
            file_name or Path(imported.path).name,
            title_of(imported),
            each.by,
            on,
            place,
            what.words,
        )
        words = ", ".join(filter(None, parts))
        times = found.setdefault((each.name, each.in_place, each.ranks, words), {})
        times.setdefault(each.bytes, estimate(each.figures[what]))
    return [SuiteCurve(*key, times) for key, times in found.items()]


def suite_plots(curves: Sequence[SuiteCurve]) -> Iterator[BenchPlot]:
    """One for each operation of a file."""
    for name in dict.fromkeys(each.name for each in curves):
        of_it = [each for each in curves if each.name == name]
        sizes = {bytes_ for each in of_it for bytes_ in each.times}
        if len(sizes) == 1:
            (only,) = sizes
            words = f"of {size(only)}: {_PRINTED}" if only else _PRINTED
            yield TimeSpans(name, name, words, {it.words: _span(it.times[only]) for it in of_it})
            continue
        lines = [_line(each, colour) for colour, each in enumerate(of_it[:MOST_COLOURS])]
        yield LinePlot(
            name,
            name,
            BYTES,
            "time",
            "log",
            size,
            seconds,
            [line for line in lines if line.readings],
            left_out=max(len(of_it) - MOST_COLOURS, 0),
            explained=f"as the legend says; {_PRINTED}",
        )


def with_suites(plot: BenchPlot, result: BenchResult, files: Sequence[Imported]) -> BenchPlot:
    """A run's plot of an operation with the curves of `files` that are of the same: its name, in
    place or not, on as many ranks. `plot` is as it was where there are none."""
    rows = [row for row in result.rows if row.cell.name == plot.name and is_plain(row.cell)]
    cells = [row.cell for row in rows if as_suites_do(row.cell)]
    ranks = result.record.plan.ranks
    kinds = {(plot.name, cell.in_place, ranks) for cell in cells}
    curves = [
        _whole(each)
        for file in files
        for each in suite_curves(file, ranks, _name_among(file, files))
        if (each.name, each.is_in_place, each.ranks) in kinds
    ]
    if isinstance(plot, TimeSpans):
        known = {
            each.words: _span(each.times[cells[0].bytes])
            for each in curves
            if cells[0].bytes in each.times
        }
        if not known:
            return plot
        return replace(plot, spans={**plot.spans, **known}, words=f"{plot.words}; {_PRINTED}")
    taken = [line.colour for line in plot.lines if line.colour is not None]
    free = range(max(taken, default=-1) + 1, MOST_COLOURS)
    drawn = [_line(each, colour) for each, colour in zip(curves, free, strict=False)]
    lines = [line for line in drawn if line.readings]
    if not curves:
        return plot
    return replace(
        plot,
        lines=[*plot.lines, *lines],
        left_out=plot.left_out + len(curves) - len(drawn),
        explained=f"{plot.explained}; {_PRINTED}",
    )


def _name_among(file: Imported, files: Sequence[Imported]) -> str:
    """The file's own name, or its path where another's is the same."""
    name = Path(file.path).name
    return name if [Path(each.path).name for each in files].count(name) == 1 else file.path


def _whole(curve: SuiteCurve) -> SuiteCurve:
    """A round trip as ours is."""
    if not curve.name.removeprefix("i").startswith(_ROUND_TRIP):
        return curve
    times = {bytes_: _twice(time) for bytes_, time in curve.times.items()}
    return replace(curve, words=curve.words + _HALF, times=times)


def _twice(time: Estimate) -> Estimate:
    ends = time.interval
    interval = replace(ends, low=2 * ends.low, high=2 * ends.high)
    return replace(time, median=2 * time.median, interval=interval)


def _line(curve: SuiteCurve, colour: int) -> PlotLine:
    """Without what no axis of logarithms has a place for."""
    readings = [
        _reading(bytes_, time) for bytes_, time in sorted(curve.times.items()) if bytes_ > 0
    ]
    return PlotLine(curve.words, colour, False, readings)


def _reading(bytes_: int, time: Estimate) -> Reading:
    middle = NS * time.median
    return Reading(bytes_, middle, NS * time.interval.low, NS * time.interval.high, middle, middle)


def _span(time: Estimate) -> Spread:
    interval = time.interval
    return Spread(*(NS * each for each in (interval.low, time.median, interval.high)))
