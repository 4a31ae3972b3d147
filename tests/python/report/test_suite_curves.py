"""What other suites printed, in the plots of runs and by itself."""

from pathlib import Path

import pytest
from bench_runs import make_run
from benched import RANKS, SIZES, benched
from imported_files import FILES, imported
from recorded import Page

from stretto.cli.bench_imported import ShownImport
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.imported import Imported
from stretto.data.importers.registry import imported_of
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_plots import BenchPlot, TimeSpans, latency_plot
from stretto.report.line_plot import LinePlot
from stretto.report.suite_curves import suite_curves, suite_plots, with_suites

Captured = pytest.CaptureFixture[str]


def osu(operation: str, heading: str = "Avg Latency(us)", sizes: tuple[int, ...] = (8, 64)) -> str:
    lines = [f"{size} {size / 4}" for size in sizes]
    return "\n".join([f"# OSU MPI {operation} Latency Test v7.4", f"# Size {heading}", *lines, ""])


def read(text: str) -> Imported:
    return imported_of(text.encode(), "there/osu.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return benched(tmp_path_factory.mktemp("runs") / "bench-1")


@pytest.fixture(scope="module")
def result(folder: Path) -> BenchResult:
    return summarise(BenchFolder(folder))


def measured(result: BenchResult, name: str) -> BenchPlot:
    plot = latency_plot(result, name)
    assert plot is not None
    return plot


def test_a_run_s_plot_has_a_line_named_by_suite_and_file(result: BenchResult) -> None:
    before = measured(result, "bcast")
    plot = with_suites(before, result, [read(osu("Broadcast"))])
    assert isinstance(before, LinePlot)
    assert isinstance(plot, LinePlot)
    assert plot.lines[:-1] == before.lines
    line = plot.lines[-1]
    assert line.name == "osu.txt, OSU micro-benchmarks 7.4, mean over ranks of their means"
    assert line.colour == 2  # the first that no implementation has
    assert [each.x for each in line.readings] == [8, 64]
    for each in line.readings:
        # It printed one figure: there is neither an interval nor a band.
        assert {each.low, each.high, each.least, each.most} == {each.median}
        assert each.median == pytest.approx(each.x / 4 * 1e-6)
        assert "interval" not in plot.label(line, each)


@pytest.mark.parametrize("other", ["Allreduce", "Non-blocking Broadcast"])
def test_what_is_of_something_else_is_not_in_it(result: BenchResult, other: str) -> None:
    plot = measured(result, "bcast")
    assert with_suites(plot, result, [read(osu(other))]) == plot


def test_other_numbers_of_ranks_are_not_in_it(result: BenchResult) -> None:
    file = imported("imb-mpi1-2021.txt")
    (theirs,) = {each.ranks for each in suite_curves(file) if each.name == "bcast"} - {None}
    plot = measured(result, "bcast")
    assert isinstance(plot, LinePlot)
    found = with_suites(plot, result, [file])
    assert isinstance(found, LinePlot)
    assert len(found.lines) - len(plot.lines) == (theirs == RANKS)


def test_one_size_has_a_span_of_it(tmp_path: Path) -> None:
    run = BenchFolder(make_run(tmp_path / "run", cells=[BenchCell(0, "bcast", bytes=64)]))
    result = summarise(run)
    plot = with_suites(measured(result, "bcast"), result, [read(osu("Broadcast"))])
    assert isinstance(plot, TimeSpans)
    last = [*plot.spans][-1]
    assert last.startswith("osu.txt, OSU")
    assert plot.spans[last].median == pytest.approx(16e-6)


def test_half_a_round_trip_is_twice_that(tmp_path: Path) -> None:
    cells = [BenchCell(number, "pingpong", bytes=size) for number, size in enumerate((8, 64))]
    result = summarise(BenchFolder(make_run(tmp_path / "run", cells=cells)))
    file = read("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n8 1.0\n64 2.0\n")
    plot = with_suites(measured(result, "pingpong"), result, [file])
    assert isinstance(plot, LinePlot)
    line = plot.lines[-1]
    assert line.name.endswith(", twice: it is half of a round trip")
    assert [each.median for each in line.readings] == pytest.approx([2e-6, 4e-6])
    (alone,) = suite_plots(suite_curves(file))
    assert isinstance(alone, LinePlot)
    assert alone.lines[0].readings[0].median == pytest.approx(1e-6)


def test_colours_that_there_are_not_are_left_out(result: BenchResult) -> None:
    plot = with_suites(measured(result, "bcast"), result, [read(osu("Broadcast"))] * 5)
    assert isinstance(plot, LinePlot)
    assert [line.colour for line in plot.lines[4:]] == [2, 3, 4, 5]
    assert plot.left_out == 1


@pytest.mark.parametrize("name", sorted(each.name for each in FILES.iterdir()))
def test_every_suite_is_drawn_beside_a_run(name: str, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run_command(["report", str(folder), str(FILES / name), "-o", str(page)]) == 0
    is_whole(page, name)


@pytest.mark.parametrize("name", ["osu-7.txt", "repro-mpi.txt"])
@pytest.mark.filterwarnings("error")  # as where names leave no room for the axes
def test_a_file_by_itself_is_a_page_and_files(name: str, tmp_path: Path) -> None:
    page, plots = tmp_path / "page.html", tmp_path / "plots"
    words = ["report", str(FILES / name), "-o", str(page), "--plots", str(plots)]
    assert run_command(words) == 0
    is_whole(page, name)
    endings = {each.suffix for each in plots.iterdir()}
    assert endings == {".svg", ".png", ".pdf", ".csv", ".parquet", ".md"}


def is_whole(file: Path, name: str) -> None:
    text = file.read_text()
    page = Page()
    page.feed(text)
    assert (page.loaded, page.open) == ([], [])
    assert f"<h2>{name}: what " in text


def test_the_page_of_a_run_has_the_curve_of_a_file(folder: Path, tmp_path: Path) -> None:
    file, page = tmp_path / "osu.txt", tmp_path / "page.html"
    file.write_text(osu("Broadcast", sizes=tuple(SIZES)))
    words = ["report", str(folder), str(file), "-o", str(page), "--plots", str(tmp_path / "plots")]
    assert run_command(words) == 0
    text = page.read_text()
    line = "osu.txt, OSU micro-benchmarks 7.4, mean over ranks of their means"
    # In the legends of the run's plot and of its own.
    assert text.count(f"</svg> {line}</li>") == 2
    assert f"it does not say how many ranks there were: taken for {RANKS}" in text.lower()
    # The legend of a file has it in several lines.
    assert (
        "<!-- osu.txt, OSU micro-benchmarks 7.4, -->"
        in (tmp_path / "plots" / "bench-1-bcast.svg").read_text()
    )
    assert (tmp_path / "plots" / "osu.txt-bcast.svg").exists()


def test_of_very_many_values_the_table_has_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stretto.cli.bench_imported._MOST_ROWS", 1)
    section = ShownImport(read(osu("Broadcast")), None).section()
    assert [len(table.rows) for table, _ in section.tables] == [1]
    assert any("the first 1 of 2 lines: stretto bench import osu.txt" in it for it in section.lines)


def test_what_is_of_no_suite_is_refused(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.txt").write_text("nothing\n")
    words = ["report", str(tmp_path / "a.txt"), "-o", str(tmp_path / "page.html")]
    assert run_command(words) == 2
    assert "is of no benchmark known here" in capsys.readouterr().err
