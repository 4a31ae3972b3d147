"""Tables as files."""

import csv
from pathlib import Path

import pytest

from stretto.cli.main import run_command
from stretto.cli.table_export import csv_of, figure, markdown_of
from stretto.report.plain_table import PlainTable

TABLE = PlainTable("a|b", ["name", "time"], [["x, *y*", "12.3 ms"], ['"z"', "-"]])
EXPORTS = ["--export-csv", "t.csv", "--export-markdown", "t.md"]


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("12.3 ms", "0.0123"),
        ("9.94 µs", "9.94e-06"),
        ("0.00 ns", "0"),
        ("65,536", "65536"),
        ("1.50 KiB", "1536"),
        ("8 B", "8"),
        ("12.5 %", "0.125"),
        ("0.50x", "0.50"),
        ("native", "native"),
        ("2 ranks", "2 ranks"),
        ("1,2", "1,2"),
        ("", ""),
    ],
)
def test_figures_lose_their_units(cell: str, plain: str) -> None:
    assert figure(cell) == plain


def test_csv_is_read_back() -> None:
    rows = list(csv.reader(csv_of([TABLE, TABLE]).splitlines()))
    once = [["table", "name", "time"], ["a|b", "x, *y*", "0.0123"], ["a|b", '"z"', "-"]]
    assert rows == [*once, [], *once]


def test_markdown_has_a_title_and_no_signs_of_its_own() -> None:
    lines = markdown_of([TABLE]).splitlines()
    assert lines[:4] == ["### a\\|b", "", "| name | time |", "|---|---|"]
    assert lines[4] == "| x, \\*y\\* | 12.3 ms |"


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "bcast", "-n", "8", "--machine", "loggopsim"],
        ["schedule", "list", "bcast"],
        ["schedule", "verify", "bcast", "--algorithm", "linear", "--max-ranks", "3"],
        ["schedule", "show", "bcast", "--algorithm", "linear", "-n", "40"],
        ["info"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["table", "json"])
def test_verbs_write_their_tables(
    words: list[str], more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command([*words, *EXPORTS, *more]) == 0
    rows = list(csv.reader((tmp_path / "t.csv").read_text().splitlines()))
    assert rows[0][0] == "table"
    assert len(rows) > 1
    assert (tmp_path / "t.md").read_text().startswith("### ")
    if "show" in words:
        assert len(rows) == 1 + 78  # a send and a receive of each rank but the root


def test_a_comparison_is_written(house: Path) -> None:
    assert run_command(["compare", "--runs", "1", *EXPORTS, "./app"]) == 0
    rows = list(csv.reader((house / "t.csv").read_text().splitlines()))
    assert rows[0][:4] == ["table", "time", "side", "min"]
    assert [row[1:3] for row in rows[4:7]] == [
        ["wall time", "native"],
        ["wall time", "stretto"],
        ["wall time", "native/stretto"],
    ]
    assert ["calls", "MPI_Ibcast", "binomial", "12"] in rows
    assert "**No verdict" in (house / "t.md").read_text()


def test_a_file_that_cannot_be_is_said_before_all_else(
    house: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["compare", "--export-csv", "no/t.csv", "./app"]) == 2
    assert "no/t.csv" in capfd.readouterr().err
    assert not (house / "stretto-runs").exists()
