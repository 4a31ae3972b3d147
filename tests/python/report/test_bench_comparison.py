"""Two benchmarks against each other, and against what other suites print."""

from pathlib import Path

import pytest
from bench_runs import BCAST, REDUCED, make_run, slower, steady
from msgspec.structs import replace

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.imported import Imported, ImportedRow
from stretto.errors import InputError
from stretto.report.bench import summarise
from stretto.report.bench_comparison import compare_runs, implementations
from stretto.report.bench_with_suites import MeasuredRun, compare_others
from stretto.report.imported import lines_of_rows

MEAN = ImportedRow("allreduce", "blocking", "latency", "mean", 20.0, "us", 1, bytes=64)


def run(path: Path) -> MeasuredRun:
    folder = BenchFolder(path)
    return MeasuredRun(summarise(folder), folder)


def suite(*rows: ImportedRow, name: str = "osu") -> Imported:
    return Imported(name, None, f"{name}.txt", [*rows], [], {})


def lopsided(way: str, cell: BenchCell, _launch: int, rank: int) -> float:
    """Rank 1 takes 3 times as long, so the mean over ranks is twice rank 0's."""
    return (1 + 2 * rank) * steady(way, cell, 0, rank)


def test_what_is_slower_differs_and_the_rest_does_not(tmp_path: Path) -> None:
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b", slower(2, REDUCED))
    found = compare_runs(run(first).result, run(second).result)
    assert [(it.name, it.rank_class, it.differs) for it in found.pairs] == [
        ("bcast", "non-root", False),
        ("bcast", "root", False),
        ("allreduce", "all", True),
    ]
    assert found.pairs[-1].ratio == pytest.approx(0.5, abs=0.01)
    assert (found.only_first, found.only_second, found.warnings) == ([], [], [])


def test_cells_match_by_what_they_are_not_by_their_number(tmp_path: Path) -> None:
    first = make_run(tmp_path / "a")
    other = [replace(REDUCED, number=0), replace(BCAST, number=1, in_place=True)]
    found = compare_runs(run(first).result, run(make_run(tmp_path / "b", cells=other)).result)
    assert [it.name for it in found.pairs] == ["allreduce"]
    assert found.only_first == ["bcast of 8 B, non-root, native", "bcast of 8 B, root, native"]
    assert found.only_second == found.only_first


def test_elements_that_are_all_the_roots_are_not_what_suites_measure(tmp_path: Path) -> None:
    cells = [
        BenchCell(0, "allgatherv", bytes=64),
        BenchCell(1, "allgatherv", bytes=64, of_root=True),
    ]
    first = run(make_run(tmp_path / "a", cells=cells))
    (pair,) = compare_others(first, suite(replace(MEAN, operation="allgatherv"))).pairs
    assert (pair.name, pair.launches) == ("allgatherv", (8, 1))


def test_too_few_launches_are_said(tmp_path: Path) -> None:
    first, second = (make_run(tmp_path / name, launches=3) for name in "ab")
    (warning,) = compare_runs(run(first).result, run(second).result).warnings
    assert warning.startswith("with 3 launches on a side no difference can be shown among 3")


def test_few_launches_against_many_are_enough(tmp_path: Path) -> None:
    first = make_run(tmp_path / "a", launches=3)
    second = make_run(tmp_path / "b", slower(2, REDUCED), launches=20)
    found = compare_runs(run(first).result, run(second).result)
    assert found.warnings == []
    assert found.pairs[-1].differs


@pytest.mark.parametrize(
    ("first", "second", "chosen", "pairs"),
    [
        ("native stretto", "stretto native", (None, None), "native/native stretto/stretto"),
        ("native stretto", "stretto native", ("native", "stretto"), "native/stretto"),
        ("native", "stretto", (None, None), "native/stretto"),
        ("native stretto", "native", ("stretto", None), "stretto/native"),
        ("native stretto", "native other", ("native", None), "native/native"),
    ],
)
def test_like_is_compared_with_like(
    first: str, second: str, chosen: tuple[str | None, str | None], pairs: str
) -> None:
    found = implementations(first.split(), second.split(), *chosen)
    assert " ".join("/".join(pair) for pair in found) == pairs


def test_what_is_meant_must_be_clear() -> None:
    with pytest.raises(InputError, match="--impl-a and --impl-b say what is to be compared"):
        implementations(["native", "stretto"], ["other", "another"], None, None)
    with pytest.raises(InputError, match="--impl-b another: the run has native"):
        implementations(["native"], ["native"], None, "another")


