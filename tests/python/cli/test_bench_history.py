"""stretto bench history as a CI calls it."""

import json
from pathlib import Path

import pytest
from bench_runs import REDUCED, make_run, slower

from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make_run(tmp_path / "runs" / "a", started_at="2026-01-01T00:00:00.000+00:00")
    make_run(tmp_path / "runs" / "b", slower(2, REDUCED))
    return tmp_path / "runs"


def test_a_page_and_a_line(runs: Path, tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "history.html"
    assert run_command(["bench", "history", str(runs), "-o", str(page)]) == 0
    said = capsys.readouterr()
    assert said.out == "2 runs, 3 lines, 1 changes, 1 of them in the newest run\n"
    assert said.err == f"History: {page}\n"
    assert "<title>Stretto: history of 2 runs</title>" in page.read_text()


def test_as_json(runs: Path, tmp_path: Path, capsys: Captured) -> None:
    words = ["bench", "history", str(runs), "-o", str(tmp_path / "h.html"), "--json"]
    assert run_command(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["mpi"] for run in found["runs"]] == ["Some MPI 1.0"] * 2
    changed = [[it["changed"] for it in line["points"]] for line in found["lines"]]
    assert changed == [[False, False], [False, False], [False, True]]


def test_what_is_not_ours_stays(runs: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "h.html").write_text("mine")
    assert run_command(["bench", "history", str(runs), "-o", str(tmp_path / "h.html")]) == 2
    assert "is not overwritten" in capsys.readouterr().err
