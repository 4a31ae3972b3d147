"""How long something takes, from launches: their median, and how well that is known.

A launch is one sample: repetitions within it share its processes' places, memory and connections,
so more of them say nothing about another launch (Hunold and Carpen-Amarie, "Reproducible MPI
benchmarking is still not as easy as you think", IEEE TPDS 27(12), 2016).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf

from stretto.stats.summary import median

LEVEL = 0.95
# With fewer values no interval of the median has that coverage, whatever was measured.
FEWEST = 6


@dataclass(frozen=True)
class Interval:
    """Holds the true value with a probability of `coverage`."""

    low: float
    high: float
    coverage: float


@dataclass(frozen=True)
class Estimate:
    """The median of launches' medians, in their unit, and the interval of the true one."""

    median: float
    interval: Interval
    launches: int

    @property
    def relative_width(self) -> float:
        """The interval's width over the median: 0.05 is 5 %."""
        width = self.interval.high - self.interval.low
        if width == 0:
            return 0.0
        return width / self.median if self.median > 0 else inf


def estimate(launches: Sequence[float]) -> Estimate:
    """The median of at least one launch's median, with its interval."""
    return Estimate(median(launches), median_interval(launches), len(launches))


def enough(launches: Sequence[float], relative_width: float) -> bool:
    """The median is known to `relative_width` of itself (0.05 is 5 %): no more launches are needed.

    Never with less than LEVEL's coverage. Who asks after each launch stops a little more often
    where values lie together by chance: skewed ones' interval then covered 94 % (in the test).
    """
    if len(launches) < FEWEST:
        return False
    return estimate(launches).relative_width <= relative_width


def median_interval(values: Sequence[float]) -> Interval:
    """The shortest interval between order statistics that covers LEVEL, else the whole spread.

    How many of n independent values lie below their median is binomial, whatever they are
    distributed like: the k-th smallest and the k-th largest have it between them but for twice
    the chance that fewer than k do (Le Boudec, "Performance Evaluation of Computer and
    Communication Systems", 2010, 2.2). A bootstrap of so few values promises what it does not keep.
    """
    if not values:
        raise ValueError("no values")
    ordered, count = sorted(values), len(values)
    outside, below = 0.5 ** (count - 1), 1  # twice the chance that fewer than `below` are below
    while below < count // 2:
        wider = outside + comb(count, below) * 0.5 ** (count - 1)
        if 1 - wider < LEVEL:
            break
        outside, below = wider, below + 1
    return Interval(ordered[below - 1], ordered[-below], 1 - outside)
