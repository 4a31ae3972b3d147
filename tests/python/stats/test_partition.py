from itertools import combinations

import numpy as np
import pytest

from stretto.stats.partition import first_parts, last_parts, partition


def squares(values: np.ndarray) -> np.ndarray:
    """Around the mean of each part."""
    count = len(values)
    cost = np.zeros((count + 1, count + 1))
    for begin in range(count):
        for end in range(begin + 1, count + 1):
            part = values[begin:end]
            cost[begin, end] = np.sum((part - part.mean()) ** 2)
    return cost


def total(cost: np.ndarray, begins: list[int], penalty: float) -> float:
    ends = [*begins[1:], len(cost) - 1]
    return sum(cost[begin, end] + penalty for begin, end in zip(begins, ends, strict=True))


def test_levels_are_parts() -> None:
    assert partition(squares(np.array([5.0, 5, 5, 1, 1, 9, 9, 9])), 1) == [0, 3, 5]


def test_nothing_has_no_parts() -> None:
    assert partition(np.zeros((1, 1)), 1) == []


@pytest.mark.parametrize("penalty", [0.01, 0.3, 2])
def test_no_other_partition_costs_less(penalty: float) -> None:
    cost = squares(np.random.default_rng(1).normal(0, 1, 8))
    found = total(cost, partition(cost, penalty), penalty)
    for parts in range(8):
        for inner in combinations(range(1, 8), parts):
            assert found <= total(cost, [0, *inner], penalty) + 1e-12


def test_the_first_part_is_the_last_one_backwards() -> None:
    cost = squares(np.array([5.0, 5, 5, 1, 1, 9, 9, 9]))
    assert last_parts(cost, 1) == [0, 0, 0, 3, 3, 5, 5, 5]
    assert first_parts(cost, 1) == [3, 3, 3, 5, 5, 8, 8, 8]
