"""What takes longer than it did, beyond chance: for a CI to ask, of whatever has launches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from stretto.stats.difference import (
    adjusted,
    can_differ,
    difference,
    launches_needed,
    rank_test,
    shift,
)
from stretto.stats.estimate import LEVEL, Interval
from stretto.stats.summary import median

Row = TypeVar("Row")
# Of each launch a time in ns, or a share, of the baseline and of the run.
Pair = tuple[Row, Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Checked(Generic[Row]):
    """One thing of the baseline that the run has, too. Times are in ns.

    Where times have other things in them (`shift`) it is a share of what could be hidden that was,
    from 0 to 1, that is lower now by so much; the interval is of that, and there is no factor.
    """

    row: Row  # the run's
    before: float
    after: float
    factor: float | None  # how many times as long it takes now
    interval: Interval
    p: float  # that it takes so much longer by chance, corrected for all that are checked
    shift: float | None = None

    def is_worse(self, least: float) -> bool:
        """It takes longer, or hides less, beyond chance, and by that share at least."""
        if self.factor is None:
            by, nothing = self.shift or 0.0, 0.0
        else:
            by, nothing = self.factor - 1, 1.0
        return self.p <= 1 - LEVEL and self.interval.low > nothing and by >= least


@dataclass(frozen=True)
class CheckResult(Generic[Row]):
    """A run against its baseline."""

    checked: list[Checked[Row]]
    least: float
    missing: list[str]  # what only the baseline has, and why where that is known
    warnings: list[str]
    # What the run should have, too, and has not, or not to be trusted: it hung, failed, was wrong.
    lost: list[str] = field(default_factory=list)

    @property
    def worse(self) -> list[Checked[Row]]:
        """The worst first."""
        found = [each for each in self.checked if each.is_worse(self.least)]
        return sorted(found, key=lambda each: -(each.factor or 1 + (each.shift or 0)))

    @property
    def passes(self) -> bool:
        """Nothing is worse, and nothing is lost."""
        return not self.worse and not self.lost


def checked(pairs: Sequence[Pair[Row]], hidden: Sequence[Pair[Row]] = ()) -> list[Checked[Row]]:
    """All of them, by a rank test of one side with Holm's correction: times, which are above 0, and
    shares that were hidden."""
    chances = [rank_test(old, new, greater=True) for _, old, new in pairs]
    chances += [rank_test(new, old, greater=True) for _, old, new in hidden]
    corrected = iter(adjusted(chances))
    found = [_checked(*pair, next(corrected)) for pair in pairs]
    return found + [_checked_share(*pair, next(corrected)) for pair in hidden]


def _checked_share(row: Row, old: Sequence[float], new: Sequence[float], p: float) -> Checked[Row]:
    less = shift(old, new)
    return Checked(row, median(old), median(new), None, less.interval, p, less.by)


def _checked(row: Row, old: Sequence[float], new: Sequence[float], p: float) -> Checked[Row]:
    found = difference(new, old)
    return Checked(row, median(old), median(new), found.ratio, found.interval, p)


def too_few(pairs: Sequence[Pair[Row]]) -> Iterator[str]:
    """That there are so few launches that nothing could be worse, whatever it takes."""
    counts = [(len(old), len(new)) for _, old, new in pairs]
    if not any(can_differ(*each, len(pairs), greater=True) for each in counts):
        needed = launches_needed(len(pairs), greater=True)
        yield (
            f"with {min(map(min, counts))} launches on a side nothing can be shown to be worse "
            f"among {len(pairs)} that are checked, however much: launch {needed} on each, or "
            "measure less"
        )
