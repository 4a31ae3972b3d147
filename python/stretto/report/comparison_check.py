"""Whether a program takes longer in a run of stretto compare than in one before it."""

from collections.abc import Iterator
from dataclasses import dataclass

from stretto.data.run_folder import Plan
from stretto.data.samples import Side
from stretto.errors import InputError
from stretto.report.comparison import Result
from stretto.report.doubts import doubts_of_machine
from stretto.report.worse import CheckResult, Pair, checked, too_few


@dataclass(frozen=True)
class SideTime:
    """What is checked of a program."""

    program: str
    side: Side
    what: str  # which time


def check_comparisons(baseline: Result, run: Result, least: float) -> CheckResult[SideTime]:
    """Each side against the same side; `least` is a share: 0.05 is 5 %.

    By the program's own time where all launches of both runs have one, else by wall time. Raises
    InputError where the runs are of different numbers of ranks.
    """
    plans = baseline.record.plan, run.record.plan
    if plans[0].ranks != plans[1].ranks:
        raise InputError(f"the baseline has {plans[0].ranks} ranks and the run {plans[1].ranks}")
    is_own = baseline.own is not None and run.own is not None
    what = "its own time" if is_own else "wall time"
    pairs: list[Pair[SideTime]] = [
        (
            SideTime(run.name, side, what),
            [*_times_ns(baseline, side, is_own=is_own)],
            [*_times_ns(run, side, is_own=is_own)],
        )
        for side in Side
    ]
    warnings = [*_differences(*plans), *_busy(baseline, run), *too_few(pairs)]
    return CheckResult(checked(pairs), least, [], warnings)


def _times_ns(result: Result, side: Side, *, is_own: bool) -> Iterator[float]:
    for sample in result.samples:
        time = sample.own_time_s if is_own else sample.wall_time_s
        if sample.side is side and time is not None:
            yield 1e9 * time


def _differences(before: Plan, after: Plan) -> Iterator[str]:
    """What else may be the reason that they take different times."""
    for what, old, new in (
        ("program", " ".join(before.program), " ".join(after.program)),
        ("rig", before.rig or "none", after.rig or "none"),
        ("launcher", before.launcher, after.launcher),
        ("settings", _settings(before), _settings(after)),
        ("standard input", before.input or "none", after.input or "none"),
    ):
        if old != new:
            yield f"the {what} is another one: {old} in the baseline, {new} in the run"


def _settings(plan: Plan) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(plan.settings.items())) or "none"


def _busy(baseline: Result, run: Result) -> Iterator[str]:
    for name, result in (("baseline", baseline), ("run", run)):
        for doubt in doubts_of_machine(result.record.provenance):
            yield f"of the {name}: {doubt.text}"
