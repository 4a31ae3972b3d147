"""Whether a run of stretto bench is worse than one before it."""

from collections.abc import Iterator

import msgspec

from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.errors import InputError
from stretto.report.bench import TOO_FEW_VALID, BenchResult, BenchRow
from stretto.report.bench_pairs import paired, planned_cell, row_words
from stretto.report.cell_words import cell_words
from stretto.report.unlike_runs import unlike
from stretto.report.worse import CheckResult, Pair, checked, too_few


def check(baseline: BenchResult, run: BenchResult, least: float) -> CheckResult[BenchRow]:
    """Each implementation against the one of its name; `least` is a share: 0.05 is 5 %.

    Raises InputError where the runs have nothing in common.
    """
    ranks = baseline.record.plan.ranks, run.record.plan.ranks
    if ranks[0] != ranks[1]:
        raise InputError(f"the baseline has {ranks[0]} ranks and the run {ranks[1]}")
    pairs: list[Pair[BenchRow]] = []
    hidden: list[Pair[BenchRow]] = []
    missing: list[str] = []
    for way in baseline.record.plan.implementations:
        both = paired(baseline, run, (way, way))
        # A time of 0 ns is one that the clock does not show.
        pairs += [
            (new, old.launches, new.launches)
            for old, new in both.times
            if min(*old.launches, *new.launches) > 0
        ]
        hidden += [(each.rows[1], *each.shares) for each in both.hidden]
        missing += [f"{row_words(row)}{_why(row, run)}" for row in both.only[0]]
    lost = [*dict.fromkeys(_lost(baseline, run))]
    if not (pairs or hidden or lost):
        raise InputError("nothing of the baseline is in the run")
    doubts = [
        *unlike([baseline.record, run.record]),
        *run.warnings,
        *(too_few([*pairs, *hidden]) if pairs or hidden else []),
    ]
    return CheckResult(checked(pairs, hidden), least, missing, doubts, lost)


def _lost(baseline: BenchResult, run: BenchResult) -> Iterator[str]:
    """What hung, failed, was wrong, skipped or invalid in the run, and was not in the baseline.

    A launch of ten is enough: the times of the other nine say nothing about a hang.
    """
    had = {_key(row.implementation, row.cell): row.valid for row in baseline.rows}
    has = {_key(row.implementation, row.cell): row for row in run.rows}
    known = {(*_key(way, cell), state.state) for way, cell, state in baseline.not_measured}
    for way, cell, state in run.not_measured:
        key = _key(way, cell)
        is_new = key not in has or (*key, state.state) not in known
        if key in had and is_new and cell.operation != COMPUTE:
            yield f"{_words(way, cell)}: {': '.join(filter(None, (state.state, state.why)))}"
    for key, row in has.items():
        if row.valid < TOO_FEW_VALID and had.get(key, 0) >= TOO_FEW_VALID:
            words = _words(row.implementation, row.cell)
            yield f"{words}: {row.valid:.0%} of its repetitions are valid, of {had[key]:.0%}"


def _key(implementation: str, cell: BenchCell) -> tuple[str, bytes]:
    return implementation, msgspec.json.encode(planned_cell(cell))


def _words(implementation: str, cell: BenchCell) -> str:
    return f"{' '.join(filter(None, (cell.name, cell_words(cell))))}, {implementation}"


def _why(row: BenchRow, run: BenchResult) -> str:
    """Why the run has no such row, as far as its launches say."""
    for implementation, cell, state in run.not_measured:
        if implementation == row.implementation and planned_cell(cell) == planned_cell(row.cell):
            return f" ({state.state}: {state.why})" if state.why else f" ({state.state})"
    return ""
