"""Run folders of bench as the report shows them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benched import CLIFF, WAYS, benched
from recorded import Page

from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_plots import TimeSpans, comparison_plot, latency_plot, operations
from stretto.report.line_plot import LinePlot
from stretto.stats.estimate import estimate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return benched(tmp_path_factory.mktemp("runs") / "bench-1")


@pytest.fixture(scope="module")
def result(folder: Path) -> BenchResult:
    return summarise(BenchFolder(folder))


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    page = folder.parent / "page.html"
    assert run_command(["report", str(folder), "-o", str(page)]) == 0
    return page.read_text()


def test_a_plot_has_a_line_for_each_implementation_and_class(result: BenchResult) -> None:
    plot = latency_plot(result, "bcast")
    assert isinstance(plot, LinePlot)
    lines = [(line.name, line.colour, line.is_dashed) for line in plot.lines]
    assert lines == [
        ("native, root", 0, False),
        ("native, non-root", 0, True),
        ("<stretto>, root", 1, False),
        ("<stretto>, non-root", 1, True),
    ]


def test_a_band_reaches_from_the_fastest_rank_to_the_slowest(result: BenchResult) -> None:
    plot = latency_plot(result, "bcast")
    assert isinstance(plot, LinePlot)
    rows = [row for row in result.rows if row.cell.name == "bcast"]
    line = plot.lines[1]
    slow = [row for row in rows if (row.implementation, row.rank_class) == ("native", "non-root")]
    assert [(1e9 * each.least, 1e9 * each.most) for each in line.readings] == [
        (pytest.approx(row.minimum), pytest.approx(row.maximum))
        for row in sorted(slow, key=lambda row: row.cell.bytes)
    ]
    assert all(each.least < each.median < each.most for each in line.readings)
    assert all(each.low <= each.median <= each.high for each in line.readings)


def test_a_cliff_is_marked_where_it_is(result: BenchResult) -> None:
    plot = latency_plot(result, "bcast")
    assert isinstance(plot, LinePlot)
    assert {(jump.low, jump.high) for jump in plot.jumps} == {(4096, 8192)}
    assert len(plot.jumps) == 2  # of the root and of the others, of one implementation
    for jump in plot.jumps:
        assert float(jump.label.removesuffix("x")) == pytest.approx(CLIFF, rel=0.1)
        assert "native" in jump.words


@pytest.mark.parametrize("operation", ["barrier", "iallreduce"])
def test_what_has_one_size_has_no_axis_of_bytes(result: BenchResult, operation: str) -> None:
    plot = latency_plot(result, operation)
    assert isinstance(plot, TimeSpans)
    assert [*plot.spans] == [*WAYS]


def test_a_comparison_has_ratios_against_the_first(result: BenchResult) -> None:
    plot = comparison_plot(result, "bcast")
    assert plot is not None
    others = ["<stretto>, root", "<stretto>, non-root", "as native"]
    assert [line.name for line in plot.lines] == others
    for line in plot.lines[:2]:
        for each in line.readings:
            expected = 2 * CLIFF if each.x >= 8192 else 2
            assert each.median == pytest.approx(expected, rel=0.05)
            assert each.low <= each.median <= each.high
    assert comparison_plot(result, "barrier") is None


def test_what_the_clock_does_not_see_has_no_plot(result: BenchResult) -> None:
    nothing = estimate([0.0, 0.0])
    rows = [replace(row, time=nothing, minimum=0.0, maximum=0.0) for row in result.rows]
    for operation in ("barrier", "bcast"):
        assert latency_plot(replace(result, rows=rows), operation) is None


def test_what_was_measured_only_beside_something_has_no_plot(result: BenchResult) -> None:
    assert latency_plot(result, "compute") is None
    assert "compute" in operations(result)


def test_the_page_is_whole(text: str) -> None:
    page = Page()
    page.feed(text)
    assert (page.loaded, page.open) == ([], [])
    assert not {"<too", "nan", "None"} & set(re.findall(r"<?\w+", text))
    for name in WAYS:
        assert f"<{name}" not in text


@pytest.mark.parametrize(
    "words",
    [
        "bench-1: what collectives cost each rank",
        "4 ranks on 1 host(s), 8 launches each of native, &lt;stretto&gt;",
        "Cliff of native, root between 4.00 KiB and 8.00 KiB",
        "skipped: &lt;too much&gt; memory",
        "mpirun -n 4 bench-1",
        "stretto bench &#39;&lt;bcast&gt;&#39;",
        "&lt;stretto&gt; against native",
        "24 faster, 0 slower",
        "iallreduce of 4.00 KiB beside work",
        "iallreduce of 4.00 KiB by native: the end where a rank is 100 µs late",
        "First calls",
        "checked 1 is violated by 5 % or more",
        "splitting: bcast &lt;= 2 of 4096 B",
        '<th scope="row">8 B</th>',
    ],
)
def test_the_page_says(text: str, words: str) -> None:
    assert words in text


def test_a_picture_says_what_there_is_to_see(text: str) -> None:
    labels = re.findall(r'role="img" aria-label="([^"]*)"', text)
    assert any(label.startswith("bcast, from entering to leaving, over bytes") for label in labels)


def test_a_run_that_is_not_finished_is_named(tmp_path: Path) -> None:
    run = benched(tmp_path / "run")
    (run / "samples.parquet").unlink()
    assert run_command(["report", str(run), "-o", str(tmp_path / "page.html")]) == 2
    assert not (tmp_path / "page.html").exists()
