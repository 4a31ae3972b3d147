import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.stats.ratio import ENOUGH_PAIRS, paired_ratio

times = st.floats(1e-6, 1e3)
pairs = st.lists(st.tuples(times, times), min_size=2, max_size=12)


def test_pairs_cancel_what_slows_both() -> None:
    ratio = paired_ratio([2.0, 20.0, 200.0] * 2, [1.0, 10.0, 100.0] * 2)
    assert (ratio.spread.minimum, ratio.spread.median, ratio.spread.maximum) == (2, 2, 2)
    assert ratio.interval is not None
    assert (ratio.interval.low, ratio.interval.high) == (2, 2)
    assert ratio.decided


def test_a_gain_is_above_one() -> None:
    assert paired_ratio([3.0], [2.0]).spread.median == 1.5


def test_one_pair_has_no_interval_and_decides_nothing() -> None:
    ratio = paired_ratio([3.0], [1.0])
    assert ratio.interval is None
    assert not ratio.decided


def test_ratios_on_both_sides_of_one_decide_nothing() -> None:
    assert not paired_ratio([1, 2, 1, 2], [2, 1, 2, 1]).decided


@pytest.mark.parametrize(("before", "after"), [([1.0], [1.0, 2.0]), ([0.0], [1.0]), ([1.0], [-1])])
def test_what_cannot_be_paired_is_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError, match=r"paired|positive"):
        paired_ratio(before, after)


@settings(max_examples=25)
@given(pairs)
def test_the_interval_lies_within_the_spread(sample: list[tuple[float, float]]) -> None:
    ratio = paired_ratio(*zip(*sample, strict=True))
    assert ratio.interval is not None
    slack = 1e-9 * ratio.spread.maximum
    assert ratio.spread.minimum - slack <= ratio.interval.low <= ratio.interval.high
    assert ratio.interval.high <= ratio.spread.maximum + slack


@settings(max_examples=25)
@given(pairs)
def test_sides_swapped_invert_the_ratio(sample: list[tuple[float, float]]) -> None:
    before, after = zip(*sample, strict=True)
    there, back = paired_ratio(before, after).spread, paired_ratio(after, before).spread
    assert there.minimum == pytest.approx(1 / back.maximum)


@pytest.mark.parametrize("pairs", [2, 3, 5])
def test_too_few_pairs_decide_nothing_however_clear_they_seem(pairs: int) -> None:
    assert not paired_ratio([2.0] * pairs, [1.0] * pairs).decided
    assert paired_ratio([2.0] * ENOUGH_PAIRS, [1.0] * ENOUGH_PAIRS).decided


@pytest.mark.parametrize("pairs", range(ENOUGH_PAIRS, 13))
def test_the_same_on_both_sides_decides_in_at_most_one_of_twenty_tries(pairs: int) -> None:
    random = np.random.default_rng(3)
    tries = [paired_ratio(*random.lognormal(0, 0.3, (2, pairs)).tolist()) for _ in range(200)]
    assert sum(ratio.decided for ratio in tries) <= 10
