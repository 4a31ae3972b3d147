"""The trace that `stretto profile --trace` recorded: of each rank a rank-N.trace."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stretto.data.profiles import RankProfile
from stretto.data.rows import read_rows
from stretto.errors import InputError

# src/intercept/profile/event_log.hpp, struct TimedEvent.
_EVENT = np.dtype(
    [
        ("enter", "i8"),
        ("leave", "i8"),
        ("bytes", "i8"),
        ("site", "i4"),
        ("thread", "i4"),
        ("calls", "i8"),
    ]
)


def read_trace(folder: Path, rank: RankProfile) -> NDArray[Any]:
    """The calls that one rank kept, in the order of their ends; none where it made none.

    Polls (MPI_Test, MPI_Iprobe and their kind) in a row are one event, whose `calls` says how many.

    Raises InputError where the file is damaged.
    """
    if rank.trace is None:
        return np.empty(0, dtype=_EVENT)
    path = folder / f"rank-{rank.rank}.trace"
    events = read_rows(path, _EVENT, {"site": len(rank.call_sites)})
    for has, had, what in (
        (len(events), rank.trace.events, "events"),
        (int(events["calls"].sum()), rank.trace.kept, "calls"),
    ):
        if has != had:
            raise InputError(f"{path} has {has} {what}, not the {had} it had")
    wrong = np.flatnonzero((events["leave"] < events["enter"]) | (events["enter"] < rank.begin_ns))
    if wrong.size:
        at = int(wrong[0]) * _EVENT.itemsize
        raise InputError(f"{path} is damaged: a call at an impossible time at byte {at}")
    return events
