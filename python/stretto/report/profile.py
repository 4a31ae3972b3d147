"""What a profile says: where the time in MPI went, and how much of it was waiting."""

from collections import Counter
from dataclasses import dataclass, field

from stretto.data.places import Address
from stretto.data.profiles import Caller, CallSite, Overlap, Profile
from stretto.report.collective_parts import CollectiveParts, collective_parts
from stretto.report.comm_names import CommName, CommNames
from stretto.report.matrix import Pair, pairs_of
from stretto.report.message_parts import MessageParts, message_parts
from stretto.report.unfinished import unfinished_words
from stretto.report.words import share

# Of a call site's time, what must be known for its parts to be those of all of it.
_ALMOST_ALL = 0.999


@dataclass
class OverlapTotal:
    """What became of the requests started at one place; times in seconds, of all ranks."""

    started: int = 0
    completed: int = 0
    achieved_s: float = 0.0  # computing while they were under way: at most so much was hidden
    lost_s: float = 0.0  # waiting for them
    hideable_s: float = 0.0  # of that, what there was computing enough to hide

    @property
    def achieved(self) -> float:
        """The share of computing."""
        return share(self.achieved_s, self.achieved_s + self.lost_s)

    @staticmethod
    def of(own: Overlap) -> "OverlapTotal":
        """One rank's requests."""
        times = (own.computed_ns, own.waited_ns, own.hideable_ns)
        return OverlapTotal(own.started, own.completed, *(ns * 1e-9 for ns in times))

    def add(self, other: "OverlapTotal") -> None:
        """Count the other's requests too."""
        self.started += other.started
        self.completed += other.completed
        self.achieved_s += other.achieved_s
        self.lost_s += other.lost_s
        self.hideable_s += other.hideable_s


@dataclass
class CallSiteTotal:
    """All ranks' calls of one function at one place on one communicator; times in seconds."""

    function: str
    kind: str
    place: Address
    symbol: str
    comm: CommName | None  # None: the function has none
    ranks: int = 0
    calls: int = 0
    bytes: int = 0
    time_s: float = 0.0
    waiting_s: float | None = None  # None: not known
    transfer_s: float | None = None
    overhead_s: float | None = None
    # Of the waiting in messages, until they were sent, and until their receives were posted.
    late_sender_s: float | None = None
    late_receiver_s: float | None = None
    awaited_s: Counter[int] = field(default_factory=Counter)  # of the waiting, for which rank
    sizes: Counter[int] = field(default_factory=Counter)  # calls by bit width of their bytes
    overlap: OverlapTotal | None = None  # None: it starts no requests
    is_source: bool = False  # its place is a line of a source file
    callers: tuple[Caller, ...] = ()  # the nearest first, where they were asked for

    def add(self, site: CallSite) -> None:
        """Count one rank's calls too."""
        self.ranks += 1
        self.calls += site.calls
        self.bytes += site.bytes
        self.time_s += site.time_ns * 1e-9
        self.sizes.update(dict(site.sizes))
        if site.overlap is not None:
            self.overlap = self.overlap or OverlapTotal()
            self.overlap.add(OverlapTotal.of(site.overlap))

    def add_parts(self, parts: CollectiveParts) -> None:
        """Count what one rank's time was spent on."""
        self.waiting_s = (self.waiting_s or 0.0) + parts.waiting_s
        self.transfer_s = (self.transfer_s or 0.0) + parts.transfer_s
        self.overhead_s = (self.overhead_s or 0.0) + parts.overhead_s
        self.awaited_s.update(parts.awaited_s)

    def add_message_parts(self, parts: MessageParts) -> None:
        """Count what one rank's time for messages was spent on."""
        self.late_sender_s = (self.late_sender_s or 0.0) + parts.late_sender_s
        self.late_receiver_s = (self.late_receiver_s or 0.0) + parts.late_receiver_s
        self.waiting_s = self.late_sender_s + self.late_receiver_s
        self.transfer_s = (self.transfer_s or 0.0) + parts.transfer_s
        self.overhead_s = (self.overhead_s or 0.0) + parts.overhead_s
        self.awaited_s.update(parts.awaited_s)

    @property
    def most_awaited(self) -> tuple[int, float] | None:
        """The rank that was waited for longest, and how long; None where nobody was."""
        return max(self.awaited_s.items(), key=lambda item: item[1], default=None)


@dataclass(frozen=True)
class RankTotal:
    """One rank's time, seconds."""

    rank: int
    wall_s: float
    mpi_s: float

    @property
    def computing_s(self) -> float:
        """Outside of MPI calls."""
        return max(0.0, self.wall_s - self.mpi_s)


