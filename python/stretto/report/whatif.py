"""What the runs in virtual time say: how long it would take, and what to do about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stretto.data.virtual_times import Flags, RankTimes
from stretto.errors import ApplicationFailed
from stretto.report.words import percent

# A gain that small is not worth the trouble, however well it is known.
NOT_WORTH_IT = 0.05
# Beyond it the same exchange is not the same any more.
_ANOTHER_PACE = 1.33
_IDEAL = "no communication"
_NS = 1e-9


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
class Times:
    """Of some runs, in seconds."""

    least: float
    median: float
    most: float

    @staticmethod
    def of(values: Sequence[float]) -> "Times":
        return Times(min(values), float(np.median(values)), max(values))

    @property
    def half_range(self) -> float:
        return (self.most - self.least) / 2


@dataclass(frozen=True)
class Pace:
    """What a short exchange between two ranks takes, in seconds: a machine's cores may be near each
    other at one time and far apart at another, or shared."""

    calibrated: float
    real: Times  # as the real runs began

    @staticmethod
    def of(normal: Sequence[Sequence[RankTimes]], virtual: Sequence[RankTimes]) -> "Pace | None":
        """From all ranks' times of the real runs, and of a virtual one; None where no exchange was
        measured in all of them."""
        calibrated = [each.modelled_exchange_ns for each in virtual]
        real = [_middle([each.exchange_ns for each in run]) for run in normal]
        modelled = _middle(calibrated)
        known = [each for each in real if each is not None]
        if not modelled or not known or len(known) < len(real):
            return None
        return Pace(_NS * modelled, Times.of([_NS * each for each in known]))

    @property
    def is_another(self) -> bool:
        """Was the machine not what calibration found?"""
        return not 1 / _ANOTHER_PACE < self.real.median / self.calibrated < _ANOTHER_PACE or (
            self.real.most > _ANOTHER_PACE * self.real.least
        )


def _middle(times: Sequence[float | None]) -> float | None:
    known = [each for each in times if each is not None]
    return float(np.median(known)) if known else None


@dataclass(frozen=True)
class SiteGain:
    """All ranks' calls of a collective at one place, as they are; seconds a run, of all ranks."""

    function: str
    place: tuple[str, int]
    symbol: str
    calls: float
    bytes: float  # a call
    waiting_s: float
    transfer_s: float


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
    normal: Times | None  # by the clock on the wall; None: a trace that is replayed
    virtual_wall: Times  # by the clock on the wall: what the tool costs
    scenarios: dict[str, Times]  # "sim" and "zero" among them
    gain: Times  # of free collectives, as a share of "sim", run by run
    is_crowded: bool  # ranks share cores: "normal" is not what "sim" predicts
    hosts: int
    runs: int
    efficiencies: Efficiencies
    waiting_share: float  # of the time in collectives: waiting, which stays if they are free
    sites: list[SiteGain]  # the most to gain first
    blocked_s: float  # of a rank, in one run: asleep or waiting for devices; counts as computing
    flags: Flags  # summed over the ranks of one run
    unmodelled_s: dict[str, float]  # by function, of a rank in one run; the longest first
    pace: Pace | None  # None: not measured, or ranks share cores

    @property
    def gap(self) -> float:
        """How far "sim" is from "normal", as a share of that; 0 where it is not comparable."""
        if self.normal is None or self.is_crowded:
            return 0.0
        return abs(self.scenarios["sim"].median / self.normal.median - 1)

    @property
    def error(self) -> float:
        """What the gain may be off by: what runs differ by, or what the prediction does."""
        return max(self.gain.half_range, self.gap)

    @property
    def verdict(self) -> str:
        """One sentence."""
        gain, error = self.gain.median, self.error
        if self.runs == 1 and (self.is_crowded or self.normal is None):
            return (
                f"no verdict: collectives seem to cost {percent(gain)}, but one run has no spread"
            )
        if gain > error:
            worth = "worth it" if gain >= NOT_WORTH_IT else "hardly worth it"
            return f"collectives cost {percent(gain)} \N{PLUS-MINUS SIGN} {percent(error)}: {worth}"
        if gain + error < NOT_WORTH_IT:
            return f"collectives cost {percent(gain + error)} at most: not worth it"
        why = (
            "runs differ"
            if self.gain.half_range >= self.gap
            else "the prediction differs from the real runs"
        )
        return (
            f"no verdict: collectives seem to cost {percent(gain)}, but {why} by {percent(error)}"
        )


