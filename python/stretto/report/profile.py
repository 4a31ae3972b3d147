"""What a profile says: where the time in MPI went, and how much of it was waiting."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from stretto.data.profiles import Overlap, Profile, RankProfile, Site
from stretto.report.words import share
from stretto.stats.waiting import NEEDS, split

Place = tuple[str, int]  # an object and an address in it


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

    def add(self, other: "OverlapTotal") -> None:
        """Count the other's requests too."""
        self.started += other.started
        self.completed += other.completed
        self.achieved_s += other.achieved_s
        self.lost_s += other.lost_s
        self.hideable_s += other.hideable_s


@dataclass
class SiteTotal:
    """All ranks' calls of one function at one place on one communicator; times in seconds."""

    function: str
    kind: str
    place: Place
    symbol: str
    comm: str
    ranks: int = 0
    calls: int = 0
    bytes: int = 0
    time_s: float = 0.0
    waiting_s: float | None = None  # None: not known
    transfer_s: float | None = None
    overhead_s: float | None = None
    sizes: Counter[int] = field(default_factory=Counter)  # calls by bit width of their bytes
    overlap: OverlapTotal | None = None  # None: it starts no requests
    is_source: bool = False  # its place is a line of a source file


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
class Summary:
    """A profile as it is shown; times are summed over the ranks where not said otherwise."""

    mpi: str
    ranks: list[RankTotal]
    sites: list[SiteTotal]  # the longest first
    calls: dict[str, float]  # of each collective a rank, as a mean

    @property
    def wall_s(self) -> float:
        """The longest rank's."""
        return max(rank.wall_s for rank in self.ranks)

    @property
    def mpi_share(self) -> float:
        """Of all ranks' time, in MPI."""
        return share(sum(rank.mpi_s for rank in self.ranks), sum(r.wall_s for r in self.ranks))

    @property
    def imbalance(self) -> float:
        """The most computing rank's over the mean, less one."""
        computing = [rank.computing_s for rank in self.ranks]
        mean = sum(computing) / len(computing)
        return max(computing) / mean - 1 if mean else 0.0

    @property
    def overlap(self) -> OverlapTotal:
        """Of all nonblocking calls."""
        total = OverlapTotal()
        for site in self.sites:
            total.add(site.overlap or OverlapTotal())
        return total

    @property
    def waiting_share(self) -> float:
        """Of all ranks' time, waiting for late ranks in collectives."""
        waiting = sum(site.waiting_s or 0.0 for site in self.sites)
        return share(waiting, sum(rank.wall_s for rank in self.ranks))

    @property
    def collectives_share(self) -> float:
        """Of all ranks' time, in blocking collectives."""
        time = sum(site.time_s for site in self.sites if site.kind == "collective")
        return share(time, sum(rank.wall_s for rank in self.ranks))


def summarise(profile: Profile) -> Summary:
    """All ranks' profiles as one."""
    names = _comm_names(profile)
    totals: dict[tuple[str, Place, str], SiteTotal] = {}
    for rank in profile.ranks:
        for site in rank.sites:
            if site.calls == 0:  # the MPI's own
                continue
            comm = names[_key_of(rank, site.comm)] if site.comm >= 0 else ""
            total = totals.setdefault(
                _key(site, comm),
                SiteTotal(
                    function=site.function,
                    kind=site.kind,
                    place=(site.object, site.offset),
                    symbol=site.symbol,
                    comm=comm,
                    is_source=site.is_source,
                ),
            )
            total.ranks += 1
            total.calls += site.calls
            total.bytes += site.bytes
            total.time_s += site.time_ns * 1e-9
            total.sizes.update(dict(site.sizes))
            if site.overlap is not None:
                total.overlap = total.overlap or OverlapTotal()
                total.overlap.add(_overlap(site.overlap))
    _split_collectives(profile, names, totals)
    return Summary(
        mpi=profile.ranks[0].mpi,
        ranks=[RankTotal(r.rank, r.wall_ns * 1e-9, r.mpi_ns * 1e-9) for r in profile.ranks],
        sites=sorted(totals.values(), key=lambda total: -total.time_s),
        calls=_collectives_a_rank(profile),
    )


def _key(site: Site, comm: str) -> tuple[str, Place, str]:
    return site.function, (site.object, site.offset), comm


def _overlap(own: Overlap) -> OverlapTotal:
    times = (own.computed_ns, own.waited_ns, own.hideable_ns)
    return OverlapTotal(own.started, own.completed, *(ns * 1e-9 for ns in times))


