"""Durations by what a rank is in a collective, from made-up samples."""

from collections.abc import Callable

import polars as pl
import pytest

from stretto.stats.rank_classes import (
    ALL,
    NON_ROOT,
    ROOT,
    durations_by_root,
    entries_of,
    of_launches,
    of_ranks,
    summary_of,
)

CELLS = pl.DataFrame(
    {
        "cell": [0, 1, 2],
        "operation": ["allreduce", "gatherv", "reduce"],
        "form": ["blocking", "nonblocking", "persistent"],
        "bytes": [8, 8, 8],
        "root": [-1, 1, 0],
        "ranks": [4, 4, 4],
    }
)

# What a rank of a launch took in a repetition, ns.
Took = Callable[[int, int, int], int]


def samples(
    took: Took,
    *,
    cell: int = 0,
    launches: int = 2,
    ranks: int = 4,
    repetitions: int = 5,
    enter: Took = lambda *_: 0,
    invalid: tuple[tuple[int, int, int], ...] = (),
    warmups: int = 0,
) -> pl.DataFrame:
    rows = [
        {
            "launch": launch,
            "implementation": "mpich",
            "cell": cell,
            "rank": rank,
            "repetition": number,
            "warmup": number < warmups,
            "enter_ns": (start := 10**9 * number + enter(launch, rank, number)),
            "leave_ns": start + took(launch, rank, number),
            "valid": (launch, rank, number) not in invalid,
        }
        for launch in range(launches)
        for rank in range(ranks)
        for number in range(repetitions)
    ]
    return pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=1)


def test_a_rank_has_the_median_of_its_repetitions_in_each_launch() -> None:
    found = of_ranks(samples(lambda la, r, n: 100 * la + 10 * r + n), CELLS)
    assert found["duration_ns"].to_list() == [2, 12, 22, 32, 102, 112, 122, 132]
    assert found["repetitions"].to_list() == [5] * 8
    assert found["rank_class"].unique().to_list() == [ALL]


@pytest.mark.parametrize(("cell", "root"), [(1, 1), (2, 0)])
def test_the_root_of_a_rooted_collective_is_a_class_of_its_own(cell: int, root: int) -> None:
    found = of_ranks(samples(lambda _, r, __: 10 * r, cell=cell, launches=1), CELLS)
    classes = dict(found.select("rank", "rank_class").iter_rows())
    assert classes == {rank: ROOT if rank == root else NON_ROOT for rank in range(4)}


def test_a_class_has_the_spread_of_its_ranks_and_no_mean() -> None:
    found = summary_of(of_ranks(samples(lambda _, r, __: [7, 100, 20, 40][r], cell=1), CELLS))
    root, others = found.sort("rank_class", descending=True).iter_rows(named=True)
    spread = ("min_ns", "median_ns", "p95_ns", "max_ns")
    assert [root[name] for name in spread] == [100] * 4
    assert [others[name] for name in spread] == pytest.approx([7, 20, 38, 40])
    assert (others["ranks"], others["launches"], others["repetitions"]) == (3, 2, 30)


def test_a_launch_has_the_spread_of_its_ranks() -> None:
    found = of_launches(of_ranks(samples(lambda la, r, _: (1 + la) * (10 + r)), CELLS))
    assert found["launch"].to_list() == [0, 1]
    assert found["min_ns"].to_list() == [10, 20]
    assert found["median_ns"].to_list() == [11.5, 23]
    assert found["max_ns"].to_list() == [13, 26]
    assert found["p95_ns"].to_list() == pytest.approx([12.85, 25.7])


def test_warm_ups_and_what_came_too_late_do_not_count() -> None:
    """A repetition that is not valid on one rank says nothing of the others either."""
    late = samples(
        lambda _, __, n: [1000, 1, 2, 500, 3][n],
        launches=1,
        warmups=1,
        invalid=((0, 2, 3),),
    )
    found = of_ranks(late, CELLS)
    assert found["duration_ns"].to_list() == [2, 2, 2, 2]
    assert found["repetitions"].to_list() == [3, 3, 3, 3]
    (entries,) = entries_of(late).iter_rows(named=True)
    assert (entries["repetitions"], entries["valid"]) == (4, 0.75)


