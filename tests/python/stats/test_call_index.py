"""From which call on a communicator is warm, with made-up switches."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from stretto.stats.call_index import FEWEST_LAUNCHES, calls_of, curve, steady_from

# What a call takes, ns, by its number from 1.
Call = Callable[[int], float]


def flat(_call: int) -> float:
    return 5000


def mpich(call: int) -> float:
    """Connections at first; from the sixth on another way."""
    return 80_000 if call == 1 else 5000 if call < 6 else 3500


def settling(call: int) -> float:
    """Ever nearer to its level: within 5 % from the seventh on, which noise may move by one."""
    return 5000 * (1 + 2.0 ** (2 - call))


def samples(
    time: Call,
    seed: int = 1,
    *,
    launches: int = 6,
    calls: int = 100,
    noise: float = 0.05,
    ranks: int = 3,
) -> pl.DataFrame:
    """Launches differ by 20 % as a whole; one call of 50 is five times as long."""
    random = np.random.default_rng(seed)
    launch, rank, number = np.indices((launches, ranks, calls)).reshape(3, -1)
    slow = random.lognormal(0, 0.2, launches)[launch]
    slow *= np.where(random.random((launches, calls)) < 0.02, 5, 1)[launch, number]
    took = np.array([time(n + 1) for n in range(calls)])[number]
    took = took * slow * random.lognormal(0, noise, len(launch))
    return pl.DataFrame(
        {
            "launch": launch,
            "implementation": "mpich",
            "cell": 0,
            "rank": rank,
            "repetition": number,
            "warmup": number < 3,
            "enter_ns": number * 10**9,
            "leave_ns": number * 10**9 + took.astype(int),
            "valid": True,
        }
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("launches", [3, 6, 15])
def test_a_switch_at_the_sixth_call_is_found(seed: int, launches: int) -> None:
    assert steady_from(calls_of(samples(mpich, seed, launches=launches))) == 6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("launches", [3, 6, 15])
def test_without_a_switch_the_first_call_is_steady(seed: int, launches: int) -> None:
    assert steady_from(calls_of(samples(flat, seed, launches=launches))) == 1


def test_a_change_that_is_none_to_speak_of_is_none() -> None:
    times = samples(lambda call: 5000 if call < 50 else 5100, noise=0.001)
    assert steady_from(calls_of(times)) == 1


def test_what_settles_is_steady_when_it_is_near() -> None:
    found = steady_from(calls_of(samples(settling, launches=20, noise=0.02)))
    assert found in (6, 7, 8)


def test_a_few_of_the_calls_are_enough() -> None:
    calls = calls_of(samples(mpich)).filter(pl.col("call").is_in([1, 2, 5, 10, 20, 50, 100]))
    assert steady_from(calls) == 10


def test_what_changes_at_the_end_is_not_steady() -> None:
    late = samples(lambda call: 5000 if call < 90 else 9000)
    assert steady_from(calls_of(late)) is None


@pytest.mark.parametrize("launches", [1, FEWEST_LAUNCHES - 1])
def test_too_few_launches_say_nothing(launches: int) -> None:
    assert steady_from(calls_of(samples(mpich, launches=launches))) is None


def test_calls_that_are_invalid_on_a_rank_are_left_out() -> None:
    """So some launches lack some calls, and no launch has the second."""
    rank, call = pl.col("rank"), pl.col("repetition") + 1
    invalid = (rank == 1) & ((call == 2) | ((call + pl.col("launch")) % 7 == 0))
    calls = calls_of(samples(mpich).with_columns(valid=~invalid))
    assert 2 not in calls["call"]
    assert calls.group_by("call").len()["len"].unique().sort().to_list() == [5, 6]
    assert steady_from(calls) == 6


def test_a_call_is_the_median_of_its_ranks() -> None:
    frame = samples(flat, launches=1, calls=1, noise=0.5)
    took = np.median(frame["leave_ns"] - frame["enter_ns"])
    assert calls_of(frame).rows() == [("mpich", 0, 0, 1, took)]


def test_the_curve_has_the_calls_that_were_made_with_their_intervals() -> None:
    found = curve(calls_of(samples(mpich, calls=50, launches=9)))
    assert found["call"].to_list() == [1, 2, 5, 10]
    assert found["launches"].to_list() == [9] * 4
    assert found["coverage"].to_list() == [0.9609375] * 4
    for low, middle, high in found.select("low_ns", "median_ns", "high_ns").iter_rows():
        assert low < middle < high
    assert found["median_ns"].to_list() == pytest.approx([80_000, 5000, 5000, 3500], rel=0.3)


def test_no_calls_have_an_empty_curve() -> None:
    found = curve(calls_of(samples(flat)), shown=[])
    assert found.is_empty()
    assert found.columns[-4:] == ["median_ns", "low_ns", "high_ns", "coverage"]
