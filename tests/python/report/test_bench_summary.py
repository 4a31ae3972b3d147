"""Rows of a run, worked out launch by launch."""

import json
from pathlib import Path

import polars as pl
import pytest
from bench_runs import make_run
from benched import benched

from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import rows_of, summarise


def test_launch_by_launch_rows_are_those_of_all_samples_at_once(tmp_path: Path) -> None:
    folder = BenchFolder(benched(tmp_path / "run"))
    samples = folder.samples()
    rows = summarise(folder).rows
    assert rows == rows_of(samples, folder.record().plan.cells)
    mixed = samples.sample(fraction=1, shuffle=True, seed=1)
    assert rows == rows_of(mixed, folder.record().plan.cells)


def test_a_plain_run_is_shown_without_all_samples_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path / "plain")
    monkeypatch.delattr(BenchFolder, "samples")
    assert run_command(["bench", "show", str(tmp_path / "plain")]) == 0


def test_a_run_of_which_nothing_was_measured_has_no_rows(tmp_path: Path) -> None:
    folder = BenchFolder(benched(tmp_path / "run"))
    folder.samples().clear().write_parquet(folder.path / "samples.parquet")
    result = summarise(folder)
    assert (result.rows, result.compared) == ([], [])
    assert rows_of(pl.DataFrame(schema=folder.samples().schema), []) == []


def test_clocks_of_several_hosts_are_known_to_so_much(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    file = folder / "bench.json"
    record = json.loads(file.read_text())
    for launched in record["launches"]:
        launched["facts"] |= {
            "clock": "linear", "clock_uncertainty_ns": 740.0, "clock_residual_ns": 90.0
        }  # fmt: skip
    file.write_text(json.dumps(record))
    (warning,) = [each for each in summarise(BenchFolder(folder)).warnings if "clocks" in each]
    assert "off by 90 ns" in warning
    assert "known to 740 ns" in warning
