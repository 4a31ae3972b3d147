"""Who sends how much to whom: a profile's point-to-point messages and one-sided accesses."""

from dataclasses import dataclass
from itertools import groupby

import polars as pl

from stretto.data.profiles import Profile
from stretto.report.message_rows import channel_rows
from stretto.report.words import size
from stretto.stats.messages import ACCESSED, SENT

MOST_BINS = 32


@dataclass(frozen=True)
class Pair:
    """What one rank of MPI_COMM_WORLD sent to another, and accessed of its memory."""

    source: int
    dest: int
    messages: int = 0
    bytes: int = 0
    accesses: int = 0
    accessed_bytes: int = 0

    @property
    def all_bytes(self) -> int:
        """Of both."""
        return self.bytes + self.accessed_bytes


def pairs_of(profile: Profile) -> list[Pair]:
    """All pairs of ranks that have something, the heaviest first."""
    channels = channel_rows(profile).filter(pl.col("role").is_in([SENT, ACCESSED]))
    # Of a rank that recorded nothing only this says which one it is.
    first = profile.ranks[0]
    world = [
        {"group": first.comms[0].members, "dest": rank, "other": rank} for rank in range(first.size)
    ]
    members = pl.DataFrame(
        world
        + [
            {"group": comm.members, "dest": comm.rank, "other": rank.rank}
            for rank in profile.ranks
            for comm in rank.comms
            if not comm.is_folded
        ],
        schema={"group": pl.String, "dest": pl.Int32, "other": pl.Int64},
    ).unique(["group", "dest"])
    sums = (
        channels.join(members, on=["group", "dest"])
        .group_by("world_rank", "other", "role")
        .agg(pl.col("messages", "bytes").sum())
        .sort("world_rank", "other", "role")
    )
    found = []
    for (source, dest), rows in groupby(sums.iter_rows(), key=lambda row: row[:2]):
        counts = {role: (messages, bytes_) for _, _, role, messages, bytes_ in rows}
        found.append(Pair(source, dest, *counts.get(SENT, (0, 0)), *counts.get(ACCESSED, (0, 0))))
    return sorted(found, key=lambda pair: (-pair.all_bytes, pair.source, pair.dest))


@dataclass(frozen=True)
class Cell:
    """What some ranks sent to some others: where it is, how dark, and in words."""

    row: int
    column: int
    opacity: float
    words: str


@dataclass(frozen=True)
class MatrixPicture:
    """Rows are who sends, columns whom to; of many ranks each is of as many that follow."""

    bins: int
    ranks_a_bin: int
    ranks: int
    cells: list[Cell]
    words: str


def matrix_picture(pairs: list[Pair], ranks: int) -> MatrixPicture | None:
    """All pairs at a glance; None where there are none."""
    if not pairs:
        return None
    width = -(-ranks // MOST_BINS)
    binned: dict[tuple[int, int], Pair] = {}
    for pair in pairs:
        at = pair.source // width, pair.dest // width
        binned[at] = _sum(binned.get(at, Pair(*at)), pair)
    most = max(pair.all_bytes for pair in binned.values())
    cells = [
        Cell(row, column, _darkness(pair.all_bytes, most), _words(pair, width, ranks))
        for (row, column), pair in sorted(binned.items())
    ]
    heaviest = _words(pairs[0], 1, ranks)
    return MatrixPicture(-(-ranks // width), width, ranks, cells, f"most from {heaviest}")


def _sum(one: Pair, other: Pair) -> Pair:
    """Both together, by the place of the one."""
    return Pair(
        one.source,
        one.dest,
        one.messages + other.messages,
        one.bytes + other.bytes,
        one.accesses + other.accesses,
        one.accessed_bytes + other.accessed_bytes,
    )


def _darkness(bytes_: int, most: int) -> float:
    """Of 1: a thousandth of the most is half as dark as that, so that little shows, too."""
    if not bytes_:
        return 0.08
    lost = (most.bit_length() - bytes_.bit_length()) / 20
    return round(max(0.15, 1 - lost), 2)


def _words(pair: Pair, width: int, ranks: int) -> str:
    source, dest = (_ranks(at, width, ranks) for at in (pair.source, pair.dest))
    counts = []
    if pair.messages:
        noun = "message" if pair.messages == 1 else "messages"
        counts.append(f"{pair.messages:,} {noun}, {size(pair.bytes)}")
    if pair.accesses:
        noun = "access" if pair.accesses == 1 else "accesses"
        counts.append(f"{pair.accesses:,} one-sided {noun}, {size(pair.accessed_bytes)}")
    return f"{source} to {dest}: {'; '.join(counts)}"


def _ranks(at: int, width: int, ranks: int) -> str:
    """Those of a bin: "rank 3", "ranks 8 to 15"."""
    first, last = at * width, min(ranks, (at + 1) * width) - 1
    return f"rank {first}" if first == last else f"ranks {first} to {last}"
