"""Cells whose calls were not alike when those that count began."""

from pathlib import Path

import polars as pl
from bench_runs import make_run

from stretto.cli.bench_tables import tables
from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult, summarise


def run(folder: Path, changing_launches: int) -> BenchResult:
    """Of 8 launches, in some of which calls of bcast were still changing."""
    make_run(folder)
    file = folder / "samples.parquet"
    is_changing = (pl.col("cell") == 0) & (pl.col("launch") < changing_launches)
    samples = pl.read_parquet(file)
    samples.with_columns(warmup_calls=pl.lit(320), changing=is_changing).write_parquet(file)
    return summarise(BenchFolder(folder))


def test_it_is_said_where_most_launches_were(tmp_path: Path) -> None:
    result = run(tmp_path / "run", 5)
    by_name = {row.cell.name: row for row in result.rows}
    assert by_name["bcast"].is_changing
    assert not by_name["allreduce"].is_changing
    (warning,) = [each for each in result.warnings if "alike" in each]
    assert "bcast of 8 B by native still changing after 320 calls" in warning
    columns = {table.title.partition(":")[0]: table.columns[-1] for table in tables(result)}
    assert set(columns["bcast"].cells) == {"still changing after 320 calls"}
    assert columns["allreduce"].header == "valid"


def test_it_is_not_where_few_were_or_nothing_is_known(tmp_path: Path) -> None:
    assert not any("alike" in each for each in run(tmp_path / "few", 4).warnings)
    earlier = make_run(tmp_path / "earlier")
    result = summarise(BenchFolder(earlier))
    assert not any("alike" in each for each in result.warnings)
    assert {row.warmup_calls for row in result.rows} == {None}
