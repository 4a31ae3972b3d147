"""What stretto tune measures: what options say, what a program calls, or what a benchmark found."""

from pathlib import Path

from stretto.cli.consoles import note
from stretto.cli.tune_options import (
    Subject,
    fitting,
    patterns_of,
    subjects_of,
    subjects_of_profile,
)
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchPlan, function_of
from stretto.errors import InputError
from stretto.report.bench import summarise
from stretto.report.bench_guidelines import By, check_guidelines
from stretto.report.bench_tuned import tuned_name, why_no_rule
from stretto.report.words import size as size_words
from stretto.stats.guidelines import GuidelineVerdict

_LEAST = 0.05  # as stretto bench guidelines has it unless another is given
Asked = tuple[str | None, str | None, str | None, str | None]


def subjects_for(asked: Asked, from_profile: Path | None, from_bench: Path | None) -> list[Subject]:
    """`asked` are ranks, sizes, collectives and patterns. Raises InputError."""
    if from_profile is not None and from_bench is not None:
        raise InputError("--from-profile and --from-bench: give one of them")
    if from_profile is not None:
        if any(asked):
            raise InputError(
                "--from-profile: ranks, sizes, collectives and patterns are the program's"
            )
        return subjects_of_profile(from_profile)
    if from_bench is not None:
        if any(asked):
            raise InputError("--from-bench: ranks, sizes, collectives and patterns are the run's")
        return subjects_of_bench(from_bench)
    return subjects_of(*asked)


def subjects_of_bench(run: Path) -> list[Subject]:
    """What violates a guideline in a run; of what no rule can mend a line is said.

    Beside a size that violates one the next ones of the run are measured, too: what wins there
    ends the rule, which would otherwise be for every size. Raises InputError.
    """
    result = summarise(BenchFolder(run))
    plan = result.record.plan
    found = check_guidelines(result, _LEAST)
    for line in _beyond_rules(found.violated):
        note(f"stretto: {line}")
    slow: dict[str, set[int]] = {}
    for (implementation, form), verdict in found.violated:
        test = verdict.test
        if why_no_rule(implementation, form, test.operation) is None:
            slow.setdefault(test.operation, set()).add(test.bytes)
    if not slow:
        if not found.violated:
            for warning in found.warnings:
                note(f"stretto: {warning}")
        which = "that a rule can mend " if found.violated else ""
        raise InputError(f"--from-bench {run}: no guideline {which}is violated by 5 % or more")
    if plan.ranks < 2:
        raise InputError(f"--from-bench {run}: rules are for 2 ranks or more")
    late = patterns_of("none", plan.ranks)
    calls = [
        (name, size, late)
        for operation, sizes in slow.items()
        if (name := tuned_name(operation)) is not None
        for size in _with_next(sizes, plan, operation)
    ]
    return fitting([Subject(plan.ranks, calls)])


def _beyond_rules(violated: list[tuple[By, GuidelineVerdict]]) -> list[str]:
    """A line for each function and reason."""
    sizes: dict[tuple[str, str], set[int]] = {}
    for (implementation, form), verdict in violated:
        operation = verdict.test.operation
        if why := why_no_rule(implementation, form, operation):
            key = function_of(operation, form), why
            sizes.setdefault(key, set()).add(verdict.test.bytes)
    return [
        f"no rule mends {function} of {', '.join(map(size_words, sorted(of)))}: {why}"
        for (function, why), of in sizes.items()
    ]


def _with_next(sizes: set[int], plan: BenchPlan, operation: str) -> list[int]:
    """And of each those before and after it that the run has."""
    ran = sorted({cell.bytes for cell in plan.cells if cell.operation == operation and cell.bytes})
    places = [place for place, size in enumerate(ran) if size in sizes]
    near = {place + step for place in places for step in (-1, 0, 1)}
    return [size for place, size in enumerate(ran) if place in near]
