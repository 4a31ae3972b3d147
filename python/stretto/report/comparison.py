"""What a comparison's run folder says: the figures, the answers, and what to doubt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stretto.data.counters import Counters, RankCounters, read_counters, summed
from stretto.data.run_folder import Record, RunFolder
from stretto.data.samples import Sample, Side
from stretto.errors import InputError
from stretto.stats.ratio import Ratio, paired_ratio
from stretto.stats.summary import Summary, summary

ENOUGH_RUNS = 5
_NOISY = 1.3


class Answers(StrEnum):
    """Whether both sides computed the same."""

    SAME = "same answers"
    DIFFERENT = "different answers"
    UNKNOWN = "answers not compared"


@dataclass(frozen=True)
class Times:
    """One measure of time on both sides."""

    native: Summary
    stretto: Summary
    ratio: Ratio  # native/stretto: above 1 Stretto was faster


@dataclass(frozen=True)
class Result:
    """A comparison, ready to be shown."""

    record: Record
    samples: list[Sample]
    own: Times | None  # None: the program printed no time
    wall: Times
    answers: Answers
    answers_detail: str
    counters: Counters | None  # over all ranks and Stretto launches; None: nothing was written
    stretto_launches: int
    mpi: str
    warnings: list[str]

    @property
    def name(self) -> str:
        return self.record.plan.name

    @property
    def best(self) -> tuple[str, Times]:
        """The program's own time where it prints one: start-up is not its work."""
        return ("its own time", self.own) if self.own else ("wall time", self.wall)


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
    answers, detail = compare_answers(samples)
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
        warnings=_warnings(record, own or wall, ranks, own is not None, answers),
    )


def compare_answers(samples: Sequence[Sample]) -> tuple[Answers, str]:
    """Whether all launches of both sides printed one checksum, and in words."""
    native, stretto = (
        sorted({str(sample.checksum) for sample in samples if sample.side is side})
        for side in (Side.NATIVE, Side.STRETTO)
    )
    if all(sample.checksum is None for sample in samples):
        return Answers.UNKNOWN, "the program prints no checksum"
    for side, found in (("its own MPI", native), ("Stretto", stretto)):
        if len(found) > 1:
            return Answers.DIFFERENT, f"launches under {side} differ: {', '.join(found)}"
    if native != stretto:
        return Answers.DIFFERENT, f"{native[0]} on its own MPI, {stretto[0]} under Stretto"
    return Answers.SAME, f"checksum {native[0]} in all {len(samples)} launches"


def _times(samples: Sequence[Sample], time: Callable[[Sample], float | None]) -> Times | None:
    """Both sides' times in order of pairs, where every launch has one."""
    native, stretto = (
        [time(each) for each in sorted(samples, key=lambda s: s.pair) if each.side is side]
        for side in (Side.NATIVE, Side.STRETTO)
    )
    before = [value for value in native if value]
    after = [value for value in stretto if value]
    if len(before) + len(after) < len(samples):
        return None
    return Times(summary(before), summary(after), paired_ratio(before, after))


def _warnings(
    record: Record, times: Times, ranks: Sequence[RankCounters], has_own: bool, answers: Answers
) -> list[str]:
    """What makes the figures doubtful, each with what to do about it."""
    plan, machine = record.plan, record.provenance.machine
    found = []
    if plan.runs < ENOUGH_RUNS:
        found.append(
            f"{plan.runs} run{'s' * (plan.runs > 1)} a side: below {ENOUGH_RUNS} the spread "
            f"means little; use --runs {ENOUGH_RUNS} or more"
        )
    if not has_own:
        found.append(
            "the program printed no line such as 'time 1.23 s' in every launch, so only wall "
            "time, start-up included, is compared; --time-pattern says what to look for"
        )
    if answers is Answers.UNKNOWN:
        found.append(
            "the program printed no line such as 'checksum 1f2e', so nothing shows that the "
            "answers are the same; --checksum-pattern says what to look for"
        )
    if not ranks:
        found.append("no rank wrote counters under Stretto: it was not loaded or stayed inert")
    elif not any(rank.handled for rank in ranks):
        found.append("Stretto handled none of the program's calls; the table says why they passed")
    if record.provenance.load_before > len(machine.affinity):
        found.append(
            f"{record.provenance.load_before:g} processes wanted this machine's "
            f"{len(machine.affinity)} cores before the run began; repeat it on a quiet machine"
        )
    for side, spread in (("on its own MPI", times.native), ("under Stretto", times.stretto)):
        if spread.maximum > _NOISY * spread.minimum:
            found.append(
                f"times {side} spread by a factor of {spread.maximum / spread.minimum:.1f}; "
                "trust the paired ratio, and only beyond its interval"
            )
    return found
