"""Whether a run of stretto bench is worse than one before it."""

from stretto.errors import InputError
from stretto.report.bench import BenchResult, BenchRow
from stretto.report.bench_comparison import paired_rows, plain_cell, row_words
from stretto.report.worse import CheckResult, Pair, checked, too_few


def check(baseline: BenchResult, run: BenchResult, least: float) -> CheckResult[BenchRow]:
    """Each implementation against the one of its name; `least` is a share: 0.05 is 5 %.

    Raises InputError where the runs have nothing in common.
    """
    ranks = baseline.record.plan.ranks, run.record.plan.ranks
    if ranks[0] != ranks[1]:
        raise InputError(f"the baseline has {ranks[0]} ranks and the run {ranks[1]}")
    pairs: list[Pair[BenchRow]] = []
    missing: list[str] = []
    for way in baseline.record.plan.implementations:
        both, lost, _ = paired_rows(baseline, run, (way, way))
        # A time of 0 ns is one that the clock does not show.
        pairs += [
            (new, old.launches, new.launches)
            for old, new in both
            if min(*old.launches, *new.launches) > 0
        ]
        missing += [f"{row_words(row)}{_why(row, run)}" for row in lost]
    if not pairs:
        raise InputError("nothing of the baseline is in the run")
    return CheckResult(checked(pairs), least, missing, [*run.warnings, *too_few(pairs)])


def _why(row: BenchRow, run: BenchResult) -> str:
    """Why the run has no such row, as far as its launches say."""
    for implementation, cell, state in run.not_measured:
        if implementation == row.implementation and plain_cell(cell) == plain_cell(row.cell):
            return f" ({state.state}: {state.why})" if state.why else f" ({state.state})"
    return ""
