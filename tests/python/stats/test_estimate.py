"""The interval of a median keeps what it says, whatever the launches are distributed like."""

from collections.abc import Callable

import numpy as np
import pytest

from stretto.stats.estimate import FEWEST, LEVEL, enough, estimate, median_interval

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def skewed(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Exponential beyond a floor, with the tail of a shared machine; its median is 1."""
    return 1 - 0.2 * np.log(2) + random.exponential(0.2, shape)


def bimodal(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Of five launches two are twice as slow (a bad placement); its median is 1."""
    slow = random.random(shape) < 0.4
    # The median of all is the fast ones' quantile of 0.5 / 0.6.
    fast = 1 + 0.05 * (random.random(shape) - 0.5 / 0.6)
    return np.where(slow, random.normal(2, 0.05, shape), fast)


def coarse(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """As a clock of few ticks has it."""
    return np.round(random.lognormal(0, 0.3, shape) * 4) / 4


@pytest.mark.parametrize(
    ("count", "coverage"), [(1, 0), (2, 0.5), (3, 0.75), (5, 0.9375), (6, 0.96875), (9, 0.9609375)]
)
def test_an_interval_says_the_coverage_that_it_has(count: int, coverage: float) -> None:
    values = [float(i) for i in range(count)]
    interval = median_interval(values)
    assert interval.coverage == coverage
    assert count >= 9 or (interval.low, interval.high) == (0, count - 1)


def test_more_values_leave_out_the_outermost() -> None:
    interval = median_interval([float(i) for i in range(12)])
    assert (interval.low, interval.high) == (2, 9)


def test_no_launches_are_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        estimate([])


@pytest.mark.parametrize("draw", [skewed, bimodal, coarse])
@pytest.mark.parametrize("launches", [2, 3, 6, 10, 20])
def test_the_interval_covers_the_true_median_as_often_as_it_says(draw: Draw, launches: int) -> None:
    tries = 4000
    drawn = np.sort(draw(np.random.default_rng(7), (tries, launches)), axis=1)
    # The same ranks for all tries: which ones, an interval of ranks says.
    of_ranks = median_interval(range(launches))
    low, high = drawn[:, int(of_ranks.low)], drawn[:, int(of_ranks.high)]
    covered = np.mean((low <= 1) & (high >= 1))
    assert covered >= of_ranks.coverage - 0.015
    # Where values are often the same, the median is covered more often; else it is exact.
    assert draw is coarse or covered <= of_ranks.coverage + 0.015
    assert launches < FEWEST or of_ranks.coverage >= LEVEL


def test_stopping_at_a_narrow_interval_costs_little_of_its_coverage() -> None:
    """Looked at after each launch, up to 40: here it covers 93.8 %."""
    tries, most = 1500, 40
    drawn = skewed(np.random.default_rng(3), (tries, most))
    going_on, covered = np.ones(tries, dtype=bool), np.zeros(tries, dtype=bool)
    for launches in range(FEWEST, most + 1):
        so_far = np.sort(drawn[:, :launches], axis=1)
        of_ranks = median_interval(range(launches))
        low, high = so_far[:, int(of_ranks.low)], so_far[:, int(of_ranks.high)]
        narrow = (high - low) / np.median(so_far, axis=1) <= 0.2
        stops = going_on & (narrow | (launches == most))
        covered[stops] = ((low <= 1) & (high >= 1))[stops]
        going_on &= ~stops
    assert covered.mean() >= 0.93


def test_an_estimate_has_its_width_relative_to_the_median() -> None:
    found = estimate([90, 100, 110, 95, 105, 100])
    assert (found.median, found.launches) == (100, 6)
    assert (found.interval.low, found.interval.high) == (90, 110)
    assert found.relative_width == pytest.approx(0.2)


def test_launches_are_enough_when_the_interval_is_narrow() -> None:
    launches = [100, 101, 99, 100, 102, 98]
    assert enough(launches, 0.05)
    assert not enough(launches, 0.03)
    assert not enough([100, 101, 99, 100, 150, 60], 0.05)


def test_too_few_launches_are_never_enough_however_alike() -> None:
    assert not enough([100.0] * (FEWEST - 1), 0.05)
    assert enough([100.0] * FEWEST, 0.05)


def test_nothing_is_known_relative_to_zero() -> None:
    assert enough([0.0] * FEWEST, 0.05)
    assert not enough([0.0] * FEWEST + [40.0] * (FEWEST - 2), 0.05)
