"""Patterns of late ranks."""

import numpy as np
import pytest

from stretto.errors import InputError
from stretto.model.arrivals import PATTERNS, Arrivals


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("ranks", [1, 2, 7, 1000])
def test_nobody_is_later_than_was_asked(pattern: str, ranks: int) -> None:
    times = Arrivals(pattern, 500.0).times(ranks, seed=3)
    assert times.shape == (ranks,)
    assert times.min() >= 0
    assert times.max() <= 500.0
    assert np.array_equal(times, Arrivals(pattern, 500.0).times(ranks, seed=3))


def test_patterns_are_what_they_are_called() -> None:
    assert Arrivals("first", 9).times(3, 1).tolist() == [9, 0, 0]
    assert Arrivals("last", 9).times(3, 1).tolist() == [0, 0, 9]
    assert Arrivals("ascending", 9).times(4, 1).tolist() == [0, 3, 6, 9]
    assert Arrivals("descending", 9).times(4, 1).tolist() == [9, 6, 3, 0]
    assert Arrivals("half", 9).times(4, 1).tolist() == [0, 0, 9, 9]
    assert not np.array_equal(Arrivals("random", 9).times(8, 1), Arrivals("random", 9).times(8, 2))


def test_an_unknown_pattern_is_told_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown arrival pattern 'late': first, last"):
        Arrivals("late", 1).times(2, 1)
