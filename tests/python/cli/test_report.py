"""stretto report, as far as it writes files beside its page."""

import sys
from pathlib import Path

import polars as pl
import pytest
from benched import SIZES, benched

from stretto.cli.main import run_command


def report(*words: str | Path) -> int:
    return run_command(["report", *map(str, words)])


def test_plots_and_tables_of_benchmarks_go_into_a_folder(tmp_path: Path) -> None:
    run = benched(tmp_path / "bench-1")
    plots = tmp_path / "deep" / "plots"
    assert report(run, "-o", tmp_path / "page.html", "--plots", plots) == 0
    names = {path.name for path in plots.iterdir()}
    assert {f"bench-1.{ending}" for ending in ("csv", "md", "parquet")} <= names
    for name in (
        "bcast",
        "barrier",
        "iallreduce-4096-overlap",
        "iallreduce-4096-late-100000-native",
    ):
        assert {f"bench-1-{name}.{ending}" for ending in ("svg", "png", "pdf")} <= names
    table = pl.read_parquet(plots / "bench-1.parquet")
    assert table.equals(pl.read_csv(plots / "bench-1.csv", schema=table.schema))
    assert sorted(table.filter(operation="bcast")["bytes"].unique()) == SIZES
    assert "### bcast: 4 ranks, 8 launches" in (plots / "bench-1.md").read_text()


def test_runs_of_one_name_do_not_replace_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for parent in ("a", "b"):
        (tmp_path / parent).mkdir()
        runs.append(benched(tmp_path / parent / "bench-1"))
    drawn: list[str] = []
    monkeypatch.setattr(
        "stretto.report.plot_files.write_plot", lambda *words: drawn.append(words[2])
    )
    assert report(*runs, "-o", tmp_path / "page.html", "--plots", tmp_path / "plots") == 0
    assert set(drawn) == {"bench-1", "bench-1-2"}
    assert len([*(tmp_path / "plots").glob("*.csv")]) == 2


def test_plots_are_of_benchmarks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    assert report(tmp_path / "run", "-o", tmp_path / "page.html", "--plots", tmp_path) == 2
    assert "stretto bench" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_without_matplotlib_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = benched(tmp_path / "bench-1")
    monkeypatch.delitem(sys.modules, "stretto.report.plot_files", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert report(run, "-o", tmp_path / "page.html", "--plots", tmp_path / "plots") == 5
    assert "pip install matplotlib" in capsys.readouterr().err.splitlines()[-1]
    assert (tmp_path / "page.html").exists()


def test_a_folder_that_cannot_be_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = benched(tmp_path / "bench-1")
    (tmp_path / "file").touch()
    plots = tmp_path / "file" / "plots"
    assert report(run, "-o", tmp_path / "page.html", "--plots", plots) == 5
    assert "cannot be written" in capsys.readouterr().err
