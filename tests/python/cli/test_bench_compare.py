"""stretto bench compare as a user sees it."""

import json
from pathlib import Path

import pytest
from bench_runs import REDUCED, make_run, slower

from stretto.cli.consoles import out
from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    make_run(tmp_path / "a")
    make_run(tmp_path / "b", slower(2, REDUCED))
    return [str(tmp_path / "a"), str(tmp_path / "b")]


def test_two_runs(two: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out, "width", 200)
    assert run_command(["bench", "compare", *two]) == 0
    said = capsys.readouterr().out
    assert "Some MPI 1.0, 2 ranks, 8 launches, 2026-01-02" in said
    (line,) = [line for line in said.splitlines() if "64 B" in line]
    assert "0.50x [" in line
    assert "no difference shown" not in line
    assert (
        "Of 3 comparisons 1 differ (rank test, corrected): B has the lower figure in 0, A in 1"
        in said
    )


def test_as_json(two: list[str], capsys: Captured) -> None:
    assert run_command(["bench", "compare", *two, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [pair["differs"] for pair in found["pairs"]] == [False, False, True]
    assert len(found["sides"]) == 2


def test_a_run_and_a_file(two: list[str], tmp_path: Path, capsys: Captured) -> None:
    osu = tmp_path / "osu.txt"
    osu.write_text("# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n64  20.0\n")
    assert run_command(["bench", "compare", two[0], str(osu)]) == 0
    said = capsys.readouterr()
    assert "0.50x (no test)" in said.out
    assert "1 ratios, none of them tested" in said.out
    assert "Only in A: bcast of 8 B" in said.err


def test_a_folder_that_is_no_run(tmp_path: Path, capsys: Captured) -> None:
    assert run_command(["bench", "compare", str(tmp_path), str(tmp_path)]) == 2
    assert "is no run folder of stretto bench" in capsys.readouterr().err
