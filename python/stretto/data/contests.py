"""What `stretto tune` measures in one launch, and the file that rank 0 writes."""

from pathlib import Path

import msgspec

from stretto.errors import ApplicationFailed

NATIVE = "native"


class Way(msgspec.Struct, frozen=True):
    """A way to run a collective: an algorithm of Stretto's or the MPI's own.

    `of_mpi` names one of the MPI's algorithms, which a launch is made to take.
    """

    algorithm: str
    segment: int = 0
    radix: int = 2
    of_mpi: str = ""


class Pattern(msgspec.Struct, frozen=True):
    """How late each rank comes."""

    name: str
    late_ns: list[float]


class Contest(msgspec.Struct, frozen=True):
    """Several ways of one call."""

    collective: str
    bytes: int
    patterns: list[Pattern]
    ways: list[Way]


class ContestPlan(msgspec.Struct, frozen=True):
    """All of a launch."""

    rounds: int
    contests: list[Contest]

    def for_the_library(self) -> str:
        """The text that src/intercept/accelerate/tuning.hpp describes."""
        lines = [f"rounds {self.rounds}"]
        for contest in self.contests:
            lines.append(f"case {contest.collective} {contest.bytes}")
            lines += [f"pattern {' '.join(map(repr, each.late_ns))}" for each in contest.patterns]
            lines += [f"way {way.algorithm} {way.segment} {way.radix}" for way in contest.ways]
        return "\n".join(lines) + "\n"


class ContestTimes(msgspec.Struct, frozen=True):
    """By pattern, way and round: ns, the mean of all ranks."""

    collective: str
    bytes: int
    times: list[list[list[float]]]


class Contests(msgspec.Struct, frozen=True):
    """What a launch measured, in the order of its plan."""

    mpi: str
    ranks: int
    hosts: int
    crowded: bool
    cases: list[ContestTimes]
    least_ranks_of_a_host: int = 1
    most_ranks_of_a_host: int = 1

    @property
    def is_even(self) -> bool:
        """Whether all hosts have as many ranks."""
        return self.least_ranks_of_a_host == self.most_ranks_of_a_host


def read_contests(path: Path, plan: ContestPlan) -> Contests:
    """The file as rank 0 wrote it, which has the times of all that was planned."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Contests)
    except FileNotFoundError:
        raise ApplicationFailed("the program measured nothing: it never came to MPI_Init") from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApplicationFailed(f"{path} is damaged: {error}") from error
    if not _has_all_of(plan, found):
        raise ApplicationFailed(f"{path} is damaged: it has other times than those to be measured")
    return found


def _has_all_of(plan: ContestPlan, found: Contests) -> bool:
    """Whether there are rounds of each way, under each pattern: how many, the ranks decide."""
    wanted = [
        (each.collective, each.bytes, [[True for _ in each.ways] for _ in each.patterns])
        for each in plan.contests
    ]
    return wanted == [
        (each.collective, each.bytes, [[bool(times) for times in by_way] for by_way in each.times])
        for each in found.cases
    ]
