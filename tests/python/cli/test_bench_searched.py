"""Folders of stretto bench cliffs and stretto bench calls, shown again and in the report."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from bench_runs import make_run, steady
from recorded import Page

from stretto.cli.bench_calls_shown import show_calls
from stretto.cli.bench_cliffs_shown import show_cliffs
from stretto.cli.bench_searched import ShownSearch
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder, LaunchedBy
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import CellState
from stretto.data.bench_series import SeriesRecord, begin_series
from stretto.report.bench import summarise
from stretto.report.bench_calls import calls_found
from stretto.report.bench_cliffs import Found, Probed, cliffs_of
from stretto.report.line_plot import LinePlot

Captured = pytest.CaptureFixture[str]
Shown = Callable[..., None]
SIZES = [8, 64, 512, 4096, 8192, 16384, 65536]
JUMP = 3.0  # times as long, from 8 KiB on


def gathers(sizes: list[int]) -> list[BenchCell]:
    return [BenchCell(number, "gather", bytes=size) for number, size in enumerate(sizes)]


def jumping(way: str, cell: BenchCell, launch: int, rank: int) -> float:
    took = steady(way, cell, launch, rank) + 1e-4 * cell.bytes
    return took * (JUMP if cell.bytes >= 8192 else 1)


def cliffs_folder(path: Path) -> tuple[Path, Shown]:
    """A search with a round in between and a setting; and how its end is shown."""
    path.mkdir()
    series = begin_series(path, SeriesRecord("cliffs", {}, LaunchedBy("mpirun", [], "libmpi.so")))
    run = make_run(path / "sizes", jumping, cells=gathers(SIZES))
    make_run(path / "between-1", jumping, cells=gathers([6144]))
    # What another setting gives is no part of the curve.
    make_run(path / "setting-gather-1", cells=gathers([64]), ways=["native:A=1"])
    # The MPI did not run with another one.
    (make_run(path / "setting-gather-2", cells=gathers([64])) / "samples.parquet").unlink()
    probes = [Probed("eager limit", "A=1", "gone", None, has_changed=True)]
    answers = [
        Found(
            operation,
            rank_class,
            way,
            cliff,
            1.0,
            3.0,
            probes,
        )
        for (operation, rank_class, way), each in cliffs_of(
            summarise(BenchFolder(run)).rows
        ).items()
        for cliff in each
    ]
    assert {each.rank_class for each in answers} == {"root", "non-root"}
    series.finish(answers)
    return path, lambda *files, as_json: show_cliffs(answers, [], path, *files, as_json=as_json)


def calls_folder(path: Path) -> tuple[Path, Shown]:
    """Two operations, of which the second in the alphabet came first; some of it hung."""
    path.mkdir()
    series = begin_series(path, SeriesRecord("calls", {}, LaunchedBy("mpirun", [], "libmpi.so")))
    runs = []
    for day, (name, states) in enumerate(
        (("barrier", [CellState(1, "timeout")]), ("alltoall", [])), 1
    ):
        cells = [BenchCell(number, name, bytes=8 * day) for number in (0, 1)]
        run = make_run(
            path / f"{name}-{8 * day}",
            cells=[*cells, BenchCell(2, "comm_dup")],
            states=states,
            started_at=f"2026-01-0{day}T00:00:00.000+00:00",
        )
        first = pl.when(repetition=0).then(9 * pl.col("leave_ns")).otherwise(0)
        samples = pl.read_parquet(run / "samples.parquet")
        samples.with_columns(leave_ns=pl.col("leave_ns") + first).write_parquet(
            run / "samples.parquet"
        )
        runs.append(BenchFolder(run))
    found = calls_found((summarise(run), run) for run in runs)
    series.finish(found.calls)
    return path, lambda *files, as_json: show_calls(found, path, *files, as_json=as_json)


@pytest.fixture(params=[cliffs_folder, calls_folder], ids=["cliffs", "calls"])
def search(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Shown]:
    found: tuple[Path, Shown] = request.param(tmp_path / "search")
    return found


def test_it_is_shown_as_at_its_end(
    search: tuple[Path, Shown], tmp_path: Path, capsys: Captured
) -> None:
    folder, at_its_end = search
    for as_json in (False, True):
        files = [tmp_path / f"{which}.{ending}" for which in "ab" for ending in ("csv", "md")]
        at_its_end(*files[:2], as_json=as_json)
        expected = capsys.readouterr().out
        words = ["--export-csv", str(files[2]), "--export-markdown", str(files[3])]
        words += ["--json"] * as_json
        assert run_command(["bench", "show", str(folder), *words]) == 0
        assert capsys.readouterr().out == expected
        assert [each.read_text() for each in files[:2]] == [each.read_text() for each in files[2:]]
    assert json.loads(expected)["folder"] == str(folder)


@pytest.mark.parametrize("verb", ["cliffs", "calls"])
def test_one_that_was_cut_short_is_named(verb: str, tmp_path: Path, capsys: Captured) -> None:
    make = cliffs_folder if verb == "cliffs" else calls_folder
    folder, _ = make(tmp_path / "search")
    (folder / f"{verb}.json").unlink()
    for words in (["bench", "show"], ["report", "-o", str(tmp_path / "page.html")]):
        assert run_command([*words, str(folder)]) == 2
        said = capsys.readouterr().err
        assert f"is not finished: run the same stretto bench {verb} again" in said


def test_cliffs_are_marked_on_the_curve_of_each_class_of_ranks(tmp_path: Path) -> None:
    folder, _ = cliffs_folder(tmp_path / "search")
    (plot,) = ShownSearch.of(folder).plots()
    assert isinstance(plot, LinePlot)
    assert [line.name for line in plot.lines] == ["native, root", "native, non-root"]
    for line in plot.lines:
        assert [each.x for each in line.readings] == sorted([*SIZES, 6144])
        assert [f"cliff of {line.name} " in jump.words for jump in plot.jumps].count(True) == 1
    # As it was found, not as the curve of all rounds would have it.
    assert {(jump.low, jump.high) for jump in plot.jumps} == {(4096, 8192)}


def test_calls_have_a_curve_over_their_numbers(tmp_path: Path) -> None:
    folder, _ = calls_folder(tmp_path / "search")
    plots = [*ShownSearch.of(folder).plots()]
    assert [plot.name for plot in plots] == ["barrier-8-calls", "alltoall-16-calls"]
    for plot in plots:
        assert isinstance(plot, LinePlot)
        names = [(line.name, line.is_dashed) for line in plot.lines]
        assert names == [
            ("native, in a fresh process", False),
            ("native, on a fresh communicator", True),
        ]
        for line in plot.lines:
            assert [each.x for each in line.readings] == [1, 2, 3]
            first, *later = [each.median for each in line.readings]
            assert all(first == pytest.approx(10 * each) for each in later)


def test_the_page_has_figures_and_tables(search: tuple[Path, Shown], tmp_path: Path) -> None:
    folder, _ = search
    file, plots = tmp_path / "page.html", tmp_path / "plots"
    words = ["report", str(folder), "-o", str(file), "--plots", str(plots)]
    assert run_command(words) == 0
    text = file.read_text()
    page = Page()
    page.feed(text)
    assert (page.loaded, page.open) == ([], [])
    if (folder / "cliffs.json").exists():
        says = ["search: cliffs", "Cliff of native, root between 4.00 KiB and 8.00 KiB"]
        says += ["Under other settings", "it goes with eager limit", "gather, from entering to"]
        files = {"search-gather.svg", "search-gather.png", "search-gather.pdf"}
        rows = 2 * len([*SIZES, 6144])
    else:
        says = ["search: what first calls cost", "barrier of 8 B: call after call"]
        says += ["MPI_Comm_dup", "costs 10.0 times what later ones do", "timeout", "fresh process"]
        files = {"search-barrier-8-calls.svg", "search-alltoall-16-calls.pdf"}
        rows = 4 * 3
    for each in says:
        assert each in text
    assert files <= {each.name for each in plots.iterdir()}
    assert len(pl.read_parquet(plots / "search.parquet")) == rows
    assert "###" in (plots / "search.md").read_text()