@dataclass(frozen=True)
class ProfileSummary:
    """A profile as it is shown; times are summed over the ranks where not said otherwise."""

    mpi: str
    ranks: list[RankTotal]
    call_sites: list[CallSiteTotal]  # the longest first
    calls: dict[str, float]  # of each collective a rank, as a mean
    pairs: list[Pair] = field(default_factory=list)  # who sends to whom, the heaviest first
    unfinished: str = ""  # that not all ranks came to MPI_Finalize, in words

    @property
    def wall_s(self) -> float:
        """The longest rank's."""
        return max(rank.wall_s for rank in self.ranks)

    @property
    def mpi_share(self) -> float:
        """Of all ranks' time, in MPI."""
        return share(sum(rank.mpi_s for rank in self.ranks), sum(r.wall_s for r in self.ranks))

    @property
    def computing_share(self) -> float:
        """Of all ranks' time, outside of MPI."""
        return share(sum(r.computing_s for r in self.ranks), sum(r.wall_s for r in self.ranks))

    @property
    def imbalance(self) -> float:
        """The most computing rank's over the mean, less one."""
        computing = [rank.computing_s for rank in self.ranks]
        mean = sum(computing) / len(computing)
        return max(computing) / mean - 1 if mean else 0.0

    @property
    def places(self) -> list[CallSiteTotal | Caller]:
        """All that have lines: the call sites, and who called there."""
        return [*self.call_sites, *{each for site in self.call_sites for each in site.callers}]

    @property
    def overlap(self) -> OverlapTotal:
        """Of all nonblocking calls."""
        total = OverlapTotal()
        for site in self.call_sites:
            total.add(site.overlap or OverlapTotal())
        return total

    @property
    def waiting_share(self) -> float:
        """Of all ranks' time, waiting for late ranks in collectives."""
        collectives = (site for site in self.call_sites if site.kind == "collective")
        waiting = sum(site.waiting_s or 0.0 for site in collectives)
        return share(waiting, sum(rank.wall_s for rank in self.ranks))

    @property
    def late_messages_share(self) -> float:
        """Of all ranks' time, waiting for messages to be sent or for their receives."""
        sites = (site for site in self.call_sites if site.late_sender_s is not None)
        waiting = sum(site.waiting_s or 0.0 for site in sites)
        return share(waiting, sum(rank.wall_s for rank in self.ranks))

    @property
    def collectives_share(self) -> float:
        """Of all ranks' time, in blocking collectives."""
        time = sum(site.time_s for site in self.call_sites if site.kind == "collective")
        return share(time, sum(rank.wall_s for rank in self.ranks))


def waiting_for_messages(summary: ProfileSummary) -> list[CallSiteTotal]:
    """The call sites that waited for the other side of messages, the longest first."""
    sites = [s for s in summary.call_sites if s.late_sender_s is not None and s.waiting_s]
    return sorted(sites, key=lambda site: -(site.waiting_s or 0.0))


def summarise(profile: Profile) -> ProfileSummary:
    """All ranks' profiles as one."""
    names = CommNames(profile)
    totals: dict[_Key, CallSiteTotal] = {}
    for rank in profile.ranks:
        for site in rank.call_sites:
            if site.calls:  # others are the MPI's own
                comm = names.of(rank, site.comm)
                totals.setdefault(_key(site, comm), _nothing_yet(site, comm)).add(site)
    for parts in collective_parts(profile):
        comm = names.of(parts.rank, parts.call_site.comm)
        totals[_key(parts.call_site, comm)].add_parts(parts)
    _add_message_parts(profile, names, totals)
    return ProfileSummary(
        mpi=profile.ranks[0].mpi,
        ranks=[RankTotal(r.rank, r.wall_ns * 1e-9, r.mpi_ns * 1e-9) for r in profile.ranks],
        call_sites=sorted(totals.values(), key=lambda total: -total.time_s),
        calls=_collectives_a_rank(profile),
        pairs=pairs_of(profile),
        unfinished=unfinished_words(profile),
    )


_Key = tuple[str, Address, CommName | None, tuple[Caller, ...]]


def _add_message_parts(
    profile: Profile, names: CommNames, totals: dict[_Key, CallSiteTotal]
) -> None:
    """Divide the call sites of messages that are known on all their ranks."""
    by_key: dict[_Key, list[MessageParts]] = {}
    for parts in message_parts(profile):
        comm = names.of(parts.rank, parts.call_site.comm)
        by_key.setdefault(_key(parts.call_site, comm), []).append(parts)
    for key, of_ranks in by_key.items():
        divided_s = sum(parts.call_site.time_ns for parts in of_ranks) * 1e-9
        if divided_s < _ALMOST_ALL * totals[key].time_s:
            continue
        for parts in of_ranks:
            totals[key].add_message_parts(parts)


def _key(site: CallSite, comm: CommName | None) -> _Key:
    return site.function, Address(site.object, site.offset), comm, tuple(site.callers)


def _nothing_yet(site: CallSite, comm: CommName | None) -> CallSiteTotal:
    return CallSiteTotal(
        function=site.function,
        kind=site.kind,
        place=Address(site.object, site.offset),
        symbol=site.symbol,
        comm=comm,
        is_source=site.is_source,
        callers=tuple(site.callers),
    )


def _collectives_a_rank(profile: Profile) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for rank in profile.ranks:
        for site in rank.call_sites:
            if site.calls and site.kind in ("collective", "start"):
                counts[site.function] += site.calls
    return {name: count / len(profile.ranks) for name, count in sorted(counts.items())}
