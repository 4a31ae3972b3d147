"""Sizes at which a collective suddenly takes longer, or less long, than its trend lets expect.

The trend is that of LogGP, a constant and a slope over bytes, in pieces, as algorithms, protocols
and caches change with the size. Where the lines of two pieces cross between neighbouring sizes,
that is a bend, which every trend has. Where they do not, no bend explains the step: a cliff, such
as Lastovetsky and O'Flynn saw in gather ("A performance model of many-to-one collective
communications for parallel computing", IPDPS 2007).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import hypot, log, sqrt

import numpy as np
from numpy.typing import NDArray

from stretto.stats.difference import rank_test
from stretto.stats.estimate import LEVEL
from stretto.stats.partition import first_parts, last_parts
from stretto.stats.summary import DEVIATION_OF_MAD, ERROR_OF_MEDIAN, median

LEAST_FACTOR = 1.5
# With fewer launches of a size the rank test cannot tell it from another.
FEWEST_LAUNCHES = 4
WITHIN_BYTES = 64

# How many standard errors off a piece may be: the rank test adds the noise of the two sizes.
_ERRORS = 2.0
# Of a time: how far sizes lie off any line, however often they are measured.
_OFF_LINE = 0.03
# From one piece to the next a slope may grow to so many times itself: to beyond a cache, say.
_STEEPER = 4.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trend:
    """What sizes of one piece take: `ns` at `bytes`, and as much more for each byte more."""

    bytes: float
    ns: float
    ns_per_byte: float

    def at(self, size: float) -> float:
        """Nanoseconds at `size` bytes; never quite 0."""
        return max(self.ns + self.ns_per_byte * (size - self.bytes), 1e-3 * self.ns)


@dataclass(frozen=True)
class Cliff:
    """A jump between two sizes, by `factor` over the trend: below 1 the larger one is faster.

    `below` is the trend up to the one, `above` that from the other on. Wherever between them one
    gives way to the other, it is by `factor` at least (at most, where it is below 1).
    """

    low: int  # bytes
    high: int
    factor: float
    below: Trend
    above: Trend


def cliffs(times: Mapping[int, Sequence[float]], least_factor: float = LEAST_FACTOR) -> list[Cliff]:
    """The cliffs of one implementation and rank class, by size.

    `times` are launch medians (ns, above 0) by bytes, of any number of sizes. A cliff is a jump by
    at least `least_factor`, up or down. That noise did not make it, a rank test at 5 % says, of the
    launches at the one size, times as large a step as the trend may have within two of its
    standard errors, against those at the other; it takes FEWEST_LAUNCHES of either.
    """
    sizes = sorted(times)
    if not sizes:
        return []
    if min(map(min, times.values())) <= 0:
        raise ValueError("a trend needs positive times")
    curve = _Curve(
        np.array(sizes, dtype=float),
        np.array([median(times[size]) for size in sizes]),
        _relative_error([times[size] for size in sizes]),
    )
    found = []
    for (low, high), (left, right) in zip(pairwise(sizes), curve.neighbours(), strict=True):
        below, above = left.beside(right), right.beside(left)
        factor = _factor([above.at(size) / below.at(size) for size in (low, high)])
        if max(factor, 1 / factor) < least_factor:
            continue
        # What of the step no bend explains, however far off the lines are.
        reaches = [(left.reach(size, right), right.reach(size, left)) for size in (low, high)]
        sure = (
            min(r_least / l_most for (_, l_most), (r_least, _) in reaches)
            if factor > 1
            else max(r_most / l_least for (l_least, _), (_, r_most) in reaches)
        )
        expected = np.asarray(times[low], dtype=float) * above.at(high) / below.at(low) / sure
        sides = [expected.tolist(), [*times[high]]]
        less, more = sides if factor > 1 else reversed(sides)
        if 2 * rank_test(less, more, greater=True) <= 1 - LEVEL:
            found.append(Cliff(low, high, factor, below, above))
    return found


def next_size(low: int, high: int, within: int = WITHIN_BYTES, granule: int = 1) -> int | None:
    """The size to measure next, to find between which two `within` bytes apart a cliff is.

    A multiple of `granule`, that of an element, near the middle; None where both are near enough
    or none lies between.
    """
    if high - low <= within:
        return None
    middle = max((low + high) // 2 // granule, low // granule + 1) * granule
    return middle if middle < high else None


def narrowed(cliff: Cliff, size: int, times: Sequence[float]) -> Cliff:
    """The part of a cliff beside `size` that has the jump, by that size's launch medians (ns).

    It belongs to the side whose trend is nearer, by its logarithm.
    """
    took = log(median(times))
    distances = [abs(took - log(trend.at(size))) for trend in (cliff.below, cliff.above)]
    if distances[0] <= distances[1]:
        return replace(cliff, low=size)
    return replace(cliff, high=size)


@dataclass(frozen=True)
class _Piece:
    """Sizes on one line; errors are standard ones."""

    sizes: int
    trend: Trend
    ns_error: float
    slope_error: float

    def beside(self, other: "_Piece") -> Trend:
        """A single size has the slope of its neighbour, but at most one in proportion to it."""
        if self.sizes > 1:
            return self.trend
        slope = self._proportional
        if other.sizes > 1:
            slope = min(slope, other.trend.ns_per_byte)
        return replace(self.trend, ns_per_byte=slope)

    def reach(self, size: float, other: "_Piece") -> tuple[float, float]:
        """The least and the most that this line may be at `size`."""
        away = size - self.trend.bytes
        if self.sizes > 1:
            value = self.trend.at(size)
            error = _ERRORS * hypot(self.ns_error, self.slope_error * away)
            ends = (value - error, value + error)
        else:
            steepest = max(self._proportional, _STEEPER * other.trend.ns_per_byte)
            flat, steep = self.trend.ns, self.trend.ns + steepest * away
            ends = (min(flat, steep), max(flat, steep))
        return max(ends[0], 1e-3 * self.trend.ns), ends[1]

    @property
    def _proportional(self) -> float:
        return self.trend.ns / max(self.trend.bytes, 1)


@dataclass(frozen=True)
class _Curve:
    """Sizes, their medians, and the relative standard error of each of these."""

    bytes: Floats
    ns: Floats
    error: float

    def neighbours(self) -> list[tuple["_Piece", "_Piece"]]:
        """For each two sizes side by side, the piece up to the one and that from the other on.

        Smaller and larger sizes are cut into pieces without regard to each other, as few as explain
        their medians: a piece is worth its three parameters (BIC).
        """
        count, cost = len(self.bytes), self._costs()
        begins = last_parts(cost, 3 * log(count))[:-1]
        ends = first_parts(cost, 3 * log(count))[1:]
        return [
            (self._fit(begin, at), self._fit(at, end))
            for at, begin, end in zip(range(1, count), begins, ends, strict=True)
        ]

    def _fit(self, begin: int, end: int) -> _Piece:
        lines = self._lines(begin)
        at = end - begin - 1
        lever = float(lines.lever[at])
        return _Piece(
            sizes=end - begin,
            trend=Trend(float(lines.centre[at]), float(lines.level[at]), float(lines.slope[at])),
            ns_error=float(lines.weight[at]) ** -0.5,
            slope_error=lever**-0.5 if end - begin > 1 else 0.0,
        )

    def _costs(self) -> Floats:
        """The squares of deviations of each piece's line, as `last_parts` takes them."""
        count = len(self.bytes)
        cost = np.zeros((count + 1, count + 1))
        for begin in range(count):
            cost[begin, begin + 1 :] = self._lines(begin).squares
        return cost

    def _lines(self, begin: int) -> "_Lines":
        """Lines of least squares of relative deviations, which do not fall, nor rise so steeply
        from one size on that they could stand for a jump."""
        # From the first size on, so that sizes far along and near each other do not cancel out.
        size, ns = self.bytes[begin:] - self.bytes[begin], self.ns[begin:]
        weight = 1 / (self.error * ns) ** 2
        total = np.cumsum(weight)
        centre, level = np.cumsum(weight * size) / total, np.cumsum(weight * ns) / total
        lever = np.cumsum(weight * size**2) - total * centre**2
        common = np.cumsum(weight * size * ns) - total * centre * level
        slope = np.divide(common, lever, out=np.zeros_like(lever), where=np.arange(len(lever)) > 0)
        slope = np.clip(slope, 0, _STEEPER * ns[0] / max(self.bytes[begin], 1))
        squares = np.cumsum(weight * ns**2) - total * level**2
        squares += slope * (slope * lever - 2 * common)
        centre += self.bytes[begin]
        return _Lines(total, centre, level, lever, slope, np.maximum(squares, 0))


@dataclass(frozen=True)
class _Lines:
    """The lines of all pieces that begin at one size, by where they end."""

    weight: Floats
    centre: Floats
    level: Floats
    lever: Floats
    slope: Floats
    squares: Floats


def _factor(ratios: Sequence[float]) -> float:
    """What of both is a jump; lines that cross between make a bend. In between, their ratio goes
    from the one to the other and never back."""
    if min(ratios) > 1:
        return min(ratios)
    return max(ratios) if max(ratios) < 1 else 1.0


def _relative_error(launches: Sequence[Sequence[float]]) -> float:
    """That of a size's median, from how launches of each size are spread."""
    squares = []
    for each in launches:
        logs = np.log(np.asarray(each, dtype=float))
        spread = DEVIATION_OF_MAD * float(np.median(np.abs(logs - np.median(logs))))
        squares.append((ERROR_OF_MEDIAN * spread) ** 2 / len(each))
    return max(sqrt(float(np.mean(squares))), _OFF_LINE)
