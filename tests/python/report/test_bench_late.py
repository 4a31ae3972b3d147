"""Who is delayed by late ranks in a benchmark."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from benched import DELAY_NS, RANKS, WAYS, benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_late import MOST_SHOWN, delay_matrices
from stretto.stats.late_rank import matrix


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[BenchResult, BenchFolder]:
    folder = BenchFolder(benched(tmp_path_factory.mktemp("runs") / "bench-1"))
    return summarise(folder), folder


def test_all_wait_for_the_end_and_the_call_returns_at_once(
    run: tuple[BenchResult, BenchFolder],
) -> None:
    found = {each.name: each for each in delay_matrices(*run)}
    stages = {True: "", False: "-start"}
    assert set(found) == {
        f"iallreduce-4096-late-{DELAY_NS}-{way}{stage}" for way in WAYS for stage in stages.values()
    }
    end, start = (found[f"iallreduce-4096-late-{DELAY_NS}-native{stages[it]}"] for it in stages)
    assert end.shares == pytest.approx(np.ones((RANKS, RANKS)), abs=0.01)
    assert start.shares == pytest.approx(np.eye(RANKS), abs=0.01)
    assert end.is_sure.all()
    assert (start.is_sure == np.eye(RANKS)).all()


def test_several_late_at_once_are_in_no_matrix(run: tuple[BenchResult, BenchFolder]) -> None:
    result, folder = run
    plan = result.record.plan
    cells = [
        msgspec.structs.replace(cell, delays_ns=[1] * RANKS if any(cell.delays_ns) else [])
        for cell in plan.cells
    ]
    record = msgspec.structs.replace(result.record, plan=msgspec.structs.replace(plan, cells=cells))
    altered = replace(result, record=record)
    assert not [*delay_matrices(altered, folder)]


def test_many_ranks_share_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = MOST_SHOWN + 1
    monkeypatch.setattr("benched.RANKS", ranks)
    folder = BenchFolder(benched(tmp_path / "run"))
    found = [*delay_matrices(summarise(folder), folder)]
    assert len(found) == 2 * len(WAYS)
    for each in found:
        assert (each.ranks_a_row, each.shares.shape) == (2, (ranks // 2 + 1,) * 2)
        assert each.row_names()[:2] == each.column_names()[:2] == ["0-1", "2-3"]
        assert np.isfinite(each.shares).all()


def test_of_a_mean_over_groups_what_has_a_figure_is_sure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Halves that were measured at once do not delay each other: there is no figure."""
    monkeypatch.setattr("benched.RANKS", 34)
    folder = BenchFolder(benched(tmp_path / "run"))
    samples = folder.path / "samples.parquet"
    second = (pl.col("rank") >= 17).cast(pl.Int64)
    pl.read_parquet(samples).with_columns(group=second).write_parquet(samples)
    found = {each.name: each for each in delay_matrices(summarise(folder), folder)}
    end = found[f"iallreduce-4096-late-{DELAY_NS}-native"]
    assert end.ranks_a_row == 3
    assert (~np.isnan(end.shares)).any()
    assert np.isnan(end.shares).any()
    assert (end.is_sure == ~np.isnan(end.shares)).all()


def test_of_many_ranks_those_that_were_late_have_rows_and_lines_say_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a rank of 70 its own delay would be lost in the mean of as many as share a column."""
    monkeypatch.setattr("benched.RANKS", 70)
    monkeypatch.setattr("benched.REPETITIONS", 2)
    monkeypatch.setattr("benched.SIZES", [8])
    folder = BenchFolder(benched(tmp_path / "run"))
    result = summarise(folder)
    found = {each.name: each for each in delay_matrices(result, folder)}
    end, start = (found[f"iallreduce-4096-late-{DELAY_NS}-native{it}"] for it in ("", "-start"))
    for each in (end, start):
        assert each.shares.shape == (MOST_SHOWN, 1 + 70 // 5)
        assert each.column_names()[:3] == ["itself", "0-4", "5-9"]
        assert each.row_names() == [*map(str, each.late_ranks)]
        assert "of 70 ranks 70 were late in turn" in each.words
        assert "all but the 16 of these that delay others most" in each.words
        assert "the mean of 5 ranks" in each.words
    assert end.shares == pytest.approx(np.ones_like(end.shares), abs=0.01)
    assert start.shares[:, 0] == pytest.approx(1, abs=0.01)
    assert start.shares[:, 1:] == pytest.approx(0, abs=0.01)


def test_rows_of_some_late_ranks_are_those_of_all() -> None:
    places = [(late, rank) for late in (2, 5) for rank in range(7)]
    found = pl.DataFrame(
        {
            "late_rank": [late for late, _ in places],
            "rank": [rank for _, rank in places],
            "amplification": [10.0 * late + rank for late, rank in places],
        }
    )
    assert (matrix(found, late_ranks=[2, 5]) == matrix(found)[[2, 5]]).all()
    assert (matrix(found, late_ranks=[5]) == matrix(found)[[5]]).all()
