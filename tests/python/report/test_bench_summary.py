"""Rows of a run, worked out launch by launch."""

import json
from pathlib import Path

import polars as pl
import pytest
from bench_runs import AtOnce, all_samples, make_run
from benched import benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import rows_of, summarise
from stretto.report.bench_calls import call_curves
from stretto.report.bench_first_calls import first_calls
from stretto.report.bench_guidelines import check_guidelines
from stretto.report.bench_late import delay_matrices
from stretto.report.bench_overlap import beside_work
from stretto.report.comparables import of_run


def test_launch_by_launch_rows_are_those_of_all_samples_at_once(tmp_path: Path) -> None:
    folder = BenchFolder(benched(tmp_path / "run"))
    samples = all_samples(folder.path)
    rows = summarise(folder).rows
    assert rows == rows_of(samples, folder.record().plan.cells)
    mixed = samples.sample(fraction=1, shuffle=True, seed=1)
    assert rows == rows_of(mixed, folder.record().plan.cells)


def test_launch_by_launch_all_other_figures_are_those_of_all_samples_at_once(
    tmp_path: Path,
) -> None:
    folder = BenchFolder(benched(tmp_path / "run"))
    at_once = AtOnce(folder.path)
    result = summarise(folder)
    assert result.launches.equals(summarise(at_once).launches)
    assert check_guidelines(result, 0.05) == check_guidelines(summarise(at_once), 0.05)
    for worked_out in (beside_work, first_calls, of_run):
        found = worked_out(result, folder)
        assert found == worked_out(result, at_once)
        assert found
    # Of comparables the figures are beside what they are of.
    figures = [[it.figures for it in of_run(result, each)] for each in (folder, at_once)]
    assert figures[0] == figures[1]
    late, late_at_once = ([*delay_matrices(result, each)] for each in (folder, at_once))
    for one, other in zip(late, late_at_once, strict=True):
        assert one.name == other.name
        assert (one.shares == other.shares).all()
        assert (one.is_sure == other.is_sure).all()
    assert late
    first = result.record.plan.cells[:2]
    assert call_curves(folder, first) == call_curves(at_once, first)


def test_only_samples_of_cells_that_figures_are_of_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = BenchFolder(make_run(tmp_path / "plain"))
    result = summarise(plain)
    monkeypatch.delattr(BenchFolder, "samples_by_launch")
    assert not beside_work(result, plain)
    assert not [*delay_matrices(result, plain)]
    assert first_calls(result, plain) is None


def test_a_run_of_which_nothing_was_measured_has_no_rows(tmp_path: Path) -> None:
    folder = BenchFolder(benched(tmp_path / "run"))
    all_samples(folder.path).clear().write_parquet(folder.path / "samples.parquet")
    result = summarise(folder)
    assert (result.rows, result.compared) == ([], [])
    assert rows_of(pl.DataFrame(schema=all_samples(folder.path).schema), []) == []


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
