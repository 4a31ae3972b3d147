"""How much faster one side was, from runs made in pairs.

Runs of a pair are neighbours in time, so what slows the machine for a while slows both,
and their ratio is steadier than either.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stretto.stats.summary import Summary, quantile, summary

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """Holds the true median with 95% confidence."""

    low: float
    high: float


@dataclass(frozen=True)
class Ratio:
    """Paired ratios: their spread, and where repeated, the interval of their median."""

    spread: Summary
    interval: Interval | None

    @property
    def decided(self) -> bool:
        """The interval leaves no doubt which side was faster."""
        return self.interval is not None and not self.interval.low <= 1 <= self.interval.high


def paired_ratio(before: Sequence[float], after: Sequence[float], seed: int = 0) -> Ratio:
    """The ratios before/after, pair by pair: above 1, `after` took less."""
    if len(before) != len(after):
        raise ValueError(f"{len(before)} values cannot be paired with {len(after)}")
    if min(*before, *after) <= 0:
        raise ValueError("a ratio needs positive times")
    ratios = [first / second for first, second in zip(before, after, strict=True)]
    return Ratio(summary(ratios), bootstrap_median(ratios, seed) if len(ratios) > 1 else None)


def bootstrap_median(values: Sequence[float], seed: int) -> Interval:
    """Percentile bootstrap of the median: no assumption on how the values are distributed."""
    draws = np.random.default_rng(seed).choice(np.asarray(values), (RESAMPLES, len(values)))
    medians = np.median(draws, axis=1).tolist()
    tail = (1 - LEVEL) / 2
    return Interval(quantile(medians, tail), quantile(medians, 1 - tail))
