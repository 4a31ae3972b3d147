"""What calls of point-to-point messages waited for, from when both sides of each began."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from stretto.data.profiles import CallSite, Profile, RankProfile
from stretto.report.message_rows import channel_rows, message_rows
from stretto.report.words import share
from stretto.stats.messages import split

# Of a call site's time, what must have been for messages and for nothing else.
_MOSTLY = 0.99
# Of the calls that are on record, by time, those of which all messages are known at both ends.
_KNOWN = 0.5
# The same where not all ranks have finalized: the others' messages are not on record, and those
# calls may be just the ones that waited.
_KNOWN_OF_UNFINISHED = 0.99

_SITE = ("world_rank", "site")
_Site = tuple[int, int]


@dataclass
class MessageParts:
    """One rank's calls at one call site; times in seconds."""

    rank: RankProfile
    call_site: CallSite
    late_sender_s: float = 0.0
    late_receiver_s: float = 0.0
    transfer_s: float = 0.0
    overhead_s: float = 0.0
    # Of the waiting, for which rank of MPI_COMM_WORLD.
    awaited_s: dict[int, float] = field(default_factory=dict)


def message_calls(profile: Profile) -> pl.DataFrame:
    """The calls that messages were complete in, as stats.messages splits them."""
    return split(message_rows(profile), channel_rows(profile))


def message_parts(profile: Profile) -> Iterator[MessageParts]:
    """Of each rank's call sites whose time is for messages and known well enough to be divided."""
    rows = message_rows(profile)
    calls = split(rows, channel_rows(profile))
    kept, sums, awaited = _kept(rows), _sums(calls, profile), _awaited(calls)
    least = _KNOWN if profile.is_whole else _KNOWN_OF_UNFINISHED
    for rank in profile.ranks:
        for index, site in enumerate(rank.call_sites):
            if not site.time_ns or site.message_ns < _MOSTLY * site.time_ns:
                continue
            at = rank.rank, index
            if site.message_ns == site.trivial_ns:
                yield MessageParts(rank, site, transfer_s=site.time_ns * 1e-9)
            elif at in sums and sums[at]["time"] >= least * kept[at]:
                yield _scaled(rank, site, sums[at], awaited[at])


def _scaled(
    rank: RankProfile, site: CallSite, sums: Mapping[str, float], awaited: Mapping[int, float]
) -> MessageParts:
    """What is on record stands for all: of very many messages only some are."""
    in_messages = 1e-9 * site.time_ns / site.message_ns
    scale = in_messages * share(site.message_ns - site.trivial_ns, sums["time"])
    return MessageParts(
        rank,
        site,
        sums["late_sender"] * scale,
        sums["late_receiver"] * scale,
        (sums["rest"] - sums["floor"]) * scale + in_messages * site.trivial_ns,
        sums["floor"] * scale,
        {other: late * scale for other, late in awaited.items()},
    )


def _sums(calls: pl.DataFrame, profile: Profile) -> dict[_Site, dict[str, float]]:
    """By rank and call site, ns."""
    functions = pl.DataFrame(
        [
            {"world_rank": rank.rank, "site": index, "function": site.function}
            for rank in profile.ranks
            for index, site in enumerate(rank.call_sites)
        ],
        schema={"world_rank": pl.Int64, "site": pl.Int32, "function": pl.String},
    )
    # The least a rank ever spent in a function besides waiting is not the network's.
    floor = pl.col("rest").min().over("world_rank", "function").alias("floor")
    names = ("time", "late_sender", "late_receiver", "rest", "floor")
    sums = (
        calls.join(functions, on=_SITE)
        .with_columns(floor)
        .group_by(_SITE)
        .agg(pl.col(*names).sum())
    )
    return {(row["world_rank"], row["site"]): row for row in sums.iter_rows(named=True)}


def _kept(rows: pl.DataFrame) -> dict[_Site, float]:
    """The time of all calls on record, by rank and call site, ns."""
    calls = rows.filter(pl.col("call") >= 0).unique(["world_rank", "call"])
    times = calls.group_by(_SITE).agg((pl.col("leave") - pl.col("enter")).sum())
    return {(rank, site): time for rank, site, time in times.iter_rows()}


def _awaited(calls: pl.DataFrame) -> dict[_Site, dict[int, float]]:
    """By rank and call site, how long which rank was waited for, ns."""
    late = (pl.col("late_sender") + pl.col("late_receiver")).sum().alias("late")
    sums = calls.group_by(*_SITE, "awaited").agg(late).filter(pl.col("late") > 0)
    found: dict[_Site, dict[int, float]] = defaultdict(dict)
    for rank, site, other, time in sums.iter_rows():
        found[rank, site][other] = time
    return found
