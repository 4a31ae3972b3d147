"""A benchmark's plots as files for papers: what the page shows, drawn by Matplotlib."""

import math
import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from stretto.data.whole_file import write_whole
from stretto.report.bench_late import DelayMatrix
from stretto.report.bench_plots import TimeSpans
from stretto.report.line_plot import LinePlot, OfModel, PlotLine
from stretto.report.scaling import FORMATS
from stretto.report.words import of_round_values, seconds

# As style.css and plots.html.j2 have them.
_COLOURS = ("#0072b2", "#d55e00", "#00795c", "#a8518a", "#9a6a00", "#333a40")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_QUIET = "#5c666d"
_SIZE = (5.2, 3.4)  # inches: a column and a half of most papers
_TITLE_WIDTH = 60  # characters
_NAME_WIDTH = 36
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "legend.fontsize": 8,
    "pdf.fonttype": 42,  # what journals take: letters, no pictures of letters
    "savefig.dpi": 300,
    "svg.hashsalt": "stretto",  # the same file each time
    "text.parse_math": False,  # names are no formulae
}
# Neither says when it was made.
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def write_plot(plot: LinePlot | TimeSpans | DelayMatrix, folder: Path, prefix: str) -> list[Path]:
    """Draw it into `folder`, in each of FORMATS. Raises EnvironmentUnusable."""
    stem = re.sub(r"[^\w.+-]+", "-", f"{prefix}-{plot.name}")
    paths = [folder / f"{stem}.{ending}" for ending in FORMATS]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title("\n".join(wrap(plot.title, _TITLE_WIDTH)), fontsize=9)
        match plot:
            case LinePlot():
                _draw_lines(plot, axes)
            case TimeSpans():
                _draw_spans(plot, axes)
            case DelayMatrix():
                _draw_matrix(plot, axes)
        for path, ending in zip(paths, FORMATS, strict=True):
            drawn = BytesIO()
            figure.savefig(drawn, format=ending, metadata=_METADATA.get(ending))
            write_whole(path, drawn.getvalue())
    return paths


def _draw_lines(plot: LinePlot, axes: Axes) -> None:
    if plot.scale == "log":
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        if _tenfolds(plot) < 2:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set(xlabel=plot.across, ylabel=plot.upwards)
    axes.xaxis.set_major_formatter(_ticks(plot.name_x))
    axes.yaxis.set_major_formatter(_ticks(plot.name_y))
    axes.grid(which="major", alpha=0.3)
    for jump in plot.jumps:
        axes.axvspan(jump.low, jump.high, color="#8a5a00", alpha=0.15, linewidth=0)
    for jump, height in zip(plot.jumps, _heights(len(plot.jumps)), strict=True):
        axes.text(
            math.sqrt(jump.low * jump.high),
            height,
            jump.label,
            transform=axes.get_xaxis_transform(),
            horizontalalignment="center",
            verticalalignment="top",
        )
    for line in plot.lines:
        _draw_line(line, axes)
    axes.legend(frameon=False)


def _draw_line(line: PlotLine, axes: Axes) -> None:
    xs = [each.x for each in line.readings]
    medians = [each.median for each in line.readings]
    if line.model is OfModel.FLOOR:
        axes.plot(xs, medians, color=_QUIET, linewidth=0.7, label=_wrapped(line.name))
        return
    if line.model is OfModel.PREDICTION and line.colour is not None:
        colour = _COLOURS[line.colour]
        axes.plot(
            xs, medians, color=colour, linestyle=":", linewidth=1.4, label=_wrapped(line.name)
        )
        return
    if line.colour is None:
        axes.plot(xs, medians, color=_QUIET, linestyle=":", linewidth=1, label=_wrapped(line.name))
        return
    colour = _COLOURS[line.colour]
    least, most = ([getattr(each, end) for each in line.readings] for end in ("least", "most"))
    if least != most:
        axes.fill_between(xs, least, most, color=colour, alpha=0.16, linewidth=0)
    axes.errorbar(
        xs,
        medians,
        yerr=[
            [each.median - each.low for each in line.readings],
            [each.high - each.median for each in line.readings],
        ],
        color=colour,
        marker=_MARKERS[line.colour],
        markersize=4,
        markerfacecolor="white" if line.is_dashed else colour,
        linestyle="--" if line.is_dashed else "-",
        linewidth=1.2,
        capsize=2,
        label=_wrapped(line.name),
    )


def _draw_spans(plot: TimeSpans, axes: Axes) -> None:
    for number, span in enumerate(plot.spans.values()):
        below, above = span.median - span.least, span.most - span.median
        at = number % len(_COLOURS)
        axes.errorbar(
            [span.median],
            [number],
            xerr=[[below], [above]],
            color=_COLOURS[at],
            marker=_MARKERS[at],
            capsize=3,
        )
    names = [*plot.spans, *plot.predicted]
    for number, time in enumerate(plot.predicted.values(), len(plot.spans)):
        axes.plot([time], [number], color=_QUIET, marker="o", markerfacecolor="white")
    axes.set_yticks(range(len(names)), [*map(_wrapped, names)])
    axes.set(xlabel="\n".join(wrap(plot.words, _TITLE_WIDTH)), ylim=(len(names) - 0.5, -0.5))
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(_ticks(seconds))
    axes.grid(axis="x", alpha=0.3)


def _draw_matrix(plot: DelayMatrix, axes: Axes) -> None:
    axes.imshow(plot.shares, cmap="Blues", vmin=0, vmax=2)  # light enough for black figures
    rows, columns = plot.row_names(), plot.column_names()
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set(xlabel="delayed rank", ylabel="late rank")
    for (row, column), share in ((at, plot.shares[at]) for at in np.ndindex(*plot.shares.shape)):
        if not math.isnan(share):
            words = f"{share:.2f}" + "*" * bool(plot.is_sure[row, column])
            axes.text(column, row, words, fontsize=7, ha="center", va="center")


def _wrapped(name: str) -> str:
    """A name of a file and its suite would leave no room for the axes."""
    return "\n".join(wrap(name, _NAME_WIDTH))


def _heights(count: int) -> Sequence[float]:
    """Of labels, so that neighbours do not lie on each other."""
    return [0.99 - 0.08 * (number % 2) for number in range(count)]


def _tenfolds(plot: LinePlot) -> float:
    values = [y for line in plot.lines for each in line.readings for y in (each.least, each.most)]
    return math.log10(max(values) / min(values))


def _ticks(name: Any) -> FuncFormatter:
    label = of_round_values(name)
    return FuncFormatter(lambda value, _: label(value))
