"""What of a run is worse than its baseline."""

from pathlib import Path

import polars as pl
import pytest
from bench_runs import BCAST, REDUCED, all_samples, make_run, slower
from msgspec.structs import replace

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_rows import CellState
from stretto.errors import InputError
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_check import check


def result(path: Path) -> BenchResult:
    return summarise(BenchFolder(path))


def test_what_takes_longer_is_worse(tmp_path: Path) -> None:
    before, after = make_run(tmp_path / "a"), make_run(tmp_path / "b", slower(1.5, REDUCED))
    found = check(result(before), result(after), 0.05)
    (worse,) = found.worse
    assert (worse.row.cell.name, worse.row.rank_class) == ("allreduce", "all")
    assert worse.factor == pytest.approx(1.5, rel=0.01)
    assert len(found.checked) == 3
    assert check(result(after), result(before), 0.05).worse == [], "what takes less is not worse"
    assert check(result(before), result(after), 0.6).worse == [], "nor what is less than that"


def test_with_too_few_launches_nothing_is_worse_and_that_is_said(tmp_path: Path) -> None:
    before = make_run(tmp_path / "a", launches=3)
    after = make_run(tmp_path / "b", slower(9, REDUCED), launches=3)
    found = check(result(before), result(after), 0.05)
    assert found.worse == []
    (warning,) = found.warnings
    assert "with 3 launches on a side nothing can be shown to be worse among 3" in warning
    assert "launch 4 on each" in warning


def test_what_is_missing_is_named_with_the_reason(tmp_path: Path) -> None:
    before = make_run(tmp_path / "a")
    # It has all cells in its plan, but measured one only.
    after = make_run(tmp_path / "b", states=[CellState(0, "timeout", "after 30 s")])
    samples = all_samples(after)
    samples.filter(samples["cell"] == 1).write_parquet(after / "samples.parquet")
    found = check(result(before), result(after), 0.05)
    assert found.missing == [
        f"bcast of 8 B, {ranks}, native (timeout: after 30 s)" for ranks in ("non-root", "root")
    ]
    assert not found.passes
    assert found.lost == ["bcast 8 B, native: timeout: after 30 s"]


@pytest.mark.parametrize("state", ["timeout", "failed", "wrong"])
def test_what_was_lost_in_some_launches_does_not_pass(tmp_path: Path, state: str) -> None:
    before = result(make_run(tmp_path / "a"))
    # Its times are there, and as good as ever, but those of what was wrong count for nothing.
    bad = result(make_run(tmp_path / "b", states=[CellState(1, state, "3")]))
    found = check(before, bad, 0.05)
    why = "3 results in launch 0" if state == "wrong" else "3"
    missing = [f"allreduce of 64 B, all, native (wrong: {why})"] if state == "wrong" else []
    assert (found.worse, found.missing) == ([], missing)
    assert found.lost == [f"allreduce 64 B, native: {state}: {why}"]
    assert not found.passes
    assert check(bad, bad, 0.05).passes, "as it was before"


def test_a_run_of_which_all_is_lost_does_not_pass(tmp_path: Path) -> None:
    before = make_run(tmp_path / "a")
    after = make_run(tmp_path / "b")
    samples = all_samples(after).with_columns(valid=pl.lit(value=False))
    samples.write_parquet(after / "samples.parquet")
    found = check(result(before), result(after), 0.05)
    assert found.checked == []
    assert [line.partition(": ")[2].split()[0] for line in found.lost] == ["invalid:"] * 2


def test_too_few_valid_repetitions_do_not_pass(tmp_path: Path) -> None:
    before = make_run(tmp_path / "a")
    after = make_run(tmp_path / "b")
    few = (pl.col("cell") != 0) | ((pl.col("launch") == 0) & (pl.col("repetition") == 0))
    all_samples(after).with_columns(valid=few).write_parquet(after / "samples.parquet")
    found = check(result(before), result(after), 0.05)
    assert found.lost == ["bcast 8 B, native: 4% of its repetitions are valid, of 100%"]


def test_implementations_are_checked_each_against_its_own(tmp_path: Path) -> None:
    before = make_run(tmp_path / "a", ways=["native", "stretto"])
    after = make_run(tmp_path / "b", ways=["stretto", "other"])
    found = check(result(before), result(after), 0.05)
    assert {each.row.implementation for each in found.checked} == {"stretto"}
    assert len(found.missing) == 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ranks": 3}, "the baseline has 2 ranks and the run 3"),
        ({"cells": [replace(BCAST, bytes=9)]}, "nothing of the baseline is in the run"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    tmp_path: Path, more: dict[str, object], words: str
) -> None:
    before, after = make_run(tmp_path / "a"), make_run(tmp_path / "b", **more)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=words):
        check(result(before), result(after), 0.05)
