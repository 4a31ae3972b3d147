"""Outputs of other suites as tables and as JSON."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from stretto.cli.consoles import out
from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]

IMPORTED = Path(__file__).parents[1] / "data" / "imported"


def test_a_table_and_what_is_unknown(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out, "width", 200)
    assert run_command(["bench", "import", str(IMPORTED / "osu-7.txt")]) == 0
    said = capsys.readouterr()
    head, *_ = said.out.splitlines()
    assert head.strip().endswith("osu-7.txt: OSU micro-benchmarks 7.4")
    assert any(
        words[:7] == ["allreduce", "4 B", "", "CUDA, MPI_INT", "latency", "mean", "10.1 µs"]
        for line in said.out.splitlines()
        if (words := [word.strip() for word in line.strip("│").split("│")])
    )
    assert said.err.startswith("Warning: 4 lines are unknown in ")
    assert said.err.count("\n") == 4, "the first three of them are shown"


def test_standard_input_and_several_files(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = (IMPORTED / "nccl-2.17.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    words = ["bench", "import", "-", str(IMPORTED / "imb-nbc-2021.txt"), "--json"]
    assert run_command(words) == 0
    first, second = json.loads(capsys.readouterr().out)["files"]
    assert (first["format"], first["path"]) == ("nccl-tests", "standard input")
    assert (second["format"], second["unknown"]) == ("imb-nbc", [])
    assert None in [row["value"] for row in first["rows"]], "nan is no JSON"


def test_figures_for_other_programs(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    words = ["bench", "import", str(IMPORTED / "imb-mpi1-4.txt"), "--export-csv", str(table)]
    assert run_command(words) == 0
    rows = list(csv.DictReader(table.open()))
    assert ("allreduce", "8", "8", "0.000125") in [
        (row["operation"], row["bytes"], row["ranks"], row["value"]) for row in rows
    ]


def test_what_is_of_no_suite_is_refused(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a").write_text("nothing\n")
    assert run_command(["bench", "import", str(tmp_path / "a")]) == 2
    assert "is of no benchmark known here" in capsys.readouterr().err
