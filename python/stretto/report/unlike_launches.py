"""Why runs in real and in virtual time show nothing of a program, where that is so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from stretto.data.virtual_times import SIM, RankTimes
from stretto.report.spread import Spread
from stretto.report.words import calls, seconds, size

# What one launch does so many times as often, or as long, as another was not the same.
_GROSSLY = 10.0
# Differences below it come of disturbances, and of programs that do next to nothing.
_WORTH_S = 0.5
_WORTH_BYTES = 1 << 20
_NS = 1e-9

_HINT = (
    "if one finds what another left, --fresh-dir gives each its own copy of the working directory, "
    "and --prepare COMMAND is run before each"
)
_NOT_COUNTED = {
    "other_threads": "the computing of threads besides the main one, which made {} calls",
    "not_followed": "{} calls that virtual time knows nothing of",
    "polls": "waits between {} tests and probes that came too early",
}
_COSTS_MORE = "what communication costs here beyond what calibration found"


@dataclass(frozen=True)
class _Launch:
    """What is known of one, summed over its ranks; times in seconds, of the longest."""

    name: str
    wall_s: float
    sim_s: float  # in real time: the same
    collectives: int
    bytes: int
    is_virtual: bool

    @staticmethod
    def of(name: str, ranks: Sequence[RankTimes]) -> "_Launch":
        """Whose ranks wrote that."""
        wall = _NS * max(rank.wall_ns for rank in ranks)
        sims = [each.end_ns for rank in ranks for each in rank.clocks if each.scenario == SIM]
        sites = [site for rank in ranks for site in rank.call_sites]
        return _Launch(
            name=name,
            wall_s=wall,
            sim_s=_NS * max(sims) if sims else wall,
            collectives=sum(site.calls for site in sites),
            bytes=sum(site.bytes for site in sites),
            is_virtual=bool(sims),
        )


def wall_times(
    normal: Sequence[Sequence[RankTimes]], virtual: Sequence[Sequence[RankTimes]]
) -> Mapping[str, float]:
    """Seconds by the clock on the wall from MPI_Init to MPI_Finalize, by launch."""
    return {launch.name: launch.wall_s for launch in _launches(normal, virtual)}


def why_incomparable(
    normal: Sequence[Sequence[RankTimes]],
    virtual: Sequence[Sequence[RankTimes]],
    *,
    is_measured_here: bool,
) -> str | None:
    """That launches of the program did not do the same, or that most of its time is not accounted
    for, in one line; None where neither is so.

    `is_measured_here`: the machine is this one, so "sim" should be what the real runs took.
    """
    shares_cores = any(rank.oversubscribed for run in virtual for rank in run)
    launches = _launches(normal, virtual)
    # A program that finds nothing to do is as likely the first in this order as any other.
    for a, b in combinations(launches, 2):
        if a.is_virtual != b.is_virtual and shares_cores:
            continue  # ranks that wait for cores take however long
        if words := _difference(a, b) or _difference(b, a):
            return f"no verdict: launches of the program did not do the same: {words}; {_HINT}"
    if not is_measured_here or shares_cores:
        return None
    return _unaccounted(launches, virtual[0])


def _launches(
    normal: Sequence[Sequence[RankTimes]], virtual: Sequence[Sequence[RankTimes]]
) -> list[_Launch]:
    """By the names of their folders."""
    return [
        _Launch.of(f"{kind}-{number}", ranks)
        for kind, runs in (("normal", normal), ("virtual", virtual))
        for number, ranks in enumerate(runs)
    ]


def _difference(more: _Launch, less: _Launch) -> str | None:
    """How much more the first did, if it is grossly more."""
    names = f"{more.name} {{}}, {less.name} {{}}".format
    if more.is_virtual and less.is_virtual:
        if more.collectives > _GROSSLY * max(less.collectives, 1):
            called = f"called {calls(more.collectives)} collectives"
            return names(called, calls(less.collectives))
        if more.bytes > _GROSSLY * max(less.bytes, _WORTH_BYTES):
            return names(f"gave collectives {size(more.bytes)}", size(less.bytes))
    # Virtual time takes longer on the wall where calls are many, and less on fast machines.
    longer, shorter = min(more.wall_s, more.sim_s), max(less.wall_s, less.sim_s)
    if longer > max(_GROSSLY * shorter, shorter + _WORTH_S):
        return names(f"took {seconds(more.wall_s)}", seconds(less.wall_s))
    return None


def _unaccounted(launches: Sequence[_Launch], virtual: Sequence[RankTimes]) -> str | None:
    """That virtual time is a small part of the real runs' time, and what is not in it."""
    real = Spread.of([each.wall_s for each in launches if not each.is_virtual]).median
    sim = Spread.of([each.sim_s for each in launches if each.is_virtual]).median
    if real <= max(_GROSSLY * sim, sim + _WORTH_S):
        return None
    return (
        f"no verdict: virtual time accounts for {seconds(sim)} of the {seconds(real)} that the "
        f"real runs took; not counted: {', '.join(_not_counted(virtual)) or _COSTS_MORE}"
    )


def _not_counted(ranks: Sequence[RankTimes]) -> Iterator[str]:
    for name, words in _NOT_COUNTED.items():
        if count := sum(getattr(rank.flags, name) for rank in ranks):
            yield words.format(f"{count:,}")
