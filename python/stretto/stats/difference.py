"""Whether two sets of launches differ, and by how much: no distribution is assumed of either.

The test is that of ranks (Mann and Whitney, 1947), by its exact permutation distribution where
values tie, too, as clocks tick; the effect and its interval are those that belong to it (Hodges
and Lehmann, "Estimates of location based on rank tests", 1963). One outlier moves neither far.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import comb, exp, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from stretto.stats.estimate import LEVEL, Interval

# Of so many launches of both sides the ways to deal them out are counted without rounding; with
# more the normal distribution is as good.
MOST_COUNTED = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """How many times as long one side took as the other.

    `ratio` is the median of the ratios of all pairs of launches, `interval` the ratios that the
    test does not rule out, `p` the chance of ranks as different as these where nothing differs.
    """

    ratio: float
    interval: Interval
    p: float


@dataclass(frozen=True)
class Shift:
    """By how much more one side has than the other, of what may be 0 or less and has no ratio.

    As `Difference` has them, of the differences of all pairs of launches.
    """

    by: float
    interval: Interval
    p: float


def difference(before: Sequence[float], after: Sequence[float]) -> Difference:
    """Times of `before` over those of `after`, at least one each: above 1, `after` took less.

    With too few launches for LEVEL the interval has all pairs' ratios, and says its coverage.
    """
    if min(*before, *after) <= 0:
        raise ValueError("a ratio needs positive times")
    logs = [np.log(np.asarray(side, dtype=float)) for side in (before, after)]
    middle, low, high, coverage = _differences(*logs)
    return Difference(
        exp(middle), Interval(exp(low), exp(high), coverage), rank_test(before, after)
    )


def shift(before: Sequence[float], after: Sequence[float]) -> Shift:
    """`before` less `after`, at least one each: above 0, `before` has more."""
    middle, low, high, coverage = _differences(*map(np.asarray, (before, after)))
    return Shift(middle, Interval(low, high, coverage), rank_test(before, after))


def rank_test(first: Sequence[float], second: Sequence[float], *, greater: bool = False) -> float:
    """The chance of ranks that differ as much, or by which `second` is so much the greater.

    Values, at least one each, may be of any sign, and may tie: they then share their ranks, and
    the p-value is exact given which do. scipy's exact test takes them for different, and its
    permutations take seconds where counting takes none.
    """
    if len(first) + len(second) > MOST_COUNTED:
        return _normal_test(first, second, greater=greater)
    ranks = _doubled_ranks(np.asarray([*second, *first], dtype=float))
    chosen = len(second)
    # Most have no ties, and all of them the same ranks.
    shares = _sums_of(tuple(np.sort(ranks).tolist()), chosen)
    away = np.arange(len(shares)) - chosen * (len(ranks) + 1)
    found = away[ranks[:chosen].sum()]
    as_far = away >= found if greater else abs(away) >= abs(found)
    return min(float(shares[as_far].sum()), 1.0)


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: of those at most 0.05, in 19 of 20 such sets none is there by chance.

    Holm, "A simple sequentially rejective multiple test procedure", 1979. It asks nothing about
    how the comparisons depend on each other; those of one launch do.
    """
    corrected, so_far = [0.0] * len(p_values), 0.0
    for passed, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, p_values[index] * (len(p_values) - passed)))
        corrected[index] = so_far
    return corrected


def launches_needed(comparisons: int, *, greater: bool = False) -> int:
    """The launches on each side with fewer of which no difference, however large, passes Holm's
    correction for so many comparisons; with `greater` by a test of one side."""
    return next(n for n in count(1) if can_differ(n, n, comparisons, greater=greater))


def can_differ(first: int, second: int, comparisons: int, *, greater: bool = False) -> bool:
    """Whether so many launches of the two sides can pass Holm's correction at all."""
    least = (1 if greater else 2) / comb(first + second, first)
    return least <= (1 - LEVEL) / comparisons


def _differences(before: Floats, after: Floats) -> tuple[float, float, float, float]:
    """Of all pairs: the median, the ends of the interval, and its coverage."""
    found = np.sort(np.subtract.outer(before, after), axis=None)
    left_out, coverage = _ends(len(before), len(after))
    ends = float(found[left_out]), float(found[-1 - left_out])
    return float(np.median(found)), *ends, coverage


def _doubled_ranks(values: Floats) -> NDArray[np.int64]:
    """Ranks from 1, twice each, so that a mean of ranks is whole."""
    _, which, tied = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.int64] = (2 * np.cumsum(tied) - tied + 1)[which]
    return ranks


@lru_cache
def _sums_of(ranks: tuple[int, ...], chosen: int) -> Floats:
    return _sums(np.asarray(ranks), chosen)


def _sums(ranks: NDArray[np.int64], chosen: int) -> Floats:
    """The chance of each sum (the index) of `chosen` of these, any as likely as any other.

    Streitberg and Röhmel, "Exact distributions for permutations and rank tests", 1986.
    """
    ways = np.zeros((chosen + 1, int(ranks.sum()) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, :-rank]
    share: Floats = ways[chosen] / ways[chosen].sum()
    return share


@lru_cache
def _ends(first: int, second: int) -> tuple[int, float]:
    """How many of the sorted pairs the interval leaves out at either end, and its coverage."""
    if first + second > MOST_COUNTED:
        pairs = first * second
        reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(pairs * (first + second + 1) / 12)
        return max(int(pairs / 2 - reach) - 1, 0), LEVEL
    lowest = second * (second + 1) // 2
    # At [k]: the chance that at most k pairs are on the far side of the true ratio, on one end.
    tail = np.cumsum(_sums(np.arange(1, first + second + 1), second)[lowest:])
    left_out = max(int(np.searchsorted(tail, (1 - LEVEL) / 2, side="right")) - 1, 0)
    return left_out, max(1 - 2 * float(tail[left_out]), 0.0)


def _normal_test(first: Sequence[float], second: Sequence[float], *, greater: bool) -> float:
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - it takes two seconds

    sides = np.asarray(second, dtype=float), np.asarray(first, dtype=float)
    if greater:
        return float(mannwhitneyu(*sides, alternative="greater", method="asymptotic").pvalue)
    return float(mannwhitneyu(*sides, alternative="two-sided", method="asymptotic").pvalue)
