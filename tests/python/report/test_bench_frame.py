"""A benchmark's results as a table of numbers."""

from pathlib import Path

import polars as pl
import pytest
from benched import benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import summarise
from stretto.report.bench_frame import SCHEMA, rows_frame


def test_it_has_all_rows_and_digits(tmp_path: Path) -> None:
    result = summarise(BenchFolder(benched(tmp_path / "run")))
    frame = rows_frame(result.rows, result.compared)
    assert frame.schema == SCHEMA
    assert frame["median_ns"].to_list() == [row.time.median for row in result.rows]
    assert frame["slowest_rank_ns"].to_list() == [row.maximum for row in result.rows]
    compared = frame.filter(pl.col("ratio").is_not_null())
    assert compared["implementation"].unique().to_list() == ["<stretto>"]
    assert len(compared) == len(result.compared)
    assert compared.filter(operation="bcast", bytes=8)["ratio"].to_list() == [
        pytest.approx(2, rel=0.05),
        pytest.approx(2, rel=0.05),
    ]
