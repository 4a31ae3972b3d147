"""What a comparison's run folder says: the figures, the answers, and what to doubt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stretto.data.counters import Counters, read_counters, summed
from stretto.data.run_folder import PROGRESS, Record, RunFolder
from stretto.data.samples import Sample, Side
from stretto.errors import InputError
from stretto.report.answers import Answers, compare_answers
from stretto.report.comparison_verdict import ComparisonVerdict, judge_comparison
from stretto.report.doubts import (
    Doubt,
    doubts_of_counters,
    doubts_of_machine,
    doubts_of_output,
    doubts_of_plan,
    doubts_of_spread,
)
from stretto.stats.ratio import Ratio, paired_ratio
from stretto.stats.summary import Summary, summary


@dataclass(frozen=True)
class SideTimes:
    """One measure of time on both sides."""

    native: Summary
    stretto: Summary
    ratio: Ratio  # native/stretto: above 1 Stretto was faster

    def of(self, side: Side) -> Summary:
        """Of one side."""
        return self.native if side is Side.NATIVE else self.stretto


@dataclass(frozen=True)
class Result:
    """A comparison, ready to be shown."""

    record: Record
    samples: list[Sample]
    own: SideTimes | None  # None: the program printed no time
    wall: SideTimes
    answers: Answers
    answers_detail: str
    counters: Counters | None  # over all ranks and Stretto launches; None: nothing was written
    stretto_launches: int
    mpi: str
    verdict: ComparisonVerdict
    warnings: list[Doubt]

    @property
    def name(self) -> str:
        return self.record.plan.name

    @property
    def best(self) -> tuple[str, SideTimes]:
        """The program's own time where it prints one: start-up is not its work."""
        return _best(self.own, self.wall)


def summarise(folder: RunFolder) -> Result:
    """Everything there is to show of a complete comparison."""
    record = folder.record()
    if not folder.complete:
        raise InputError(
            f"{folder.path} is not finished: run the same stretto compare again to resume it"
        )
    samples = [sample for sample in folder.samples() if sample.ok]
    ranks = [
        rank
        for sample in samples
        if sample.side is Side.STRETTO
        for rank in read_counters(folder.launch_folder(sample.order, sample.side) / "counters")
    ]
    own = _times(samples, lambda sample: sample.own_time_s)
    wall = _times(samples, lambda sample: sample.wall_time_s)
    assert wall is not None  # every launch has a wall time
    answers, detail = compare_answers(samples, record.plan.tolerance)
    what, times = _best(own, wall)
    return Result(
        record=record,
        samples=samples,
        own=own,
        wall=wall,
        answers=answers,
        answers_detail=detail,
        counters=summed(ranks) if ranks else None,
        stretto_launches=sum(sample.side is Side.STRETTO for sample in samples),
        mpi=ranks[0].mpi if ranks else record.plan.launcher,
        verdict=judge_comparison(
            times.ratio,
            what,
            loaded=bool(ranks),
            handled=any(rank.handled for rank in ranks) or PROGRESS in record.plan.settings,
        ),
        warnings=[
            *doubts_of_plan(record.plan),
            *doubts_of_output(
                has_times=own is not None, has_checksums=answers is not Answers.UNKNOWN
            ),
            *doubts_of_counters(ranks, record.plan),
            *doubts_of_machine(record.provenance),
            *doubts_of_spread({side: times.of(side) for side in Side}),
        ],
    )


def _best(own: SideTimes | None, wall: SideTimes) -> tuple[str, SideTimes]:
    return ("its own time", own) if own else ("wall time", wall)


def _times(samples: Sequence[Sample], time: Callable[[Sample], float | None]) -> SideTimes | None:
    """Both sides' times in order of pairs, where every launch has one."""
    native, stretto = (
        [time(each) for each in sorted(samples, key=lambda s: s.pair) if each.side is side]
        for side in (Side.NATIVE, Side.STRETTO)
    )
    before = [value for value in native if value]
    after = [value for value in stretto if value]
    if len(before) + len(after) < len(samples):
        return None
    return SideTimes(summary(before), summary(after), paired_ratio(before, after))
