"""Waiting, transfer and overhead of blocking collectives, from when every rank came and went."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
from numpy.typing import NDArray

from stretto.data.profiles import CallSite, Profile, RankProfile
from stretto.stats.waiting import NEEDS, split


@dataclass(frozen=True)
class CollectiveParts:
    """One rank's calls at one call site; times in seconds."""

    rank: RankProfile
    call_site: CallSite
    waiting_s: float
    transfer_s: float
    overhead_s: float
    awaited_s: dict[int, float]  # of the waiting, for which rank of MPI_COMM_WORLD


def collective_parts(profile: Profile) -> Iterator[CollectiveParts]:
    """Of each rank's call sites of blocking collectives that are on record."""
    rows = collective_rows(profile)
    if rows.is_empty():
        return
    calls = split(rows)
    awaited = _awaited(calls)
    # The least a rank ever spent in a function besides waiting is not the network's.
    floor = pl.col("rest").min().over("world_rank", "function")
    sums = (
        calls.with_columns(floor=floor)
        .group_by("world_rank", "site")
        .agg(pl.col("time", "waiting", "rest", "floor").sum())
    )
    ranks = {each.rank: each for each in profile.ranks}
    for world_rank, site, time, waiting, rest, least in sums.iter_rows():
        rank = ranks[world_rank]
        own = rank.call_sites[site]
        # Who has not come back from a call has waited there.
        open_ns = _open_ns(rank, site)
        # What is on record stands for all: beyond a million calls only some are.
        scale = (own.time_ns - open_ns) * 1e-9 / time if time else 0.0
        waited = waiting * scale + open_ns * 1e-9
        late = {other: time * scale for other, time in awaited[world_rank, site].items()}
        yield CollectiveParts(rank, own, waited, (rest - least) * scale, least * scale, late)


def _open_ns(rank: RankProfile, site: int) -> int:
    """Of a call site's time, that of calls which have not ended."""
    calls = rank.snapshot.open if rank.snapshot else []
    return sum(call.time_ns for call in calls if call.site == site)


def _awaited(calls: pl.DataFrame) -> dict[tuple[int, int], dict[int, float]]:
    """By rank and call site, how long which rank of MPI_COMM_WORLD was waited for, ns."""
    members = calls.select("comm", awaited="rank", other="world_rank").unique(["comm", "awaited"])
    sums = (
        calls.join(members, on=["comm", "awaited"])
        .group_by("world_rank", "site", "other")
        .agg(pl.col("waiting").sum())
        .filter(pl.col("waiting") > 0)
    )
    found: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    for rank, site, other, time in sums.iter_rows():
        found[rank, site][other] = time
    return found


def collective_rows(profile: Profile) -> pl.DataFrame:
    """Each rank's blocking collectives by rank 0's clock, as stats.waiting takes them."""
    parts = [_rows(*each) for each in zip(profile.ranks, profile.instances, strict=True)]
    return pl.concat([part for part in parts if part is not None] or [pl.DataFrame()])


def _rows(rank: RankProfile, instances: NDArray[Any]) -> pl.DataFrame | None:
    """One rank's."""
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
            "site": range(len(rank.call_sites)),
            "function": [s.function.removeprefix("MPI_") for s in rank.call_sites],
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
    """What rank 0's clock is ahead by, as it drifted from the first measurement to the last."""
    offset, growth, at = rank.clock_drift
    return offset + growth * (pl.col("enter") - at)
