"""Predictions in the plots of a benchmark, on the page and as files."""

from dataclasses import replace
from pathlib import Path

import pytest
from benched import WAYS, benched, keep_model
from recorded import Page

from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_predictions import kept_predictions
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_model import BesideModel
from stretto.report.bench_model_lines import with_model
from stretto.report.bench_plots import BenchPlot, TimeSpans, latency_plot
from stretto.report.line_plot import LinePlot, OfModel

NAMES = [*WAYS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = benched(tmp_path_factory.mktemp("runs") / "bench-1")
    keep_model(run)
    return run


@pytest.fixture(scope="module")
def result(folder: Path) -> BenchResult:
    return summarise(BenchFolder(folder))


@pytest.fixture(scope="module")
def beside(folder: Path, result: BenchResult) -> BesideModel:
    kept = kept_predictions(folder)
    assert kept is not None
    return BesideModel.of(result.rows, kept)


def measured(result: BenchResult, name: str) -> BenchPlot:
    plot = latency_plot(result, name)
    assert plot is not None
    return plot


def test_a_dotted_line_for_each_implementation_and_one_for_the_floor(
    result: BenchResult, beside: BesideModel
) -> None:
    plot = with_model(measured(result, "bcast"), beside, NAMES)
    assert isinstance(plot, LinePlot)
    lines = [(line.name, line.colour, line.model) for line in plot.lines[4:]]
    assert lines == [
        ("native, predicted", 0, OfModel.PREDICTION),
        ("<stretto>, predicted", 1, OfModel.PREDICTION),
        ("bandwidth floor", None, OfModel.FLOOR),
    ]
    # Of the class that is slower, by size.
    assert [each.median for each in plot.lines[4].readings[-2:]] == [
        pytest.approx(1.3 * (1000 + 0.5 * size) * 1e-9) for size in (16384, 65536)
    ]
    assert plot.explained.endswith("slowest rank; the thin line is what the bytes take at least")


def test_a_floor_begins_where_it_does_not_make_the_rest_small(
    result: BenchResult, beside: BesideModel
) -> None:
    plot = with_model(measured(result, "bcast"), beside, NAMES)
    assert isinstance(plot, LinePlot)
    first, *others = plot.lines[-1].readings
    least = min(each.least for line in plot.lines[:-1] for each in line.readings)
    assert first.median == pytest.approx(least / 2)
    assert first.x == pytest.approx(first.median / 0.25e-9)
    assert [each.x for each in others] == [4096, 8192, 16384, 65536]


def test_a_floor_far_below_all_is_left_to_the_table(
    result: BenchResult, beside: BesideModel
) -> None:
    low = [
        replace(each, predicted=type(each.predicted)(each.predicted.ns, 1, ""))
        for each in beside.found
    ]
    plot = with_model(measured(result, "bcast"), replace(beside, found=low), NAMES)
    assert isinstance(plot, LinePlot)
    assert [line.model for line in plot.lines[4:]] == [OfModel.PREDICTION] * 2
    assert plot.explained.endswith("slowest rank")


def test_what_has_one_size_has_predictions_beneath(
    result: BenchResult, beside: BesideModel
) -> None:
    plot = with_model(measured(result, "barrier"), beside, NAMES)
    assert isinstance(plot, TimeSpans)
    assert plot.predicted == {
        "native, predicted": pytest.approx(1300e-9),
        "<stretto>, predicted": pytest.approx(650e-9),
    }


def test_what_nothing_is_predicted_of_stays_as_it_is(
    result: BenchResult, beside: BesideModel
) -> None:
    plot = measured(result, "iallreduce")
    assert with_model(plot, beside, NAMES) is plot


def test_the_page_has_them_with_residuals_and_what_is_off(folder: Path) -> None:
    page = folder.parent / "page.html"
    assert run_command(["report", str(folder), "-o", str(page)]) == 0
    text = page.read_text()
    whole = Page()
    whole.feed(text)
    assert (whole.loaded, whole.open) == ([], [])
    assert text.count('class="series-0 prediction"') == 2  # in the legend and in the plot
    assert text.count('class="reference floor"') == 2
    for words in (
        "</svg> native, predicted</li>",
        "</svg> bandwidth floor</li>",
        "Beside the model of desk &lt;one&gt;: 22 of 28 rows are within 25% of what is predicted",
        "bcast of 8.00 KiB, non-root ranks, by native: ",
        " measured, 6.62 µs predicted (&lt;binomial&gt;): ",
        '<th scope="col" class="number">residual</th>',
        "native, predicted 1.30 µs</text>",
    ):
        assert words in text


def test_files_for_papers_have_them(folder: Path) -> None:
    plots = folder.parent / "plots"
    page = str(folder.parent / "page.html")
    assert run_command(["report", str(folder), "-o", page, "--plots", str(plots)]) == 0
    assert "<!-- native, predicted -->" in (plots / "bench-1-bcast.svg").read_text()
    assert "<!-- bandwidth floor -->" in (plots / "bench-1-bcast.svg").read_text()
    assert "beside the model of desk" in (plots / "bench-1.md").read_text()


def test_predictions_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    run = benched(tmp_path / "run")
    (run / "model.json").write_text("{")
    assert run_command(["report", str(run), "-o", str(tmp_path / "page.html")]) == 2
