"""What makes the figures of a comparison doubtful, each with what to do about it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from stretto.data.contests import NATIVE
from stretto.data.counters import RankCounters
from stretto.data.provenance import Provenance
from stretto.data.run_folder import PROGRESS, Plan
from stretto.data.samples import Side
from stretto.stats.ratio import ENOUGH_PAIRS
from stretto.stats.summary import Summary

_WIDE = 1.3


class DoubtKind(Enum):
    """What may be wrong."""

    FEW_RUNS = auto()
    NO_OWN_TIME = auto()
    NO_CHECKSUM = auto()
    NO_COUNTERS = auto()
    NOTHING_HANDLED = auto()
    ALGORITHM_UNUSED = auto()
    BUSY_MACHINE = auto()
    WIDE_SPREAD = auto()


@dataclass(frozen=True)
class Doubt:
    """A warning, in words."""

    kind: DoubtKind
    text: str


def doubts_of_plan(plan: Plan) -> Iterator[Doubt]:
    """Whether there are runs enough."""
    if plan.runs < ENOUGH_PAIRS:
        yield Doubt(
            DoubtKind.FEW_RUNS,
            f"{plan.runs} run{'s' * (plan.runs > 1)} a side: chance alone puts so few on "
            f"one side too often; use --runs {ENOUGH_PAIRS} or more",
        )


def doubts_of_output(*, has_times: bool, has_checksums: bool) -> Iterator[Doubt]:
    """Whether the program prints what is compared."""
    if not has_times:
        yield Doubt(
            DoubtKind.NO_OWN_TIME,
            "the program printed no line such as 'time 1.23 s' in every launch, so only wall "
            "time, start-up included, is compared; --time-pattern says what to look for",
        )
    if not has_checksums:
        yield Doubt(
            DoubtKind.NO_CHECKSUM,
            "the program printed no line such as 'checksum 1f2e', so nothing shows that the "
            "answers are the same; --checksum-pattern says what to look for",
        )


def doubts_of_counters(ranks: Sequence[RankCounters], plan: Plan) -> Iterator[Doubt]:
    """Whether Stretto did anything in the launches under it."""
    if not ranks:
        yield Doubt(
            DoubtKind.NO_COUNTERS,
            "no rank wrote counters under Stretto: it was not loaded or stayed inert",
        )
    elif not any(rank.handled for rank in ranks) and PROGRESS not in plan.settings:
        passed = any(rank.passed for rank in ranks)
        why = "the table says why they passed" if passed else "the program made no collective call"
        yield Doubt(
            DoubtKind.NOTHING_HANDLED, f"Stretto handled none of the program's calls; {why}"
        )

    for collective, algorithm in plan.settings.items():
        ran = {each.algorithm for rank in ranks for each in rank.handled if each.is_of(collective)}
        if ran and algorithm not in (NATIVE, *ran):
            yield Doubt(
                DoubtKind.ALGORITHM_UNUSED,
                f"--algorithm {collective}={algorithm} does not apply to the program's calls, "
                f"which ran {', '.join(sorted(ran))}",
            )


def doubts_of_machine(provenance: Provenance) -> Iterator[Doubt]:
    """Whether it was quiet."""
    yield from doubts_of_load(provenance.load_before, len(provenance.machine.affinity))


def doubts_of_load(load: float, cores: int) -> Iterator[Doubt]:
    """Whether others left the cores to the run: `load` processes wanted one before it began."""
    if load > cores:
        yield Doubt(
            DoubtKind.BUSY_MACHINE,
            f"{load:g} processes wanted this machine's {cores} cores before "
            "the run began; repeat it on a quiet machine",
        )


def doubts_of_spread(times: Mapping[Side, Summary]) -> Iterator[Doubt]:
    """Whether the launches of each side took about the same time."""
    for side, spread in times.items():
        if spread.maximum > _WIDE * spread.minimum:
            yield Doubt(
                DoubtKind.WIDE_SPREAD,
                f"times {side.where} spread by a factor of {spread.maximum / spread.minimum:.1f}; "
                "trust the paired ratio, and only beyond its interval",
            )
