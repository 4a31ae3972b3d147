"""How much faster one side was, from runs made in pairs.

Runs of a pair are neighbours in time, so what slows the machine for a while slows both,
and their ratio is steadier than either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from stretto.stats.summary import Summary, summary

LEVEL = 0.95
# With fewer no interval of the median has that coverage, whatever was measured.
ENOUGH_PAIRS = 6


@dataclass(frozen=True)
class Interval:
    """Holds the true median with a probability of `coverage`."""

    low: float
    high: float
    coverage: float


@dataclass(frozen=True)
class Ratio:
    """Paired ratios: their spread, and where repeated, the interval of their median."""

    spread: Summary
    interval: Interval | None

    @property
    def decided(self) -> bool:
        """The interval covers enough, and leaves no doubt which side was faster."""
        found = self.interval
        return found is not None and found.coverage >= LEVEL and not found.low <= 1 <= found.high


def paired_ratio(before: Sequence[float], after: Sequence[float]) -> Ratio:
    """The ratios before/after, pair by pair: above 1, `after` took less."""
    if len(before) != len(after):
        raise ValueError(f"{len(before)} values cannot be paired with {len(after)}")
    if min(*before, *after) <= 0:
        raise ValueError("a ratio needs positive times")
    ratios = [first / second for first, second in zip(before, after, strict=True)]
    return Ratio(summary(ratios), median_interval(ratios) if len(ratios) > 1 else None)


def median_interval(values: Sequence[float]) -> Interval:
    """The shortest interval between order statistics that covers LEVEL, else the whole spread.

    How many of n independent values lie below their median is binomial, whatever they are
    distributed like: the k-th smallest and the k-th largest have it between them but for twice
    the chance that fewer than k do. A bootstrap of so few values promises what it does not keep.
    """
    ordered, count = sorted(values), len(values)
    outside, below = 0.5 ** (count - 1), 1  # twice the chance that fewer than `below` are below
    while below < count // 2:
        wider = outside + comb(count, below) * 0.5 ** (count - 1)
        if 1 - wider < LEVEL:
            break
        outside, below = wider, below + 1
    return Interval(ordered[below - 1], ordered[-below], 1 - outside)
