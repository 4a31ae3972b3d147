"""What the drop-in counted: one file a rank, summed over the ranks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from stretto.data.rank_files import OfRank
from stretto.errors import EnvironmentUnusable, reason

_FORMS = re.compile(r"MPI_I?((?:(?!_block|[vw]?(?:_init)?$).)+)(?:_block)?[vw]?(?:_init)?")


class Handled(msgspec.Struct, frozen=True):
    """Calls that ran one algorithm."""

    call: str
    algorithm: str
    calls: int

    def is_of(self, collective: str) -> bool:
        """Whether it is a form of that collective: MPI_Iallreduce, MPI_Gatherv_init, ..."""
        found = _FORMS.fullmatch(self.call)
        return found is not None and found[1].lower() == collective


class Passed(msgspec.Struct, frozen=True):
    """Calls that went to the MPI untouched, and why."""

    call: str
    reason: str
    calls: int


class RankCounters(OfRank, frozen=True):
    """What one rank counted."""

    abi: str
    thread_level: str
    hosts: int
    oversubscribed: bool
    handled: list[Handled]
    passed: list[Passed]
    schedules_built: int
    schedules_reused: int
    progress_wakeups: int


class Counters(msgspec.Struct, frozen=True):
    """What all ranks of one or more launches counted."""

    handled: list[Handled]  # most calls first
    passed: list[Passed]
    schedules_built: int
    schedules_reused: int
    progress_wakeups: int

    @property
    def calls_handled(self) -> int:
        return sum(entry.calls for entry in self.handled)

    @property
    def calls_passed(self) -> int:
        return sum(entry.calls for entry in self.passed)


def read_counters(folder: Path) -> list[RankCounters]:
    """The ranks' files of one launch, in rank order; none where the drop-in wrote none."""
    ranks = [_read(path) for path in folder.glob("rank-*.json")]
    return sorted(ranks, key=lambda rank: rank.rank)


def summed(ranks: Sequence[RankCounters]) -> Counters:
    """The sum over ranks, of one launch or of several."""
    handled = _sum(
        ((each.call, each.algorithm), each.calls) for rank in ranks for each in rank.handled
    )
    passed = _sum(((each.call, each.reason), each.calls) for rank in ranks for each in rank.passed)
    return Counters(
        handled=[Handled(call, algorithm, calls) for (call, algorithm), calls in handled],
        passed=[Passed(call, reason, calls) for (call, reason), calls in passed],
        schedules_built=sum(rank.schedules_built for rank in ranks),
        schedules_reused=sum(rank.schedules_reused for rank in ranks),
        progress_wakeups=sum(rank.progress_wakeups for rank in ranks),
    )


def _sum(entries: Iterable[tuple[tuple[str, str], int]]) -> list[tuple[tuple[str, str], int]]:
    total: Counter[tuple[str, str]] = Counter()
    for key, calls in entries:
        total[key] += calls
    return sorted(total.items(), key=lambda entry: (-entry[1], entry[0]))


def _read(path: Path) -> RankCounters:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RankCounters)
    except OSError as error:
        raise EnvironmentUnusable(f"{path} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # Of a disk that was full, say, or a folder that was copied in part.
        raise EnvironmentUnusable(f"{path} is not what the drop-in writes: {error}") from None
