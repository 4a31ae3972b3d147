"""The messages that `stretto profile` recorded: of each rank a rank-N.messages and -N.channels."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stretto.data.rows import read_rows
from stretto.errors import InputError

if TYPE_CHECKING:
    from stretto.data.profiles import RankProfile

# src/intercept/profile/messages.hpp, struct MessageRow.
_MESSAGE = np.dtype(
    [
        ("begin", "i8"),
        ("enter", "i8"),
        ("leave", "i8"),
        ("number", "i8"),
        ("call", "i8"),
        ("comm", "i4"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("site", "i4"),
        ("messages", "i4"),
        ("role", "i4"),
    ]
)
# The same, struct ChannelRow.
_CHANNEL = np.dtype(
    [
        ("comm", "i4"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("role", "i4"),
        ("messages", "i8"),
        ("bytes", "i8"),
    ]
)


def read_messages(folder: Path, rank: "RankProfile") -> NDArray[Any]:
    """Sides of messages that one rank kept; none where its profile is older than those are.

    Raises InputError where the file is damaged.
    """
    if rank.messages is None:
        return np.empty(0, dtype=_MESSAGE)
    path = folder / f"rank-{rank.rank}.messages"
    rows = _whole(path, _MESSAGE, {"comm": len(rank.comms)}, rank.messages.rows)
    wrong = np.flatnonzero((rows["site"] < -1) | (rows["site"] >= len(rank.call_sites)))
    if wrong.size:
        at = int(wrong[0]) * _MESSAGE.itemsize
        raise InputError(f"{path} is damaged: an unknown site at byte {at}")
    return rows


def read_channels(folder: Path, rank: "RankProfile") -> NDArray[Any]:
    """How many messages one rank had with which other and tag, either way.

    Raises InputError where the file is damaged.
    """
    if rank.messages is None:
        return np.empty(0, dtype=_CHANNEL)
    path = folder / f"rank-{rank.rank}.channels"
    return _whole(path, _CHANNEL, {"comm": len(rank.comms)}, rank.messages.channels)


def _whole(path: Path, row: np.dtype[Any], known: dict[str, int], count: int) -> NDArray[Any]:
    rows = read_rows(path, row, known)
    if len(rows) != count:
        raise InputError(f"{path} has {len(rows)} rows, not the {count} it had")
    return rows