def test_a_launch_of_which_nothing_counts_is_there_without_times() -> None:
    never = tuple((1, 0, n) for n in range(5))
    ranks = of_ranks(samples(lambda *_: 10, invalid=never), CELLS)
    assert of_launches(ranks)["median_ns"].to_list() == [10, None]
    assert of_launches(ranks)["ranks"].to_list() == [4, 0]
    (found,) = summary_of(ranks).iter_rows(named=True)
    assert (found["launches"], found["median_ns"]) == (1, 10)


def test_outliers_are_flagged_and_kept() -> None:
    """Of MAD 1 the limit is 100 + 5 * max(1.4826, 2): 110 ns."""
    times = [98, 99, 99, 100, 100, 100, 101, 102, 110, 111, 5000]
    found = of_ranks(samples(lambda _, __, n: times[n], launches=1, repetitions=11), CELLS)
    assert found["outliers"].to_list() == [2] * 4
    assert found["repetitions"].to_list() == [11] * 4
    (total,) = summary_of(found)["outliers"]
    assert total == 8


def test_a_wide_spread_has_no_outliers_of_its_own() -> None:
    times = [50, 60, 80, 100, 120, 140, 250]
    found = of_ranks(samples(lambda _, __, n: times[n], launches=1, repetitions=7), CELLS)
    assert found["outliers"].to_list() == [0] * 4


def test_a_tick_of_a_coarse_clock_is_no_outlier() -> None:
    times = [1000, 1000, 1000, 1000, 1040, 1080, 1160]
    found = of_ranks(samples(lambda _, __, n: times[n], launches=1, repetitions=7), CELLS)
    assert found["outliers"].to_list() == [1] * 4


def test_the_skew_is_from_the_first_to_the_last_that_enters() -> None:
    """Of an invalid repetition it is not counted, nor are the launches one."""
    found = entries_of(
        samples(
            lambda *_: 10,
            enter=lambda la, r, n: r * (n + 1) if la == 0 else r * 10**6,
            invalid=tuple((1, 3, n) for n in range(5)),
        )
    )
    (row,) = found.iter_rows(named=True)
    assert row["skew_median_ns"] == 9
    assert row["skew_p95_ns"] == pytest.approx(14.4)
    assert (row["repetitions"], row["valid"]) == (10, 0.5)


def test_implementations_are_kept_apart() -> None:
    fast = samples(lambda *_: 10)
    slow = samples(lambda *_: 20).with_columns(implementation=pl.lit("stretto"))
    ranks = of_ranks(pl.concat([fast, slow]), CELLS)
    assert dict(summary_of(ranks).select("implementation", "median_ns").iter_rows()) == {
        "mpich": 10,
        "stretto": 20,
    }
    assert entries_of(pl.concat([fast, slow]))["implementation"].to_list() == ["mpich", "stretto"]


def test_repetitions_are_told_apart_by_their_root() -> None:
    # Ranks take 10 ns each more, the root's repetitions of rank 1 100 ns more, on all ranks.
    rooted = samples(
        lambda _, r, n: 10 * r + 100 * (n % 3 == 1), launches=1, ranks=3, repetitions=6, warmups=3
    ).with_columns(root=pl.col("repetition") % 3)
    found = durations_by_root(rooted).select("root", "root_ns", "others_ns", "slowest_ns").rows()
    assert found == [(0, 0.0, 15.0, 20), (1, 110.0, 110.0, 120), (2, 20.0, 5.0, 20)]


def test_a_root_alone_has_no_others() -> None:
    alone = samples(lambda *_: 7, launches=1, ranks=1).with_columns(root=pl.lit(0))
    (row,) = durations_by_root(alone).rows(named=True)
    assert (row["root_ns"], row["others_ns"], row["slowest_ns"]) == (7, None, 7)
