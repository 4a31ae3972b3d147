"""Whether a run of stretto bench is worse than one before it, for a CI to ask."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stretto.errors import InputError
from stretto.report.bench import BenchResult, BenchRow
from stretto.report.bench_comparison import paired_rows, plain_cell, row_words
from stretto.stats.difference import (
    adjusted,
    can_differ,
    difference,
    launches_needed,
    rank_test,
)
from stretto.stats.estimate import LEVEL, Interval


@dataclass(frozen=True)
class Checked:
    """One thing of the baseline that the run has, too. Times are in ns."""

    row: BenchRow  # the run's
    before: float
    after: float
    factor: float  # how many times as long it takes now
    interval: Interval
    p: float  # that it takes so much longer by chance, corrected for all that are checked

    def is_worse(self, least: float) -> bool:
        """It takes longer beyond chance, and by that share at least."""
        beyond = self.p <= 1 - LEVEL and self.interval.low > 1
        return beyond and self.factor >= 1 + least


@dataclass(frozen=True)
class CheckResult:
    """A run against its baseline."""

    checked: list[Checked]
    least: float
    missing: list[str]  # what only the baseline has, and why where that is known
    warnings: list[str]

    @property
    def worse(self) -> list[Checked]:
        """The worst first."""
        found = [each for each in self.checked if each.is_worse(self.least)]
        return sorted(found, key=lambda each: -each.factor)


def check(baseline: BenchResult, run: BenchResult, least: float) -> CheckResult:
    """Each implementation against the one of its name; `least` is a share: 0.05 is 5 %.

    Raises InputError where the runs have nothing in common.
    """
    ranks = baseline.record.plan.ranks, run.record.plan.ranks
    if ranks[0] != ranks[1]:
        raise InputError(f"the baseline has {ranks[0]} ranks and the run {ranks[1]}")
    pairs: list[tuple[BenchRow, BenchRow]] = []
    missing: list[str] = []
    for way in baseline.record.plan.implementations:
        both, lost, _ = paired_rows(baseline, run, (way, way))
        # A time of 0 ns is one that the clock does not show.
        pairs += [pair for pair in both if min(*pair[0].launches, *pair[1].launches) > 0]
        missing += [f"{row_words(row)}{_why(row, run)}" for row in lost]
    if not pairs:
        raise InputError("nothing of the baseline is in the run")
    chances = [rank_test(old.launches, new.launches, greater=True) for old, new in pairs]
    checked = [
        _checked(old, new, p) for (old, new), p in zip(pairs, adjusted(chances), strict=True)
    ]
    return CheckResult(checked, least, missing, [*run.warnings, *_too_few(pairs)])


def _checked(old: BenchRow, new: BenchRow, p: float) -> Checked:
    found = difference(new.launches, old.launches)
    return Checked(new, old.time.median, new.time.median, found.ratio, found.interval, p)


def _why(row: BenchRow, run: BenchResult) -> str:
    """Why the run has no such row, as far as its launches say."""
    for implementation, cell, state in run.not_measured:
        if implementation == row.implementation and plain_cell(cell) == plain_cell(row.cell):
            return f" ({state.state}: {state.why})" if state.why else f" ({state.state})"
    return ""


def _too_few(pairs: Sequence[tuple[BenchRow, BenchRow]]) -> Iterator[str]:
    counts = [(len(old.launches), len(new.launches)) for old, new in pairs]
    if not any(can_differ(*each, len(pairs), greater=True) for each in counts):
        needed = launches_needed(len(pairs), greater=True)
        yield (
            f"with {min(map(min, counts))} launches on a side nothing can be shown to be worse "
            f"among {len(pairs)} that are checked, however much: launch {needed} on each, or "
            "measure less"
        )
