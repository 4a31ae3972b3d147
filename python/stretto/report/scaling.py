"""Simulated times over the number of ranks, as a picture."""

from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from stretto.data.schedules import Simulated
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, unwritable
from stretto.report.words import seconds

FORMATS = ("svg", "png", "pdf")
_MARKERS = "osD^vPX*"


def draw_scaling(path: Path, title: str, curves: dict[str, list[Simulated]]) -> None:
    """Write one curve an algorithm; the file's ending says which of FORMATS.

    Raises InputError, or EnvironmentUnusable where the disk is full, say.
    """
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot(yscale="log", title=title)
    axes.set_xscale("log", base=2)  # ranks mostly come in powers of two
    axes.set(xlabel="ranks", ylabel="until the last rank is done")
    for i, (algorithm, points) in enumerate(curves.items()):
        ranks = [each.ranks for each in points]
        times = [each.end_ns * 1e-9 for each in points]
        axes.plot(ranks, times, marker=_MARKERS[i % len(_MARKERS)], label=algorithm)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
    axes.grid(which="major", alpha=0.3)
    axes.legend()
    drawn = BytesIO()
    try:
        figure.savefig(drawn, format=path.suffix.removeprefix("."))
        put_whole(path, drawn.getvalue())
    except OSError as error:
        raise unwritable(f"--plot {path}", error) from error
    except ValueError as error:
        raise InputError(f"--plot {path}: {error}") from error
