"""Who is delayed by late ranks in a benchmark."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from benched import DELAY_NS, RANKS, WAYS, benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_late import MOST_SHOWN, delay_matrices


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
        assert each.rank_names()[:2] == ["0-1", "2-3"]
        assert np.isfinite(each.shares).all()
