"""A run of stretto bench held against self-consistent performance guidelines."""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto.data.bench_plan import (
    COMPUTE,
    ELEMENT_BYTES,
    ONLY_BLOCKING,
    BenchCell,
    Form,
    function_of,
)
from stretto.errors import InputError
from stretto.report.bench import BenchResult
from stretto.report.bench_tuned import why_no_rule
from stretto.stats.difference import can_differ, launches_needed
from stretto.stats.guidelines import (
    MONOTONY,
    SPLITTING,
    GuidelineTest,
    GuidelineVerdict,
    Timed,
    Times,
    Unchecked,
    guideline_tests,
    judged,
)
from stretto.stats.rank_classes import slowest_of_launches

By = tuple[str, str]  # the implementation and the form


@dataclass(frozen=True)
class GuidelineResult:
    """What was checked, and what could not be."""

    checked: list[tuple[By, GuidelineVerdict]]
    unchecked: list[tuple[By, Unchecked]]
    least: float
    warnings: list[str]

    @property
    def violated(self) -> list[tuple[By, GuidelineVerdict]]:
        """The worst first."""
        found = [each for each in self.checked if each[1].is_violated(self.least)]
        return sorted(found, key=lambda each: -each[1].factor)


def check_guidelines(result: BenchResult, least: float) -> GuidelineResult:
    """Each implementation and form by itself; `least` is a share: 0.05 is 5 %.

    Raises InputError where nothing was measured that guidelines are about.
    """
    plan = result.record.plan
    tests: list[tuple[By, GuidelineTest]] = []
    unchecked: list[tuple[By, Unchecked]] = []
    times = _times_of(result)
    for by, mine in times.items():
        found, missing = guideline_tests(mine, plan.ranks, _formless(times, by))
        tests += [(by, each) for each in found]
        unchecked += [(by, each) for each in missing]
    if not tests:
        raise InputError(
            "the run has nothing that guidelines are about: stretto bench run --plan guidelines "
            "measures what they need"
        )
    verdicts = judged([test for _, test in tests])
    checked = [(by, verdict) for (by, _), verdict in zip(tests, verdicts, strict=True)]
    warnings = [*result.warnings]
    launches = max(len(test.took) for _, test in tests)
    if not can_differ(launches, launches, len(tests), greater=True):
        warnings.append(
            f"with {launches} launches no violation can be shown among {len(tests)} that are "
            f"checked, however large: launch {launches_needed(len(tests), greater=True)}"
        )
    return GuidelineResult(checked, unchecked, least, warnings)


def _times_of(result: BenchResult) -> Mapping[By, dict[Timed, dict[int, float]]]:
    plan = result.record.plan
    cells = {cell.number: cell for cell in plan.cells}
    found: dict[By, dict[Timed, dict[int, float]]] = {}
    for row in slowest_of_launches(result.launches).iter_rows(named=True):
        cell = cells[row["cell"]]
        if (what := _timed(cell, plan.ranks)) is not None:
            times = found.setdefault((row["implementation"], str(cell.form)), {})
            times.setdefault(what, {})[row["launch"]] = row["duration_ns"]
    return found


def _formless(times: Mapping[By, Times], by: By) -> Times:
    """What has no form but the blocking one, and is called beside others of any form."""
    blocking = times.get((by[0], str(Form.BLOCKING)), {})
    return {what: took for what, took in blocking.items() if what.operation in ONLY_BLOCKING}


def _timed(cell: BenchCell, ranks: int) -> Timed | None:
    """What a cell is to guidelines; None where work, delays or other communicators are in it."""
    special = (cell.compute_ns, cell.tests, any(cell.delays_ns), cell.fresh, cell.in_place)
    if cell.operation == COMPUTE or cell.comm != "world" or any(special):
        return None
    if not cell.counts:
        return Timed(cell.operation, cell.bytes, cell.of_root)
    if len(cell.counts) == ranks and cell.counts[0] > 0 and not any(cell.counts[1:]):
        return Timed(cell.operation, cell.counts[0] * ELEMENT_BYTES[cell.datatype], of_root=True)
    return None


def remedy(test: GuidelineTest, form: str) -> str:
    """What can be done where the guideline is violated."""
    first, times = test.instead[0], len(test.instead)
    if test.guideline.startswith(MONOTONY):
        words = f"pad to {first.bytes} B"
    elif test.guideline.startswith(SPLITTING):
        words = f"call it {times} times with {first.bytes} B each"
    else:
        words = f"call {' and '.join(_call(part, form) for part in test.instead)}"
    if test.algorithm:
        return f"{words}, or stretto run --algorithm {test.operation}={test.algorithm}"
    return words if why_no_rule("native", form, test.operation) else f"{words}, or stretto tune"


def _call(part: Timed, form: str) -> str:
    counts = " with no elements but the root's" if part.of_root else ""
    return f"{function_of(part.operation, form)}{counts}"
