"""Plots of benchmarks as files."""

from pathlib import Path

import numpy as np
import pytest

from stretto.data.bench_plan import BenchCell
from stretto.report.bench_late import DelayMatrix
from stretto.report.bench_plots import TimeSpans
from stretto.report.line_plot import Jump, LinePlot, OfModel, PlotLine, Reading
from stretto.report.plot_files import write_plot
from stretto.report.spread import Spread
from stretto.report.words import seconds, size

READINGS = [Reading(8 << n, 2e-6, 1e-6, 3e-6, 1e-6, 4e-6) for n in range(3)]
LINES = LinePlot(
    *("bcast", "bcast", "bytes", "time", "log", size, seconds),
    [
        PlotLine("$a, root", 0, False, READINGS),
        PlotLine("$a, non-root", 0, True, READINGS),
        PlotLine("work alone", None, False, READINGS),
        PlotLine("$a, predicted", 0, False, READINGS, OfModel.PREDICTION),
        PlotLine("floor", None, False, READINGS, OfModel.FLOOR),
    ],
    [Jump(8, 16, "2.00x", "a cliff")],
)
SPANS = TimeSpans("barrier", "barrier", "words", {"<a>": Spread(1e-6, 2e-6, 3e-6)}, {"floor": 1e-6})
MATRIX = DelayMatrix(
    *("late by a/b", BenchCell(0, "bcast"), "a/b", 1000, "end", "late ranks " * 12, "words"),
    np.array([[1.0, np.nan], [0.1, 1.0]]),
    np.eye(2, dtype=bool),
    1,
)
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize("plot", [LINES, SPANS, MATRIX], ids=lambda plot: type(plot).__name__)
def test_each_kind_is_drawn_in_each_format(
    plot: LinePlot | TimeSpans | DelayMatrix, tmp_path: Path
) -> None:
    paths = write_plot(plot, tmp_path, "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(it.name for it in paths)
    assert [path.suffix[1:] for path in paths] == [*STARTS]
    for path in paths:
        assert path.read_bytes().startswith(STARTS[path.suffix[1:]])


def test_a_name_is_one_of_a_file(tmp_path: Path) -> None:
    assert write_plot(MATRIX, tmp_path, "run")[0].name == "run-late-by-a-b.svg"


def test_drawn_again_a_plot_is_the_same(tmp_path: Path) -> None:
    first, again = ([p.read_bytes() for p in write_plot(LINES, tmp_path, "a")] for _ in range(2))
    assert first == again


def test_a_linear_plot_is_drawn(tmp_path: Path) -> None:
    readings = [Reading(0, 0, 0, 0, 0, 0), *READINGS]
    line = PlotLine("a", 0, False, readings)
    plot = LinePlot("a", "a", "work", "time", "linear", seconds, seconds, [line])
    assert len(write_plot(plot, tmp_path, "run")) == len(STARTS)
