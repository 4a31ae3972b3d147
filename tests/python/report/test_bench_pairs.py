"""Overlap in two runs whose work is of as many times what operations take alone, as each found."""

from pathlib import Path

import msgspec
import polars as pl
import pytest
from bench_runs import ALONE, all_samples, planned
from msgspec.structs import replace

from stretto.cli.consoles import out
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_rows import CellState
from stretto.report.bench import BenchRow, summarise
from stretto.report.bench_check import check
from stretto.report.bench_comparison import OF_OVERLAP, SHARE, compare_runs
from stretto.report.bench_versus import BenchComparison
from stretto.report.worse import CheckResult


def compared(first: Path, second: Path) -> BenchComparison:
    return compare_runs(*(summarise(BenchFolder(each)) for each in (first, second)))


@pytest.mark.parametrize("work_ns", [6_000, 9_000])
def test_as_much_overlap_of_other_work_is_no_difference(tmp_path: Path, work_ns: int) -> None:
    runs = planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", work_ns, 0)
    alone, pair = compared(*runs).pairs
    assert (alone.details, alone.work_ns) == (replace(ALONE, number=-1), None)
    assert (pair.statistic, pair.unit, pair.work_ns) == (OF_OVERLAP, SHARE, (5_000, work_ns))
    assert pair.figures == pytest.approx((0, 0), abs=0.002)
    assert pair.shift == pytest.approx(0, abs=0.002)
    assert pair.ratio is None
    assert not pair.differs


def test_less_overlap_of_other_work_is_one(tmp_path: Path) -> None:
    found = compared(planned(tmp_path / "a", 5_000, 0.5), planned(tmp_path / "b", 6_000, 0))
    (pair,) = [each for each in found.pairs if each.work_ns]
    assert pair.figures == pytest.approx((0.5, 0), abs=0.002)
    assert pair.shift == pytest.approx(0.5, abs=0.002)
    assert pair.differs
    assert pair.is_lower_in_second
    assert (found.only_first, found.only_second) == ([], [])
    assert any("the work beside 1 rows differs, by up to 20%" in note for note in found.notes)


def test_times_beside_the_same_work_are_compared(tmp_path: Path) -> None:
    found = compared(planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 5_000, 0.5))
    pair = found.pairs[-1]
    assert (pair.work_ns, pair.unit) == (None, "ns")
    assert pair.figures == pytest.approx((15_050, 12_550), rel=0.01)
    assert len(found.notes) == 1


@pytest.mark.parametrize("other", [{"factor": 0.0}, {"factor": 2.0}, {"tests": 3}])
def test_what_was_planned_otherwise_has_no_pair(tmp_path: Path, other: dict[str, int]) -> None:
    """Earlier versions did not keep what work was a multiple of: there it is 0."""
    runs = planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 6_000, 0, **other)
    found = compared(*runs)
    assert [each.details for each in found.pairs] == [replace(ALONE, number=-1)]
    assert found.only_first == ["iallreduce of 64 B, all, native"]
    assert found.only_second == found.only_first


def test_without_the_operation_alone_there_is_no_pair(tmp_path: Path) -> None:
    first, second = planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 6_000, 0)
    beside = all_samples(second).filter(pl.col("cell") != ALONE.number)
    beside.write_parquet(second / "samples.parquet")
    found = compared(first, second)
    assert not [each for each in found.pairs if each.work_ns]
    assert found.only_second == ["iallreduce of 64 B, all, native"]
    assert found.only_first == 2 * found.only_second


def test_work_of_a_disturbed_pilot_is_another_experiment(tmp_path: Path) -> None:
    """Both plans have half as long as the operation, and the second has three times as long."""
    found = compared(planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 30_000, 0))
    assert not [each for each in found.pairs if each.work_ns]
    assert found.only_first == found.only_second == ["iallreduce of 64 B, all, native"]
    (warning,) = found.warnings
    assert warning.startswith("1 rows with work are not compared")


def checked(first: Path, second: Path, least: float = 0.05) -> CheckResult[BenchRow]:
    return check(*(summarise(BenchFolder(each)) for each in (first, second)), least)


def test_a_check_pairs_as_a_comparison_does(tmp_path: Path) -> None:
    hides, hides_less = planned(tmp_path / "a", 5_000, 0.5), planned(tmp_path / "b", 6_000, 0)
    found = checked(hides, hides_less)
    (worse,) = found.worse
    assert worse.row.cell.compute_ns == 6_000
    assert (worse.before, worse.after) == pytest.approx((0.5, 0), abs=0.002)
    assert worse.factor is None
    assert worse.shift == pytest.approx(0.5, abs=0.002)
    assert (len(found.checked), found.missing) == (2, [])
    assert checked(hides, hides_less, least=0.6).passes
    assert checked(hides_less, hides).passes, "to hide more is not worse"
    assert checked(hides_less, planned(tmp_path / "c", 5_000, 0)).passes, "nor is other work"


def test_a_check_names_what_is_lost_of_other_work(tmp_path: Path) -> None:
    before, after = planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 6_000, 0)
    record = BenchFolder(after).record()
    states = [CellState(1, "timeout", "after 30 s")]
    launches = [replace(each, states=states) for each in record.launches]
    (after / "bench.json").write_bytes(msgspec.json.encode(replace(record, launches=launches)))
    (line,) = checked(before, after).lost
    assert line.startswith("iallreduce 64 B + 6.00 µs work, native: timeout")


def test_a_user_sees_how_much_less_is_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = planned(tmp_path / "a", 5_000, 0.5), planned(tmp_path / "b", 6_000, 0)
    assert run_command(["bench", "check", *map(str, runs)]) == 3
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("iallreduce 64 B + 6.00 µs work, all, native: 50% hidden behind the")
    assert line.endswith("longer, now 0%, 50 points [50, 50] less")


def test_as_a_user_sees_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out, "width", 200)
    runs = planned(tmp_path / "a", 5_000, 0), planned(tmp_path / "b", 6_000, 0.5)
    assert run_command(["bench", "compare", *map(str, runs)]) == 0
    said = capsys.readouterr().out
    (line,) = [line for line in said.splitlines() if "work" in line and "│" in line]
    assert "64 B + 0.5x (5.00 µs, B 6.00 µs) work" in line
    assert OF_OVERLAP in line
    assert "-50 points [-50, -50]" in line
