"""How much faster one side was, from runs made in pairs.

Runs of a pair are neighbours in time, so what slows the machine for a while slows both,
and their ratio is steadier than either.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from stretto.stats.estimate import FEWEST, LEVEL, Interval, median_interval
from stretto.stats.summary import Summary, summary

ENOUGH_PAIRS = FEWEST


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