def answer(normal: Sequence[Sequence[RankTimes]], runs: Sequence[Run]) -> Answer:
    """From all ranks' times of the real runs, if any, and the virtual runs.

    Raises ApplicationFailed where the program did nothing.
    """
    names = list(runs[0].ends)
    if any(run.ends[_IDEAL] == 0 or max(r.computed_ns for r in run.ranks) == 0 for run in runs):
        raise ApplicationFailed("the program did nothing between MPI_Init and MPI_Finalize")
    is_crowded = any(rank.crowded for rank in runs[0].ranks)
    return Answer(
        ranks=len(runs[0].ranks),
        normal=Times.of([_wall(run) for run in normal]) if normal else None,
        virtual_wall=Times.of([_wall(run.ranks) for run in runs]),
        scenarios={name: Times.of([run.ends[name] for run in runs]) for name in names},
        gain=Times.of([1 - run.ends["zero"] / run.ends["sim"] for run in runs]),
        is_crowded=is_crowded,
        hosts=len({rank.host for rank in runs[0].ranks}),
        runs=len(runs),
        efficiencies=_efficiencies(runs),
        waiting_share=_waiting_share(runs),
        sites=_sites(runs),
        blocked_s=_NS * float(np.mean([rank.blocked_ns for rank in runs[0].ranks])),
        flags=_flags(runs[0].ranks),
        unmodelled_s=_unmodelled(runs[0].ranks),
        pace=None if is_crowded else Pace.of(normal, runs[0].ranks),
    )


def _wall(ranks: Sequence[RankTimes]) -> float:
    return _NS * max(rank.wall_ns for rank in ranks)


def _efficiencies(runs: Sequence[Run]) -> Efficiencies:
    """Of the median over the runs. Rosas et al., "Fundamental performance factors", 2014."""

    def middle(of: Callable[[Run], float]) -> float:
        return float(np.median([of(run) for run in runs]))

    def computing(run: Run) -> list[float]:
        return [_NS * rank.computed_ns for rank in run.ranks]

    return Efficiencies(
        load_balance=middle(lambda run: float(np.mean(computing(run))) / max(computing(run))),
        serialisation=middle(lambda run: max(computing(run)) / run.ends[_IDEAL]),
        transfer=middle(lambda run: run.ends[_IDEAL] / run.ends["sim"]),
    )


def _waiting_share(runs: Sequence[Run]) -> float:
    sites = [site for run in runs for rank in run.ranks for site in rank.sites]
    waiting = sum(site.waiting_ns for site in sites)
    whole = waiting + sum(site.transfer_ns for site in sites)
    return waiting / whole if whole else 0.0


def _sites(runs: Sequence[Run]) -> list[SiteGain]:
    grouped: dict[tuple[str, str, int], list[SiteGain]] = {}
    for run in runs:
        for rank in run.ranks:
            for site in rank.sites:
                gain = SiteGain(
                    function=site.function,
                    place=(site.object, site.offset),
                    symbol=site.symbol,
                    calls=site.calls,
                    bytes=site.bytes,
                    waiting_s=_NS * site.waiting_ns,
                    transfer_s=_NS * site.transfer_ns,
                )
                grouped.setdefault(site.place, []).append(gain)
    totals = [_total(group, len(runs)) for group in grouped.values()]
    return sorted(totals, key=lambda site: -site.transfer_s)


def _total(group: Sequence[SiteGain], runs: int) -> SiteGain:
    calls = sum(site.calls for site in group)
    return SiteGain(
        function=group[0].function,
        place=group[0].place,
        symbol=group[0].symbol,
        calls=calls / runs,
        bytes=sum(site.bytes for site in group) / calls if calls else 0.0,
        waiting_s=sum(site.waiting_s for site in group) / runs,
        transfer_s=sum(site.transfer_s for site in group) / runs,
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
