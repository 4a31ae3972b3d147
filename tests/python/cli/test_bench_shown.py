"""What stretto bench shows of a run, as JSON and in files."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bench_runs import all_samples
from benched import DELAY_NS, RANKS, WAYS, WORK_NS, benched

from stretto.cli.main import run_command

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
