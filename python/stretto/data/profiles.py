"""What `stretto profile` recorded: of each rank a rank-N.json and a rank-N.collectives.

Of a rank that has not come to MPI_Finalize a rank-N.snapshot and a rank-N.collectives-M.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from stretto.data.places import Address
from stretto.data.profile_messages import read_channels, read_messages
from stretto.data.rank_files import OfRank
from stretto.data.rows import read_rows
from stretto.errors import ApplicationFailed, InputError

# A snapshot that is replaced while it is read is read again.
_TRIES = 10

# src/intercept/profile/call_recorder.hpp, struct Instance.
_INSTANCE = np.dtype(
    [
        ("enter", "i8"),
        ("leave", "i8"),
        ("number", "i8"),
        ("comm", "i4"),
        ("site", "i4"),
        ("root", "i4"),
        ("unused", "i4"),
    ]
)


class ClockReading(msgspec.Struct, frozen=True):
    """This rank's clock, and what rank 0's is ahead of it by."""

    at_ns: int
    offset_ns: int
    error_ns: int


class Comm(msgspec.Struct, frozen=True):
    """A communicator; `members` and `ordinal` name it on all its ranks."""

    members: str
    ordinal: int  # -1: it had no collective
    size: int
    rank: int
    is_inter: bool
    is_folded: bool  # stands for all that came after the first thousand
    collectives: int
    stride: int  # one in so many of them is on record

    @property
    def name(self) -> tuple[str, int]:
        """The same on all its ranks."""
        return self.members, self.ordinal


class Overlap(msgspec.Struct, frozen=True):
    """The requests started at one place (src/intercept/profile/under_way.hpp)."""

    started: int
    completed: int
    computed_ns: float
    waited_ns: float
    hideable_ns: float


class Caller(msgspec.Struct, frozen=True):
    """Where a function was called that calls MPI, or that calls one that does, and so on."""

    object: str
    offset: int
    symbol: str
    is_source: bool = False  # `object` is a source file and `offset` a line of it

    @property
    def place(self) -> Address:
        """As debug information has it."""
        return Address(self.object, self.offset)


class CallSite(msgspec.Struct, frozen=True):
    """All of one rank's calls of one function at one place on one communicator, by one path."""

    function: str
    kind: str
    object: str
    offset: int
    symbol: str
    comm: int  # in RankProfile.comms; -1: none
    calls: int
    bytes: int
    time_ns: int
    longest_ns: int
    sizes: list[tuple[int, int]]  # bit width of a call's bytes, calls
    overlap: Overlap | None = None  # None: it starts no requests
    is_source: bool = False  # `object` is a source file and `offset` a line of it
    message_ns: int = 0  # in calls that were for messages, and nothing else
    trivial_ns: int = 0  # of that, in those where nobody is waited for
    callers: list[Caller] = []  # the nearest first; none where they were not asked for


class Traced(msgspec.Struct, frozen=True):
    """How much of the calls a rank's trace has."""

    calls: int  # there were
    kept: int  # of them, the last
    events: int  # in which these are: polls in a row are one


class OpenCall(msgspec.Struct, frozen=True):
    """A call that went on when a snapshot was written; it is one of its call site's calls, too."""

    function: str
    object: str
    offset: int
    time_ns: int  # so far
    site: int = -1  # which of its rank's call sites; -1: of none, as it is the MPI's own


class Snapshot(msgspec.Struct, frozen=True):
    """What is on record of a rank that has not come to MPI_Finalize."""

    number: int
    why: str  # "SIGTERM", "MPI_Abort", "exit" where that ended the program; empty: it was time
    open: list[OpenCall] = []


class MessageCounts(msgspec.Struct, frozen=True):
    """How many rows a rank's files of messages have."""

    rows: int
    channels: int


