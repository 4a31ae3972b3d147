"""First calls on new communicators in a benchmark."""

from pathlib import Path

import msgspec
import pytest
from benched import WAYS, benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import summarise
from stretto.report.bench_first_calls import first_calls


def test_first_calls_are_beside_later_ones(tmp_path: Path) -> None:
    run = BenchFolder(benched(tmp_path / "run"))
    table = first_calls(summarise(run), run)
    assert table is not None
    assert [row[:3] for row in table.rows] == [["gather", "64 B", way] for way in WAYS]
    for row in table.rows:
        assert row[3] == "on a fresh communicator"
        assert float(row[7].removesuffix("x")) == pytest.approx(10, rel=0.05)


def test_without_a_new_communicator_there_is_no_table(tmp_path: Path) -> None:
    run = BenchFolder(benched(tmp_path / "run"))
    result = summarise(run)
    for cell in result.record.plan.cells:
        if cell.fresh:
            result.record.plan.cells.remove(cell)
    assert first_calls(result, run) is None


def test_calls_beside_work_are_no_first_calls(tmp_path: Path) -> None:
    run = BenchFolder(benched(tmp_path / "run"))
    result = summarise(run)
    cells = result.record.plan.cells
    for number, cell in enumerate(cells):
        if cell.compute_ns or cell.delays_ns:
            cells[number] = msgspec.structs.replace(cell, fresh=True)
    table = first_calls(result, run)
    assert table is not None
    assert {row[0] for row in table.rows} == {"gather"}
