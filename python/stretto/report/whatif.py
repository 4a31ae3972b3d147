"""What the runs in virtual time say: how long it would take, and what to do about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stretto.data.virtual_times import NO_COMMUNICATION, SIM, ZERO, Flags, RankTimes
from stretto.errors import ApplicationFailed
from stretto.report.collective_totals import CollectiveTotal, collective_totals, waiting_share
from stretto.report.short_exchange import ShortExchange
from stretto.report.spread import Spread
from stretto.report.whatif_verdict import Verdict, judge
from stretto.report.words import seconds

_NS = 1e-9
# So much of what a prediction lacks makes it the likely reason.
_EXPLAINS = 0.5


@dataclass(frozen=True)
class Run:
    """One run in virtual time; times in seconds."""

    ends: Mapping[str, float]  # of the last rank, by scenario
    ranks: Sequence[RankTimes]

    @staticmethod
    def of(ranks: Sequence[RankTimes]) -> "Run":
        """A run's whole time is its last rank's."""
        names = [clock.scenario for clock in ranks[0].clocks]
        ends = {
            name: _NS * max(rank.clocks[i].end_ns for rank in ranks) for i, name in enumerate(names)
        }
        return Run(ends, ranks)


@dataclass(frozen=True)
class Efficiencies:
    """The POP project's: their product is the share of all ranks' time that is computing."""

    load_balance: float
    serialisation: float
    transfer: float

    @property
    def parallel(self) -> float:
        return self.load_balance * self.serialisation * self.transfer


@dataclass(frozen=True)
class Answer:
    """Everything that `stretto whatif` prints."""

    ranks: int
    normal: Spread | None  # by the clock on the wall; None: a trace that is replayed
    virtual_wall: Spread  # by the clock on the wall: what the tool costs
    scenarios: dict[str, Spread]  # "sim" and "zero" among them
    gain: Spread  # of free collectives, as a share of "sim", run by run
    is_oversubscribed: bool  # ranks share cores: "normal" is not what "sim" predicts
    hosts: int
    runs: int
    efficiencies: Efficiencies
    waiting_share: float  # of the time in collectives: waiting, which stays if they are free
    call_sites: list[CollectiveTotal]  # the most to gain first
    blocked_s: float  # of a rank, in one run: asleep or waiting for devices; counts as computing
    flags: Flags  # summed over the ranks of one run
    # In the real runs: of the rank that waited longest, in their median; None: not known.
    waited_for_core_s: float | None
    polls_s: float  # of the rank with the most of it: in tests that found nothing, and between them
    unmodelled_s: dict[str, float]  # by function, of a rank in one run; the longest first
    short_exchange: ShortExchange | None  # None: not measured, or ranks share cores

    @property
    def gap(self) -> float:
        """How far "sim" is from "normal", as a share of that; 0 where it is not comparable."""
        if self.normal is None or self.is_oversubscribed:
            return 0.0
        return abs(self.scenarios[SIM].median / self.normal.median - 1)

    @property
    def verdict(self) -> Verdict:
        """What it comes to."""
        is_compared = self.normal is not None and not self.is_oversubscribed
        return judge(
            self.gain, self.gap, has_spread=self.runs > 1 or is_compared, perhaps=self._perhaps
        )

    @property
    def _perhaps(self) -> str:
        """Why "sim" is not "normal", where launches differ as much or something takes as long."""
        if self.normal is None or self.is_oversubscribed:
            return ""
        sim = self.scenarios[SIM]
        missing = self.normal.median - sim.median
        for what, times in (("real", self.normal), ("virtual", sim)):
            if self.runs > 1 and times.most - times.least >= abs(missing):
                return (
                    f"which is no more than {what} runs differ from each other: "
                    f"{seconds(times.least)} to {seconds(times.most)}"
                )
        if missing <= 0:
            return ""
        waited_s = self.waited_for_core_s or 0.0
        if waited_s >= _EXPLAINS * missing:
            return (
                f"{seconds(missing)}: in these a rank waits {seconds(waited_s)} for "
                "its core, which further threads of its own or other programs have; sim does not"
            )
        if self.polls_s < _EXPLAINS * missing:
            return ""
        return (
            f"{seconds(missing)}: {self.flags.polls:,} tests and probes came too early, which with "
            f"what is between them take {seconds(self.polls_s)} of a rank and are waits here; a "
            "program that works between them pays for them"
        )


def answer(normal: Sequence[Sequence[RankTimes]], runs: Sequence[Run]) -> Answer:
    """From all ranks' times of the real runs, if any, and the virtual runs.

    Raises ApplicationFailed where the program did nothing.
    """
    names = list(runs[0].ends)
    if not all(map(_does_something, runs)):
        raise ApplicationFailed("the program did nothing between MPI_Init and MPI_Finalize")
    is_oversubscribed = any(rank.oversubscribed for rank in runs[0].ranks)
    return Answer(
        ranks=len(runs[0].ranks),
        normal=Spread.of([_wall(run) for run in normal]) if normal else None,
        virtual_wall=Spread.of([_wall(run.ranks) for run in runs]),
        scenarios={name: Spread.of([run.ends[name] for run in runs]) for name in names},
        gain=Spread.of([1 - run.ends[ZERO] / run.ends[SIM] for run in runs]),
        is_oversubscribed=is_oversubscribed,
        hosts=len({rank.host for rank in runs[0].ranks}),
        runs=len(runs),
        efficiencies=_efficiencies(runs),
        waiting_share=waiting_share([run.ranks for run in runs]),
        call_sites=collective_totals([run.ranks for run in runs]),
        blocked_s=_NS * float(np.mean([rank.blocked_ns for rank in runs[0].ranks])),
        waited_for_core_s=_waited_for_core(normal),
        polls_s=_NS * max(rank.polls_ns for rank in runs[0].ranks),
        flags=_flags(runs[0].ranks),
        unmodelled_s=_unmodelled(runs[0].ranks),
        short_exchange=None if is_oversubscribed else ShortExchange.of(normal, runs[0].ranks),
    )


def _does_something(run: Run) -> bool:
    return run.ends[NO_COMMUNICATION] > 0 and max(rank.computed_ns for rank in run.ranks) > 0


def _wall(ranks: Sequence[RankTimes]) -> float:
    return _NS * max(rank.wall_ns for rank in ranks)


def _waited_for_core(normal: Sequence[Sequence[RankTimes]]) -> float | None:
    known = [[rank.waited_for_core_ns for rank in run] for run in normal]
    longest = [max(filter(None, run), default=0) for run in known if set(run) != {None}]
    return _NS * float(np.median(longest)) if longest else None


def _efficiencies(runs: Sequence[Run]) -> Efficiencies:
    """Of the median over the runs. Rosas et al., "Fundamental performance factors", 2014."""

    def middle(of: Callable[[Run], float]) -> float:
        return float(np.median([of(run) for run in runs]))

    def computing(run: Run) -> list[float]:
        return [_NS * rank.computed_ns for rank in run.ranks]

    return Efficiencies(
        load_balance=middle(lambda run: float(np.mean(computing(run))) / max(computing(run))),
        serialisation=middle(lambda run: max(computing(run)) / run.ends[NO_COMMUNICATION]),
        transfer=middle(lambda run: run.ends[NO_COMMUNICATION] / run.ends[SIM]),
    )


def _unmodelled(ranks: Sequence[RankTimes]) -> dict[str, float]:
    found: dict[str, float] = {}
    for rank in ranks:
        for each in rank.unmodelled:
            found[each.function] = found.get(each.function, 0.0) + _NS * each.ns / len(ranks)
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _flags(ranks: Sequence[RankTimes]) -> Flags:
    return Flags(
        **{
            name: sum(getattr(rank.flags, name) for rank in ranks)
            for name in Flags.__struct_fields__
        }
    )