class RankProfile(OfRank, frozen=True):
    """What one rank wrote as it finalized, or before."""

    abi: str
    host: str
    begin_ns: int
    end_ns: int
    involuntary_switches: int
    clocks: tuple[ClockReading, ClockReading]  # at the beginning and at the end
    comms: list[Comm]
    call_sites: list[CallSite] = msgspec.field(name="sites")
    trace: Traced | None = None  # None: it was not asked for, or there was no call
    snapshot: Snapshot | None = None  # None: it has finalized
    messages: MessageCounts | None = None  # None: a snapshot's, or older than those are

    @property
    def clock_drift(self) -> tuple[float, float, int]:
        """What rank 0's clock is ahead by, how that grows a nanosecond, and when it was so."""
        first, last = self.clocks
        growth = (last.offset_ns - first.offset_ns) / max(1, last.at_ns - first.at_ns)
        return first.offset_ns, growth, first.at_ns

    def on_rank_zero(self, times: NDArray[Any]) -> NDArray[Any]:
        """Times of this rank's clock, as rank 0's has them; nanoseconds."""
        offset, growth, at = self.clock_drift
        return np.asarray(times + (offset + growth * (times - at)))

    @property
    def wall_ns(self) -> int:
        """From the end of MPI_Init to the beginning of MPI_Finalize."""
        return self.end_ns - self.begin_ns

    @property
    def mpi_ns(self) -> int:
        """In MPI calls, of all threads."""
        return sum(site.time_ns for site in self.call_sites)


class Profile(msgspec.Struct, frozen=True):
    """Of all ranks that recorded something, by rank; `instances` has each one's collectives.

    Each list has an entry for each of `ranks`: `instances` see _INSTANCE, `messages` and `channels`
    its point-to-point messages (see data/profile_messages.py), which only ranks that have finalized
    wrote.
    """

    ranks: list[RankProfile]
    instances: list[NDArray[Any]]
    messages: list[NDArray[Any]] = []
    channels: list[NDArray[Any]] = []

    @property
    def is_whole(self) -> bool:
        """Whether all ranks have finalized."""
        finalized = [rank for rank in self.ranks if rank.snapshot is None]
        return len(finalized) == self.ranks[0].size


def read_profile(folder: Path, ranks: int, *, unfinished: bool = False) -> Profile:
    """The profiles of so many ranks; `unfinished`: those that have not finalized, too.

    Raises ApplicationFailed where some are missing (`unfinished`: all), InputError where one is
    damaged.
    """
    paths = sorted(folder.glob("rank-*.json"))
    if unfinished:
        paths += [p for p in folder.glob("rank-*.snapshot") if p.with_suffix(".json") not in paths]
    if not paths:
        raise ApplicationFailed(
            f"no rank left a profile in {folder}: the program did not come to MPI_Finalize"
        )
    found = sorted((_newest(path) for path in paths), key=lambda each: each[0].rank)
    sizes = {each.size for each, _ in found}
    if sizes != {ranks}:
        worlds = ", ".join(map(str, sorted(sizes)))
        raise ApplicationFailed(f"{folder} has profiles of {worlds} ranks, not of {ranks}")
    missing = sorted(set(range(ranks)) - {each.rank for each, _ in found})
    if missing and not unfinished:
        raise ApplicationFailed(f"{folder} has no profile of rank {', '.join(map(str, missing))}")
    ranks_found = [each for each, _ in found]
    return Profile(
        ranks_found,
        [instances for _, instances in found],
        [read_messages(folder, each) for each in ranks_found],
        [read_channels(folder, each) for each in ranks_found],
    )


def has_record(folder: Path) -> bool:
    """Whether any rank has recorded anything there, finalized or not."""
    return any(folder.glob("rank-*.json")) or any(folder.glob("rank-*.snapshot"))


def _newest(path: Path) -> tuple[RankProfile, NDArray[Any]]:
    """A rank's file with its collectives, which are those of the snapshot that it names.

    While the program runs the next one may take its place, and then is what is read.
    """
    for _ in range(_TRIES):
        rank = _read_rank(path)
        if rank.snapshot is None or _collectives(path.parent, rank).exists():
            break
        if path.with_suffix(".json").exists():  # it has finalized meanwhile
            path = path.with_suffix(".json")
    return rank, _read_instances(path.parent, rank)


def _read_rank(path: Path) -> RankProfile:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RankProfile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _collectives(folder: Path, rank: RankProfile) -> Path:
    number = f"-{rank.snapshot.number}" if rank.snapshot else ""
    return folder / f"rank-{rank.rank}.collectives{number}"


def _read_instances(folder: Path, rank: RankProfile) -> NDArray[Any]:
    known = {"comm": len(rank.comms), "site": len(rank.call_sites)}
    return read_rows(_collectives(folder, rank), _INSTANCE, known)
