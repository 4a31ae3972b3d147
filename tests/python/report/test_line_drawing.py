"""Measured lines as shapes on a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.report.line_drawing import DrawnPlot, draw_lines
from stretto.report.line_plot import LinePlot, PlotLine, Reading
from stretto.report.words import seconds, size


def drawn(*readings: Reading, scale: str = "log") -> DrawnPlot:
    line = PlotLine("a", 0, False, readings)
    assert scale in ("log", "linear")
    plot = LinePlot("a", "a", "bytes", "time", scale, size, seconds, [line])  # type: ignore[arg-type]
    return draw_lines(plot)


def reading(x: float, median: float, spread: float = 1.2) -> Reading:
    return Reading(x, median, median / spread, median * spread, median / spread, median * spread)


@given(
    st.lists(st.floats(1e-9, 1e4), min_size=1, max_size=9),
    st.floats(1, 1e3),
    st.sampled_from(["log", "linear"]),
)
def test_all_is_within_the_plot_and_a_few_ticks(
    times: list[float], spread: float, scale: str
) -> None:
    plot = drawn(*(reading(8 << n, t, spread) for n, t in enumerate(times)), scale=scale)
    for each in plot.lines[0].readings:
        assert 0 <= each.at <= 100
        assert 0 <= each.high <= each.height <= each.low <= 100
    assert 1 <= len(plot.vertical.ticks) <= 20
    assert all(0 <= tick.at <= 100 for tick in plot.vertical.ticks)


def test_round_values_have_round_labels() -> None:
    plot = drawn(reading(1024, 2e-6), reading(4096, 9e-6))
    assert [tick.label for tick in plot.horizontal.ticks] == ["1 KiB", "2 KiB", "4 KiB"]
    assert [tick.label for tick in plot.vertical.ticks] == [
        "1 µs",
        "2 µs",
        "5 µs",
        "10 µs",
        "20 µs",
    ]


def test_a_band_goes_along_the_slowest_and_back_along_the_fastest() -> None:
    (line,) = drawn(reading(1, 2e-6, 2), reading(2, 5e-6, 2)).lines
    assert line.line.count("L") == 1
    assert line.band.count("L") == 3
    assert line.band.endswith("Z")


def test_ranks_that_all_take_the_same_have_no_band() -> None:
    (line,) = drawn(Reading(1, 1, 0.5, 2, 1, 1), Reading(2, 1, 0.5, 2, 1, 1)).lines
    assert not line.band


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_one_reading_is_enough(scale: str) -> None:
    assert drawn(reading(8, 1e-6, 1), scale=scale).lines[0].readings
