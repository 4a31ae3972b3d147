"""What comes of comparing measurements of collectives, whichever way they were made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stretto.data.bench_plan import BenchCell
from stretto.errors import InputError
from stretto.stats.difference import adjusted, can_differ, launches_needed
from stretto.stats.estimate import LEVEL, Interval


@dataclass(frozen=True)
class Versus:
    """One thing that both sides measured. Times are in ns."""

    name: str  # as MPI calls the function
    bytes: int
    details: BenchCell | None  # of runs: all there is to know of it
    rank_class: str
    by: tuple[str, str]
    statistic: str  # what both figures are
    unit: str
    figures: tuple[float, float]
    launches: tuple[int, int]
    ratio: float | None  # the first's figure over the second's; None: shares have a shift
    interval: Interval | None = None  # None: there is no test of it
    p: float | None = None  # corrected for all comparisons that are made
    work_ns: tuple[int, int] | None = None  # beside the operation, where both sides' differ
    shift: float | None = None  # the first's share less the second's

    @property
    def is_lower_in_second(self) -> bool:
        """The second has the lower figure."""
        return self.shift > 0 if self.shift is not None else (self.ratio or 0) > 1

    @property
    def differs(self) -> bool:
        """It does so beyond chance."""
        return self.p is not None and self.p <= 1 - LEVEL


@dataclass(frozen=True)
class BenchComparison:
    """All that both sides have, and what only one of them has."""

    pairs: list[Versus]
    only_first: list[str]
    only_second: list[str]
    notes: list[str]  # how it is to be read
    warnings: list[str]


def corrected(pairs: Sequence[Versus]) -> list[Versus]:
    """With p corrected for all of them that were tested."""
    tested = [each.p for each in pairs if each.p is not None]
    chances = iter(adjusted(tested))
    return [each if each.p is None else replace(each, p=next(chances)) for each in pairs]


def too_few(pairs: Sequence[Versus]) -> Iterator[str]:
    """A warning where no difference could be shown."""
    tested = [each.launches for each in pairs if each.p is not None]
    if not tested or any(can_differ(*each, len(tested)) for each in tested):
        return
    yield (
        f"with {min(map(min, tested))} launches on a side no difference can be shown among "
        f"{len(tested)} comparisons, however large: launch {launches_needed(len(tested))} on each, "
        "or compare less"
    )


def require_one_of(known: Sequence[str], chosen: str | None, option: str) -> None:
    """Raise InputError where an implementation was chosen that the run has not."""
    if chosen is not None and chosen not in known:
        raise InputError(f"{option} {chosen}: the run has {', '.join(known)}")
