import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.stats.summary import median, quantile, summary

values = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=50)


def test_median_of_even_and_odd() -> None:
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5


def test_quantile_interpolates() -> None:
    assert quantile([0, 10], 0.25) == 2.5
    assert quantile([5, 1, 3], 0) == 1
    assert quantile([5, 1, 3], 1) == 5


def test_no_values_have_no_quantile() -> None:
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)


@given(values)
def test_summary_is_ordered_and_made_of_the_values(sample: list[float]) -> None:
    found = summary(sample)
    assert found.minimum <= found.median <= found.maximum
    assert (found.minimum, found.maximum, found.count) == (min(sample), max(sample), len(sample))


@given(values, st.randoms(use_true_random=False))
def test_order_does_not_matter(sample: list[float], random) -> None:
    shuffled = sample.copy()
    random.shuffle(shuffled)
    assert summary(shuffled) == summary(sample)


@given(values, st.floats(0, 1))
def test_a_quantile_has_its_share_of_values_on_either_side(sample: list[float], p: float) -> None:
    found = quantile(sample, p)
    slack = 1e-9 * max(sample)
    assert sum(value <= found + slack for value in sample) >= p * (len(sample) - 1)
    assert sum(value >= found - slack for value in sample) >= (1 - p) * (len(sample) - 1)
