"""Who is delayed where several ranks are late at once."""

import json
from pathlib import Path

import msgspec
import polars as pl
import pytest
from bench_runs import all_samples, make_run

from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.report.bench import summarise
from stretto.report.bench_late_patterns import MOST_SHOWN, pattern_delays

PLAIN = BenchCell(0, "bcast", bytes=8)


def run_of(path: Path, *patterns: list[int]) -> BenchFolder:
    """A run in which rank 0 waits for the last one, whoever is late enters so late, and nobody else
    is delayed."""
    cells = [
        PLAIN,
        *(
            msgspec.structs.replace(PLAIN, number=number, delays_ns=late)
            for number, late in enumerate(patterns, 1)
        ),
    ]

    def takes(_way: str, cell: BenchCell, launch: int, rank: int) -> float:
        late = cell.delays_ns or [0] * len(patterns[0])
        return 10 + 0.01 * launch + (max(late) if rank == 0 else late[rank]) / 1e3

    make_run(path, takes, cells=cells, ranks=len(patterns[0]))
    lateness = pl.DataFrame(
        [
            (number, rank, late)
            for number, pattern in enumerate(patterns, 1)
            for rank, late in enumerate(pattern)
        ],
        schema=["cell", "rank", "late"],
        orient="row",
    )
    samples = all_samples(path).join(lateness, on=["cell", "rank"], how="left")
    entered = pl.col("enter_ns") + pl.col("late").fill_null(0)
    samples.with_columns(enter_ns=entered).drop("late").write_parquet(path / "samples.parquet")
    return BenchFolder(path)


def test_delays_beyond_what_ranks_are_late_themselves(tmp_path: Path) -> None:
    # The same largest lateness twice: both are patterns of their own.
    run = run_of(tmp_path / "run", [0, 30_000, 60_000, 90_000], [0, 90_000, 0, 20_000])
    first, second = pattern_delays(summarise(run), run)
    assert [(each.cell.number, each.stage) for each in (first, second)] == [(1, "end"), (2, "end")]
    assert [it.late_ns for it in second.ranks] == [0, 90_000, 0, 20_000]
    for each in (first, second):
        assert [it.beyond_ns for it in each.ranks] == pytest.approx([90_000, 0, 0, 0], abs=1)
        assert each.amplification == pytest.approx(1, abs=1e-3)
        # Whoever comes late himself is not delayed by others.
        assert [it.is_sure for it in each.ranks] == [True, False, False, False]


def test_of_many_ranks_those_that_wait_most_are_shown(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [1_000 * rank for rank in range(MOST_SHOWN + 4)])
    (found,) = pattern_delays(summarise(run), run)
    rows = found.table().rows
    assert len(rows) == MOST_SHOWN + 1
    assert rows[0] == ["0", "", "19.0 µs", "19.0 µs*"]
    assert rows[-1][0] == "4 others"


def test_a_single_late_rank_is_no_pattern(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", [0, 5_000, 0])
    assert pattern_delays(summarise(run), run) == []


def test_they_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(tmp_path / "run", [0, 30_000, 60_000, 90_000])
    assert run_command(["bench", "show", str(run.path), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["late_at_once"]
    assert [it["rank"] for it in found["ranks"]] == [0, 1, 2, 3]
    assert [it["delay_ns"] for it in found["ranks"]] == pytest.approx(
        [90_000, 30_000, 60_000, 90_000], abs=1
    )
    assert run_command(["bench", "show", str(run.path)]) == 0
    assert "where 3 ranks are late" in " ".join(capsys.readouterr().out.split())


def test_ranks_that_take_no_part_are_not_late(tmp_path: Path) -> None:
    """On every second rank: of those that take part one is late, or none is."""
    run = run_of(tmp_path / "run", [0, 90_000, 30_000, 60_000], [0, 20_000, 0, 20_000])
    samples = all_samples(run.path).filter(pl.col("rank") % 2 == 0)
    enter, leave = pl.col("enter_ns"), pl.col("leave_ns")
    # Both leave when the late one does.
    until = enter.max().over("launch", "cell", "repetition") + 10_000
    left = pl.when(pl.col("cell") == 1).then(until).otherwise(leave)
    samples.with_columns(leave_ns=left).write_parquet(run.path / "samples.parquet")
    (found,) = pattern_delays(summarise(run), run)
    assert found.cell.number == 1
    assert found.lateness == [30_000]
    assert "where 1 rank is late, by 30.0 µs" in found.title
    assert found.amplification == pytest.approx(1, abs=0.01)


def test_halves_that_go_on_at_their_own_times_do_not_delay_each_other(tmp_path: Path) -> None:
    """The second half makes each repetition later, and where one of its ranks is late, much more
    so."""
    run = run_of(tmp_path / "run", [0, 5_000, 0, 5_000])
    in_second = pl.col("rank") >= 2
    later = in_second * (1 + pl.col("repetition")) * (1 + pl.col("cell")) * 100_000
    times = [pl.col(name) + later for name in ("enter_ns", "leave_ns")]
    own = pl.col("leave_ns") - 5_000 * ((pl.col("cell") == 1) & (pl.col("rank") == 0))
    all_samples(run.path).with_columns(leave_ns=own).with_columns(
        *times, group=in_second.cast(pl.Int64)
    ).write_parquet(run.path / "samples.parquet")
    (found,) = pattern_delays(summarise(run), run)
    assert [it.beyond_ns for it in found.ranks] == pytest.approx([0, 0, 0, 0], abs=1)
    assert not any(it.is_sure for it in found.ranks)
    assert found.amplification == pytest.approx(1, abs=0.01)
