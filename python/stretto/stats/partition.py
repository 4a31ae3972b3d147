"""The best way to cut a sequence into parts, each described by a model of its own."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def partition(cost: Floats, penalty: float) -> list[int]:
    """Where the parts begin that cost least, each its own cost and the penalty.

    `cost` is as `last_parts` takes it. The first part begins at 0.
    """
    last = last_parts(cost, penalty)
    begins: list[int] = []
    end = len(last)
    while end > 0:
        end = last[end - 1]
        begins.append(end)
    return begins[::-1]


def last_parts(cost: Floats, penalty: float) -> list[int]:
    """Where the last part begins of the first element, of the first two, and so on.

    `cost` at [begin, end] is that of the part [begin, end) of n elements; it has n + 1 rows and
    columns, of which those with begin < end are looked at. All partitions are compared (Jackson et
    al., "An algorithm for optimal partitioning of data on an interval", IEEE Signal Processing
    Letters 12(2), 2005): n^2 steps.
    """
    count = len(cost) - 1
    least = np.zeros(count + 1)
    last = []
    for end in range(1, count + 1):
        totals = least[:end] + cost[:end, end] + penalty
        last.append(int(np.argmin(totals)))
        least[end] = totals[last[-1]]
    return last


def first_parts(cost: Floats, penalty: float) -> list[int]:
    """Where the first part ends of all elements, of all but the first, and so on."""
    count = len(cost) - 1
    last = last_parts(cost[::-1, ::-1].T, penalty)
    return [count - begin for begin in reversed(last)]