CommKey = tuple[str, int, bool]


def _key_of(rank: RankProfile, comm: int) -> CommKey:
    """The same on all ranks of a communicator; a rank's first is MPI_COMM_WORLD."""
    own = rank.comms[comm]
    return own.members, own.ordinal, comm == 0


def _comm_names(profile: Profile) -> dict[CommKey, str]:
    """Each communicator as people name it."""
    world = profile.ranks[0].comms[0]
    names: dict[CommKey, str] = {}
    for rank in profile.ranks:
        for i, comm in enumerate(rank.comms):
            ranks = "all ranks" if comm.members == world.members else f"{comm.size} ranks"
            if i == 0:
                name = "world"
            elif comm.is_folded:
                name = "others"
            elif comm.ordinal < 0:
                name = f"some without collectives ({ranks})"
            else:
                name = f"communicator {len(names)} ({ranks})"
            names.setdefault(_key_of(rank, i), name)
    return names


def _split_collectives(
    profile: Profile,
    names: Mapping[CommKey, str],
    totals: Mapping[tuple[str, Place, str], SiteTotal],
) -> None:
    """Waiting, transfer and overhead of the sites of blocking collectives."""
    parts = [_rows(rank, profile) for rank in profile.ranks]
    rows = pl.concat([part for part in parts if part is not None] or [pl.DataFrame()])
    if rows.is_empty():
        return
    calls = split(rows)
    # The least a rank ever spent in a function besides waiting is not the network's.
    floor = pl.col("rest").min().over("world_rank", "function")
    sums = (
        calls.with_columns(floor=floor)
        .group_by("world_rank", "site")
        .agg(pl.col("time", "waiting", "rest", "floor").sum())
    )
    parts_of: dict[tuple[str, Place, str], list[tuple[float, ...]]] = defaultdict(list)
    for world_rank, site, time, waiting, rest, least in sums.iter_rows():
        rank = profile.ranks[world_rank]
        own = rank.sites[site]
        comm = names[_key_of(rank, own.comm)]
        # What is on record stands for all: beyond a million calls only some are.
        scale = own.time_ns * 1e-9 / time if time else 0.0
        parts_of[_key(own, comm)].append((waiting * scale, (rest - least) * scale, least * scale))
    for key, found in parts_of.items():
        total = totals[key]
        total.waiting_s, total.transfer_s, total.overhead_s = map(sum, zip(*found, strict=True))


def _rows(rank: RankProfile, profile: Profile) -> pl.DataFrame | None:
    """One rank's collectives by rank 0's clock, as stats.waiting takes them."""
    instances = profile.instances[rank.rank]
    if len(instances) == 0:
        return None
    comms = pl.DataFrame(
        [
            {"comm": i, "name": f"{c.members}/{c.ordinal}", "rank": c.rank, "size": c.size}
            for i, c in enumerate(rank.comms)
            if not c.is_inter
        ],
        schema={"comm": pl.Int32, "name": pl.String, "rank": pl.Int32, "size": pl.Int32},
    )
    functions = pl.DataFrame(
        {
            "site": range(len(rank.sites)),
            "function": [s.function.removeprefix("MPI_") for s in rank.sites],
        },
        schema={"site": pl.Int32, "function": pl.String},
    )
    columns = {name: instances[name] for name in ("enter", "leave", "number", "comm", "site")}
    offset = pl.lit(0.0) + _clock_offset(rank)
    return (
        pl.DataFrame({**columns, "root": instances["root"]})
        .join(comms, on="comm")
        .join(functions, on="site")
        .with_columns(
            comm=pl.col("name"),
            enter=pl.col("enter") + offset,
            leave=pl.col("leave") + offset,
            world_rank=pl.lit(rank.rank, pl.Int64),
        )
        .drop("name")
        .filter(pl.col("function").is_in(list(NEEDS)))
    )


def _clock_offset(rank: RankProfile) -> pl.Expr:
    """What rank 0's clock is ahead by, as it drifted from the first look to the last."""
    offset, growth, at = rank.clock_drift
    return offset + growth * (pl.col("enter") - at)


def _collectives_a_rank(profile: Profile) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for rank in profile.ranks:
        for site in rank.sites:
            if site.calls and site.kind in ("collective", "start"):
                counts[site.function] += site.calls
    return {name: count / len(profile.ranks) for name, count in sorted(counts.items())}