def test_a_mean_is_compared_with_our_mean(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", lopsided)
    found = compare_others(run(folder), suite(MEAN, replace(MEAN, statistic="min")))
    (pair,) = found.pairs
    assert pair.statistic == "mean over ranks of their means"
    assert pair.figures == pytest.approx((20_000, 20_000))
    assert (pair.ratio, pair.interval, pair.p) == (1, None, None)
    assert any("a mean is compared with a mean" in note for note in found.notes)
    assert any("taken for 2" in note for note in found.notes)
    assert found.only_first == ["bcast of 8 B, 2 ranks"]


def test_suites_of_the_slowest_rank_are_compared_with_ours(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", lopsided)
    (pair,) = compare_others(suite(MEAN, name="skampi"), run(folder)).pairs
    assert pair.statistic == "mean of the slowest rank"
    assert pair.figures == pytest.approx((20_000, 30_000))


def test_raw_values_of_launches_are_tested(tmp_path: Path) -> None:
    raw = [
        replace(MEAN, statistic="raw", value=20 + 0.1 * launch, launch=launch, repetition=at)
        for launch in range(6)
        for at in range(3)
    ]
    (pair,) = compare_others(run(make_run(tmp_path / "a")), suite(*raw, name="repro-mpi")).pairs
    assert (pair.statistic, pair.launches) == ("median of the slowest rank", (8, 6))
    assert pair.differs
    assert pair.ratio == pytest.approx(0.5, rel=0.05)


def test_invalid_repetitions_do_not_count(tmp_path: Path) -> None:
    """One of three came too late on one process, and took a second."""
    raw = [
        replace(
            MEAN,
            metric=metric,
            statistic="raw",
            value=value,
            launch=0,
            process=process,
            repetition=at,
            line=3 * process + at,
            unit=unit,
        )
        for process in range(2)
        for at, took in enumerate((20, 1e6, 1e6))
        for metric, value, unit in (
            ("latency", took, "us"),
            ("error_code", float(at > 0 and process == 1), ""),
        )
    ]
    (pair,) = compare_others(run(make_run(tmp_path / "a")), suite(*raw, name="repro-mpi")).pairs
    assert pair.figures[1] == pytest.approx(20_000)
    shown = {line.statistic: line.value for line in lines_of_rows(raw) if line.row.unit == "us"}
    assert shown == {"median of 2": 20, "median of 4 invalid": 1e6}


def test_what_has_our_name_and_is_something_else_is_not_compared(tmp_path: Path) -> None:
    cell = BenchCell(0, "exchange", bytes=64)
    folder = make_run(tmp_path / "a", cells=[cell])
    theirs = replace(MEAN, operation="exchange", bytes=64)
    found = compare_others(run(folder), suite(theirs, name="imb"))
    assert found.pairs == []
    assert found.only_second == ["exchange of imb of 64 B, 2 ranks"]
    assert len(compare_others(run(folder), suite(theirs, name="other")).pairs) == 1


def test_values_of_processes_are_over_ranks(tmp_path: Path) -> None:
    """Ranks take 10 and 30 us; of both means and medians the middle is 20."""
    folder = make_run(tmp_path / "a", lopsided)
    of_processes = [
        replace(MEAN, process=process, value=value) for process, value in ((0, 12.0), (1, 28.0))
    ]
    (pair,) = compare_others(run(folder), suite(*of_processes, name="skampi")).pairs
    assert (pair.statistic, pair.launches) == ("mean over ranks of their means", (8, 1))
    assert pair.figures == pytest.approx((20_000, 20_000))
    raw = [replace(it, statistic="raw", repetition=at) for it in of_processes for at in range(3)]
    (pair,) = compare_others(run(folder), suite(*raw)).pairs
    assert pair.statistic == "median over ranks of their medians"
    assert pair.figures == pytest.approx((20_000, 20_000))


def test_outputs_that_were_put_together_are_launches(tmp_path: Path) -> None:
    means = [replace(MEAN, value=20 + 0.1 * launch) for launch in range(6)]
    (pair,) = compare_others(run(make_run(tmp_path / "a")), suite(*means)).pairs
    assert (pair.launches, pair.differs) == ((8, 6), True)


def test_two_files_by_what_they_share() -> None:
    speed = replace(MEAN, operation="bandwidth", metric="bandwidth", unit="MB/s", value=100.0)
    first = suite(MEAN, speed, replace(MEAN, form="nonblocking"))
    second = suite(replace(MEAN, value=10.0, ranks=4), replace(speed, value=50.0), name="imb")
    found = compare_others(first, second)
    assert [(it.name, it.unit, it.ratio) for it in found.pairs] == [
        ("allreduce", "ns", 2),
        ("bandwidth", "MB/s", 2),
    ]
    assert found.only_first == ["iallreduce of 64 B, 4 ranks"]


def test_other_numbers_of_ranks_are_not_alike(tmp_path: Path) -> None:
    rows = [replace(MEAN, ranks=ranks) for ranks in (2, 4)]
    found = compare_others(run(make_run(tmp_path / "a")), suite(*rows, name="imb"))
    assert len(found.pairs) == 1
    assert found.only_second == ["allreduce of 64 B, 4 ranks"]


def test_bytes_are_those_of_one_block(tmp_path: Path) -> None:
    cell = replace(REDUCED, operation="reduce_scatter_block")
    row = replace(MEAN, operation="reduce_scatter_block", bytes=128)
    found = compare_others(run(make_run(tmp_path / "a", cells=[cell])), suite(row))
    assert [it.bytes for it in found.pairs] == [64]
    assert compare_others(run(tmp_path / "a"), suite(row, name="skampi")).pairs == []


def test_what_cannot_be_placed_is_said() -> None:
    row = replace(MEAN, operation="reduce_scatter")
    found = compare_others(suite(row, MEAN), suite(MEAN))
    assert [it.name for it in found.pairs] == ["allreduce"]
    assert [note for note in found.notes if note.startswith("1 values of osu.txt are left out")]


def test_other_statistics_are_not_compared() -> None:
    found = compare_others(suite(MEAN), suite(MEAN, name="skampi"))
    assert (found.pairs, found.only_first, found.only_second) == ([], [], [])
    (note,) = found.notes
    assert note.startswith("1 are in both by other statistics")


def test_a_file_has_no_implementations(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--impl-b native: osu.txt has no implementations"):
        compare_others(run(make_run(tmp_path / "a")), suite(MEAN), None, "native")
