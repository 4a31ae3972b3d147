"""What stretto bench shows of a run, as JSON and in files."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bench_runs import BCAST, REDUCED, all_samples, make_run
from benched import DELAY_NS, RANKS, WAYS, WORK_NS, benched

from stretto.cli.consoles import out
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.report.bench import summarise

Captured = pytest.CaptureFixture[str]


def shown(folder: Path, capsys: Captured, *options: str) -> dict[str, Any]:
    assert run_command(["bench", "show", str(folder), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_what_tables_of_overlap_and_late_ranks_are_made_of(
    tmp_path: Path, capsys: Captured
) -> None:
    found = shown(benched(tmp_path / "run"), capsys)
    assert len(found["overlap"]) == len(WORK_NS) * len(WAYS)
    for each in found["overlap"]:
        assert (each["operation"], each["cell"]["bytes"]) == ("iallreduce", 4096)
        assert each["start_ns"] == pytest.approx(200)
        assert each["tests_ns"] is None  # there were none
        # Half of the operation is hidden behind the work: see benched.py.
        assert each["wait_ns"] == pytest.approx(each["alone_ns"] / 2, rel=0.05)
        assert each["hidden_osu"] == pytest.approx(
            1 - (each["total_ns"] - each["work_ns"]) / each["alone_ns"]
        )
        assert each["over_ideal"] == pytest.approx(
            each["total_ns"] / max(each["alone_ns"], each["work_ns"])
        )
        assert {"hidden_imb", "speed_during", "speed_after"} <= {*each}
    ends = [each for each in found["late"] if each["until"] == "end"]
    assert {each["implementation"] for each in ends} == {*WAYS}
    for each in ends:
        assert (each["operation"], each["bytes"]) == ("iallreduce", 4096)
        assert each["late_ns"] == DELAY_NS
        assert each["late"] == each["delayed"] == [str(rank) for rank in range(RANKS)]
        assert each["amplification"] == [pytest.approx([1] * RANKS, abs=0.01)] * RANKS
        assert all(map(all, each["not_by_chance"]))


def test_files_have_outliers_and_entry_skews(tmp_path: Path, capsys: Captured) -> None:
    folder, file = benched(tmp_path / "run"), tmp_path / "tables.csv"
    # Of bcast of 8 B one repetition of a rank takes long, and each rank enters 100 ns later.
    of_cell = pl.col("cell") == 0
    samples = all_samples(folder).with_columns(
        enter_ns=pl.col("enter_ns") + pl.when(of_cell).then(100 * pl.col("rank")).otherwise(0),
        leave_ns=pl.col("leave_ns")
        + pl.when(of_cell, repetition=3, launch=2, rank=0).then(1_000_000).otherwise(0),
    )
    samples.write_parquet(folder / "samples.parquet")
    row = shown(folder, capsys, "--export-csv", str(file))["rows"][0]
    assert (row["skew_median"], row["skew_p95"]) == (100 * (RANKS - 1),) * 2
    assert sum(it["outliers"] for it in shown(folder, capsys)["rows"][:4]) == len(WAYS)
    with file.open() as lines:
        table = [*csv.reader(lines)]
    heads = {name: at for at, name in enumerate(table[0])}
    first = [line for line in table[1:] if line and line[heads["bytes"]] == table[1][1]]
    assert {line[heads["skew"]] for line in first} == {"0.30"}
    assert {line[heads["skew p95"]] for line in first} == {"0.30"}
    assert sum(int(line[heads["outliers"]]) for line in first[:4]) == len(WAYS)


def test_the_terminal_has_a_line_of_entry_skews(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out, "width", 200)
    late = BenchCell(3, "bcast", bytes=8, delays_ns=[0, 1_000_000])
    cells = [BCAST, REDUCED, BenchCell(2, "bcast", bytes=64), late]
    folder = make_run(tmp_path / "run", cells=cells)
    # Of bcast rank 1 enters 200 ns later in most repetitions, of 64 B four times as much, and 1 ms
    # later where it is meant to; in allreduce both enter at once.
    skew = pl.when(cell=0).then(200).when(cell=2).then(800).when(cell=3).then(1_000_000)
    skew = skew.otherwise(0) * pl.col("rank")
    longer = pl.when(repetition=2, launch=0).then(2).otherwise(1)
    samples = all_samples(folder).with_columns(
        enter_ns=pl.col("enter_ns") + longer * skew, leave_ns=pl.col("leave_ns") + 2_000_000
    )
    samples.write_parquet(folder / "samples.parquet")
    assert run_command(["bench", "show", str(folder)]) == 0
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in said if "skew" in line] == [
        "entry skew: median 0.20 to 0.80 us, p95 0.20 to 0.80 us"
    ]
    assert run_command(["bench", "show", str(make_run(tmp_path / "no skew"))]) == 0
    assert "skew" not in capsys.readouterr().out


def with_wrong(path: Path, said: str) -> Path:
    """allreduce was wrong with one implementation; `said`: by its ranks in launch 0."""
    run = make_run(path, ways=["native", "stretto"], states=[])
    record = json.loads((run / "bench.json").read_text())
    for launched in record["launches"]:
        wrong = launched["implementation"] == "stretto"
        launched["states"] = [
            {"cell": 0, "state": "done", "why": "barrier"},
            {"cell": 1, "state": "wrong" if wrong else "done", "why": "2"},
        ]
    (run / "bench.json").write_text(json.dumps(record))
    part = run / "launches" / "000-1" / "part-000"
    part.mkdir(parents=True)
    (part / "stderr").write_text(said)
    return run


def test_what_was_wrong_is_in_no_row_and_named_with_its_byte(
    tmp_path: Path, capsys: Captured
) -> None:
    said = (
        "stretto: cell 11, bcast of 8 B: rank 0 has a wrong byte 1 after repetition 2\n"
        "[1] stretto: cell 1, allreduce of 64 B: rank 1 has a wrong byte 63 after repetition 24\n"
        "stretto: cell 1, allreduce of 64 B: rank 0 has a wrong byte 5 after repetition 25\n"
    )
    run = with_wrong(tmp_path / "run", said)
    assert run_command(["bench", "show", str(run), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    rows = {(row["implementation"], row["cell"]["number"]) for row in found["rows"]}
    assert rows == {("native", 0), ("native", 1), ("stretto", 0)}
    assert {each["row"]["cell"]["number"] for each in found["compared"]} == {0}
    ((way, cell, state),) = found["not_measured"]
    assert (way, cell["number"], state["state"]) == ("stretto", 1, "wrong")
    words = "rank 1 has a wrong byte 63 after repetition 24; 2 results in launch 0"
    assert state["why"] == words
    (warning,) = [each for each in found["warnings"] if "wrong" in each]
    assert "1 of 4 cells had wrong results" in warning
    assert "below" not in warning


def test_a_rank_that_said_nothing_of_what_was_wrong_is_no_failure(
    tmp_path: Path, capsys: Captured
) -> None:
    run = with_wrong(tmp_path / "run", "")
    assert run_command(["bench", "show", str(run)]) == 3
    assert "2 results in launch 0" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("valid", "doubted", "code"), [(0.9, 0, 0), (0.6, 1, 0), (0.1, 1, 3)])
def test_few_valid_repetitions_are_doubted_and_too_few_are_refused(
    valid: float, doubted: int, code: int, tmp_path: Path, capsys: Captured
) -> None:
    """Below 80 % there is a warning, below 20 % nothing can be said."""
    run = make_run(tmp_path / "run", cells=[BCAST], launches=10)
    samples = all_samples(run)
    samples.with_columns(valid=pl.col("launch") < 10 * valid).write_parquet(run / "samples.parquet")
    result = summarise(BenchFolder(run))
    assert result.least_valid == pytest.approx(valid)
    assert sum("valid repetitions" in each for each in result.warnings) == doubted
    assert run_command(["bench", "show", str(run), "--json"]) == code
    capsys.readouterr()
