"""Waiting for late ranks, on calls whose times are made up."""

import polars as pl
import pytest

from stretto.stats.waiting import split

ENTER = (100, 700, 300)  # of ranks 0, 1, 2
LEAVE = 1000


def calls(function: str, root: int = -1, ranks: int = 3) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "comm": ["c"] * ranks,
            "number": [4] * ranks,
            "rank": list(range(ranks)),
            "size": [3] * ranks,
            "enter": list(ENTER[:ranks]),
            "leave": [LEAVE] * ranks,
            "function": [function] * ranks,
            "root": [root] * ranks,
        }
    )


@pytest.mark.parametrize(
    ("function", "root", "waiting"),
    [
        ("Barrier", -1, [600, 0, 400]),
        ("Alltoallw", -1, [600, 0, 400]),
        ("Bcast", 1, [600, 0, 400]),
        ("Bcast", 0, [0, 0, 0]),
        ("Scatterv", 2, [200, 0, 0]),
        ("Reduce", 0, [600, 0, 0]),
        ("Gatherv", 1, [0, 0, 0]),
        ("Scan", -1, [0, 0, 400]),
    ],
)
def test_a_rank_waits_for_those_it_needs(function: str, root: int, waiting: list[int]) -> None:
    # The order of the rows must not matter.
    found = split(calls(function, root).sample(fraction=1, shuffle=True, seed=5)).sort("rank")
    assert found["waiting"].to_list() == waiting
    assert found["time"].to_list() == [LEAVE - enter for enter in ENTER]
    assert (found["waiting"] + found["rest"]).to_list() == found["time"].to_list()


@pytest.mark.parametrize(
    ("function", "root", "awaited"),
    [
        ("Barrier", -1, {0: 1, 2: 1}),
        ("Bcast", 2, {0: 2}),
        ("Reduce", 0, {0: 1}),
        ("Scan", -1, {2: 1}),
    ],
)
def test_who_was_waited_for(function: str, root: int, awaited: dict[int, int]) -> None:
    found = split(calls(function, root).sample(fraction=1, shuffle=True, seed=5))
    waits = found.filter(pl.col("waiting") > 0).sort("rank")
    assert dict(waits.select("rank", "awaited").iter_rows()) == awaited


def test_nobody_waits_longer_than_the_call_took() -> None:
    early = calls("Barrier").with_columns(leave=pl.Series([150, 1000, 1000]))
    assert split(early)["waiting"].to_list() == [50, 0, 400]


def test_calls_of_which_a_rank_is_not_on_record_are_left_out() -> None:
    assert split(calls("Barrier", ranks=2)).is_empty()
    both = pl.concat(
        [calls("Barrier"), calls("Barrier", ranks=2).with_columns(number=pl.lit(5, pl.Int64))]
    )
    assert split(both)["number"].unique().to_list() == [4]
