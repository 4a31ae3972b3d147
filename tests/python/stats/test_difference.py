"""A difference is found where there is one, and hardly ever where there is none."""

from collections.abc import Callable
from itertools import combinations
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import PermutationMethod, mannwhitneyu

from stretto.stats.difference import (
    MOST_COUNTED,
    adjusted,
    can_differ,
    difference,
    launches_needed,
    rank_test,
    shift,
)

LEVEL = 0.05
Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def ticks_of_1_ns(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Some 20 ns: nearly all values tie with another."""
    return np.round(20 * random.lognormal(0, 0.05, shape))


def ticks_of_40_ns(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return 40 * np.round(1000 * random.lognormal(0, 0.05, shape) / 40)


def outliers(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """One launch of ten is up to 20 times as slow."""
    slow = random.random(shape) < 0.1
    return 1000 * random.lognormal(0, 0.05, shape) * np.where(slow, random.uniform(2, 20, shape), 1)


ALIKE = [ticks_of_1_ns, ticks_of_40_ns, outliers]


@pytest.mark.parametrize("noise", ALIKE)
def test_the_same_on_both_sides_differs_in_at_most_one_of_twenty(noise: Noise) -> None:
    sides = noise(np.random.default_rng(5), (600, 2, 10))
    found = [rank_test(before, after) <= LEVEL for before, after in sides]
    assert np.mean(found) <= LEVEL


@pytest.mark.parametrize("noise", ALIKE)
def test_of_twenty_sets_of_comparisons_at_most_one_has_a_difference(noise: Noise) -> None:
    families = noise(np.random.default_rng(8), (300, 10, 2, 8))
    found = [min(adjusted([rank_test(*sides) for sides in each])) <= LEVEL for each in families]
    assert np.mean(found) <= LEVEL


@settings(max_examples=40)
@given(
    values=st.lists(st.integers(0, 5), min_size=2, max_size=9),
    chosen=st.integers(1, 8),
    greater=st.booleans(),
)
def test_a_p_value_is_as_rare_as_it_says(values: list[int], chosen: int, greater: bool) -> None:
    """Dealt out in all ways, a share of at most p has a p-value of at most p: it is exact."""
    chosen = min(chosen, len(values) - 1)
    found = []
    for picked in combinations(range(len(values)), chosen):
        second = [values[i] for i in picked]
        first = [value for i, value in enumerate(values) if i not in picked]
        found.append(rank_test(first, second, greater=greater))
    for p in found:
        assert np.mean(np.asarray(found) <= p + 1e-9) <= p + 1e-9


@pytest.mark.parametrize("greater", [False, True])
def test_it_is_the_test_of_scipy_where_nothing_ties(greater: bool) -> None:
    random = np.random.default_rng(1)
    side = "greater" if greater else "two-sided"
    for sizes in ((3, 4), (5, 5), (8, 6), (25, 25)):
        first, second = (random.lognormal(0, 1, size) for size in sizes)
        expected = mannwhitneyu(second, first, alternative=side, method="exact").pvalue
        assert rank_test(first, second, greater=greater) == pytest.approx(expected)


def test_it_is_the_permutation_test_where_values_tie() -> None:
    first, second = [1, 1, 2, 3, 3], [2, 3, 3, 4, 5]
    expected = mannwhitneyu(second, first, method=PermutationMethod()).pvalue
    assert rank_test(first, second) == pytest.approx(expected)


def test_many_launches_are_nearly_as_few() -> None:
    random = np.random.default_rng(2)
    size = MOST_COUNTED // 2
    first, second = ticks_of_40_ns(random, (2, size + 1))
    few, many = (difference(1.02 * first[:n], second[:n]) for n in (size, size + 1))
    assert many.p == pytest.approx(few.p, rel=1)
    assert many.interval.low == pytest.approx(few.interval.low, rel=0.02)
    assert many.interval.high == pytest.approx(few.interval.high, rel=0.02)


def test_a_tenth_more_is_found_nearly_always_at_5_percent_of_noise() -> None:
    sides = np.random.default_rng(4).lognormal(0, 0.05, (200, 2, 10))
    found = [difference(1.1 * before, after) for before, after in sides]
    assert np.mean([each.p <= LEVEL for each in found]) >= 0.95
    assert np.mean([each.ratio for each in found]) == pytest.approx(1.1, rel=0.01)
    covered = [each.interval.low <= 1.1 <= each.interval.high for each in found]
    assert np.mean(covered) == pytest.approx(found[0].interval.coverage, abs=0.03)


@pytest.mark.parametrize("sizes", [(4, 4), (5, 9), (10, 10), (25, 26), (40, 40)])
def test_the_interval_is_what_the_test_does_not_rule_out(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(6)
    before, after = (random.lognormal(0, 0.3, size) for size in sizes)
    interval = difference(before, after).interval
    for end, outwards in ((interval.low, 0.999), (interval.high, 1.001)):
        assert rank_test(before / (end / outwards), after) > LEVEL * 0.97
        assert rank_test(before / (end * outwards), after) <= LEVEL * 1.02


def test_an_outlier_moves_the_ratio_hardly() -> None:
    before, after = [100, 101, 102, 103, 104, 105], [50, 50.5, 51, 51.5, 52, 5000]
    assert difference(before, after).ratio == pytest.approx(2, rel=0.02)


def test_sides_swapped_invert_the_ratio() -> None:
    there, back = difference([3, 5, 4], [2, 1, 2]), difference([2, 1, 2], [3, 5, 4])
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.interval.low == pytest.approx(1 / back.interval.high)
    assert there.p == back.p


@pytest.mark.parametrize(("launches", "coverage"), [(1, 0), (2, 1 - 2 / 6), (3, 0.9)])
def test_of_too_few_launches_the_interval_has_all_ratios(launches: int, coverage: float) -> None:
    found = difference([4.0, 6.0, 8.0][:launches], [2.0] * launches)
    assert found.interval.low == pytest.approx(2)
    assert found.interval.high == pytest.approx(2 + launches - 1)
    assert found.interval.coverage == pytest.approx(coverage)
    assert found.p > LEVEL


def test_times_that_are_all_the_same_do_not_differ() -> None:
    found = difference([40, 40, 40], [40, 40, 40])
    assert (found.ratio, found.p) == (1, 1)


def test_shares_are_as_far_from_each_other_as_their_pairs() -> None:
    before, after = [0.5, -0.1, 0.4, 0.6, 0.3], [0.2, 0.1, 0.0, -0.2, 0.25]
    found = shift(before, after)
    # The median of differences is the logarithm of that of ratios, and so are the ends.
    times = [[exp(each) for each in side] for side in (before, after)]
    same = difference(times[0], times[1])
    ends = (log(same.interval.low), log(same.interval.high))
    assert found.by == pytest.approx(log(same.ratio))
    assert (found.interval.low, found.interval.high) == pytest.approx(ends)
    assert (found.interval.coverage, found.p) == (same.interval.coverage, same.p)
    assert shift(after, before).by == pytest.approx(-found.by)


def test_a_time_of_zero_has_no_ratio() -> None:
    with pytest.raises(ValueError, match="positive"):
        difference([0.0, 1.0], [1.0])


def test_values_below_zero_have_ranks() -> None:
    assert rank_test([-5, -4, -3, -2], [1, 2, 3, 4]) == pytest.approx(2 / 70)
    assert rank_test([-5, -4, -3, -2], [1, 2, 3, 4], greater=True) == pytest.approx(1 / 70)
    assert rank_test([1, 2, 3, 4], [-5, -4, -3, -2], greater=True) == 1


def test_holms_correction_is_that_of_its_paper() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([0.9, 0.6]) == [1, 1]
    assert adjusted([0.03]) == [0.03]
    assert adjusted([]) == []


@pytest.mark.parametrize(("comparisons", "launches"), [(1, 4), (10, 6), (40, 7)])
def test_with_fewer_launches_nothing_could_be_found(comparisons: int, launches: int) -> None:
    assert launches_needed(comparisons) == launches
    for each, decides in ((launches - 1, False), (launches, True)):
        p_values = [rank_test(range(each), range(100, 100 + each))] + [1.0] * (comparisons - 1)
        assert (min(adjusted(p_values)) <= LEVEL) is decides


@pytest.mark.parametrize(
    ("comparisons", "greater", "launches"), [(1, False, 4), (1, True, 3), (38, False, 7)]
)
def test_fewer_launches_cannot_differ(comparisons: int, greater: bool, launches: int) -> None:
    assert launches_needed(comparisons, greater=greater) == launches
    assert can_differ(launches, launches, comparisons, greater=greater)
    assert not can_differ(launches - 1, launches - 1, comparisons, greater=greater)
    low, high = [1.0] * launches, [2.0] * launches
    assert rank_test(low, high, greater=greater) * comparisons <= 0.05
