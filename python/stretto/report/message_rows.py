"""The messages of a profile as stats.messages takes them."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.data.profiles import Profile, RankProfile
from stretto.stats.messages import ACCESSED, SENT

_SIDE: dict[str, type[pl.DataType]] = {
    "world_rank": pl.Int64,
    "role": pl.Int32,
    "comm": pl.String,
    "source": pl.Int32,
    "dest": pl.Int32,
    "tag": pl.Int32,
}
_MESSAGE = _SIDE | {
    "number": pl.Int64,
    "begin": pl.Float64,
    "enter": pl.Float64,
    "leave": pl.Float64,
    "error": pl.Int64,
    "call": pl.Int64,
    "site": pl.Int32,
    "messages": pl.Int32,
}
_CHANNEL = _SIDE | {"group": pl.String, "messages": pl.Int64, "bytes": pl.Int64}


def message_rows(profile: Profile) -> pl.DataFrame:
    """Each side of each message that is on record, by rank 0's clock."""
    parts = []
    for rank, rows in zip(profile.ranks, profile.messages, strict=False):
        columns: dict[str, Any] = {
            name: rank.on_rank_zero(rows[name]) for name in ("begin", "enter", "leave")
        }
        columns |= {name: rows[name] for name in ("number", "call", "site", "messages")}
        columns["error"] = np.full(len(rows), max(clock.error_ns for clock in rank.clocks))
        parts.append(_frame(_sides(rank, rows) | columns, _MESSAGE))
    return pl.concat(parts) if parts else pl.DataFrame(schema=_MESSAGE)


def channel_rows(profile: Profile) -> pl.DataFrame:
    """How many messages each rank had with which other and tag, either way.

    `group` names the ranks of the communicator in their order, whichever communicator it is.
    """
    parts = []
    for rank, rows in zip(profile.ranks, profile.channels, strict=False):
        columns: dict[str, Any] = {name: rows[name] for name in ("messages", "bytes")}
        groups = np.array([comm.members for comm in rank.comms], dtype=object)
        columns["group"] = pl.Series(groups[rows["comm"]], dtype=pl.String)
        parts.append(_frame(_sides(rank, rows) | columns, _CHANNEL))
    return pl.concat(parts) if parts else pl.DataFrame(schema=_CHANNEL)


def _frame(columns: dict[str, Any], schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    return pl.DataFrame(columns).select(pl.col(name).cast(of) for name, of in schema.items())


def _sides(rank: RankProfile, rows: NDArray[Any]) -> dict[str, Any]:
    """Who sends to whom, where both of them say it alike."""
    names = np.array([_name(rank, comm) for comm in range(len(rank.comms))], dtype=object)
    own = np.array([comm.rank for comm in rank.comms], dtype=np.int32)[rows["comm"]]
    is_sent = np.isin(rows["role"], (SENT, ACCESSED))
    return {
        "world_rank": np.full(len(rows), rank.rank),
        "role": rows["role"],
        "comm": pl.Series(names[rows["comm"]], dtype=pl.String),
        "source": np.where(is_sent, own, rows["peer"]),
        "dest": np.where(is_sent, rows["peer"], own),
        "tag": rows["tag"],
    }


def _name(rank: RankProfile, comm: int) -> str:
    """The same on all ranks of a communicator; each rank's first is MPI_COMM_WORLD."""
    own = rank.comms[comm]
    return "world" if comm == 0 else f"{own.members}/{own.ordinal}"
