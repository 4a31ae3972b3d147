"""What each rank of a profile did when: its trace in equal stretches of time, however long it is.

Of a stretch the picture has shares, no calls: a trace of millions makes it no larger.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.data.profiles import Profile, RankProfile
from stretto.report.collective_parts import collective_rows
from stretto.report.message_parts import message_calls
from stretto.report.plots import Tick, axis
from stretto.report.words import percent, seconds, share
from stretto.stats.waiting import split

MOST_RANKS = 64
_STRETCHES = 160
HEIGHT = 20  # of a lane, in steps: what a stretch is divided into
# From the bottom of a lane, with their words.
KINDS = {
    "computing": "computing",
    "transfer": "transfer",
    "waiting": "waiting for late ranks, senders or receivers",
    "mpi": "not divided",
}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """All of one kind that a lane has, as the path of an SVG: a stretch is 1 wide."""

    kind: str
    path: str


@dataclass(frozen=True)
class Lane:
    """What one rank did."""

    name: str
    words: str  # for who does not see it
    shapes: list[Shape]


@dataclass(frozen=True)
class Timeline:
    """All lanes, from the first rank's MPI_Init to the last one's MPI_Finalize."""

    stretches: int
    stretch: str  # how long each is, in words
    height: int
    ticks: list[Tick]
    lanes: list[Lane]
    left_out: int
    is_cut: bool  # the trace begins later than the program
    keys: list[tuple[str, str]]


def timeline(
    profile: Profile, events: Callable[[RankProfile], NDArray[Any]], ranks: Sequence[int]
) -> Timeline | None:
    """Of those ranks; None where nothing was traced. `events` reads what one kept.

    Times are those of rank 0's clock.
    """
    by_rank = {rank.rank: rank for rank in profile.ranks}
    shown = [by_rank[rank] for rank in ranks[:MOST_RANKS]]
    if not any(rank.trace for rank in shown):
        return None
    begin = min(float(rank.on_rank_zero(np.array(rank.begin_ns))) for rank in profile.ranks)
    end = max(float(rank.on_rank_zero(np.array(rank.end_ns))) for rank in profile.ranks)
    length = max(end - begin, 1.0)
    edges = begin + length * np.arange(_STRETCHES + 1) / _STRETCHES
    waits = _divided(profile)
    lanes = [_lane(rank, events(rank), waits.get(rank.rank), edges) for rank in shown]
    # Room for half a dot, which this axis needs not.
    horizontal = axis(length * 1e-9, _tick)
    ticks = [Tick(round(tick.at * 1.04, 3), tick.label) for tick in horizontal.ticks]
    return Timeline(
        _STRETCHES,
        seconds(length * 1e-9 / _STRETCHES),
        HEIGHT,
        ticks,
        lanes,
        len(profile.ranks) - len(shown),
        any(_is_cut(rank) for rank in shown),
        [*KINDS.items()],
    )


def _tick(value: float) -> str:
    if value == 0:
        return "0"
    number, unit = seconds(value).split()
    return f"{float(number):g} {unit}"


def _is_cut(rank: RankProfile) -> bool:
    return rank.trace is not None and rank.trace.kept < rank.trace.calls


def _divided(profile: Profile) -> dict[int, pl.DataFrame]:
    """By rank, when it came to and left each divided call on record, and its waiting."""
    names = ("world_rank", "enter", "leave", "waiting")
    messages = message_calls(profile).with_columns(
        waiting=pl.col("late_sender") + pl.col("late_receiver")
    )
    parts = [messages.select(names)]
    if not (rows := collective_rows(profile)).is_empty():
        parts.append(split(rows).select(names))
    calls = pl.concat(parts, how="vertical_relaxed")
    return {
        int(key[0]): part for key, part in calls.partition_by("world_rank", as_dict=True).items()
    }


def _lane(
    rank: RankProfile, events: NDArray[Any], calls: pl.DataFrame | None, edges: Floats
) -> Lane:
    enter, leave = (rank.on_rank_zero(events[name]) for name in ("enter", "leave"))
    first, last = (float(rank.on_rank_zero(np.array(ns))) for ns in (rank.begin_ns, rank.end_ns))
    if _is_cut(rank) and len(enter):
        first = float(enter.min())  # nothing is known of what was before
    known = _within(np.array([first]), np.array([last]), edges)
    in_mpi = np.minimum(_within(enter, leave, edges), known)  # threads may be in MPI at once
    waiting = transfer = np.zeros(len(edges) - 1)
    if calls is not None:
        # Those of which the trace has nothing any more are not on the picture either.
        calls = calls.filter(pl.col("enter") >= first)
        came, went = calls["enter"].to_numpy(), calls["leave"].to_numpy()
        until = came + calls["waiting"].to_numpy()
        waiting = np.minimum(_within(came, until, edges), in_mpi)
        transfer = np.minimum(_within(until, went, edges), in_mpi - waiting)
    times = {
        "computing": known - in_mpi,
        "transfer": transfer,
        "waiting": waiting,
        "mpi": in_mpi - waiting - transfer,
    }
    whole = float(known.sum())
    words = ", ".join(
        f"{meaning} {percent(share(float(times[kind].sum()), whole))}"
        for kind, meaning in KINDS.items()
    )
    return Lane(f"rank {rank.rank}", words, [*_shapes(times, np.diff(edges))])


def _within(begins: Floats, ends: Floats, edges: Floats) -> Floats:
    """How much of each stretch between two edges lies between a beginning and its end."""

    def before(times: Floats) -> Floats:
        """Up to each edge: how long ago all those times were that are before it, as a sum."""
        ordered = np.sort(times)
        sums = np.concatenate([[0.0], np.cumsum(ordered - edges[0])])
        count = np.searchsorted(ordered, edges, side="right")
        return np.asarray(count * (edges - edges[0]) - sums[count])

    return np.maximum(np.diff(before(begins) - before(ends)), 0.0)


def _shapes(times: dict[str, Floats], widths: Floats) -> Iterator[Shape]:
    """Upon each other, in steps of the height, so rounded that they are as high as their sum."""
    heights = np.cumsum([times[kind] / widths for kind in KINDS], axis=0)
    tops = np.rint(HEIGHT * np.minimum(heights, 1.0)).astype(int)
    bottoms = np.vstack([np.zeros(tops.shape[1], dtype=int), tops[:-1]])
    for kind, low, high in zip(KINDS, bottoms, tops, strict=True):
        if path := "".join(_boxes(low, high)):
            yield Shape(kind, path)


def _boxes(low: NDArray[np.int_], high: NDArray[np.int_]) -> Iterator[str]:
    """A box for all stretches in a row that are alike."""
    changes = np.flatnonzero((np.diff(low) != 0) | (np.diff(high) != 0)) + 1
    for begin, end in zip([0, *changes.tolist()], [*changes.tolist(), len(low)], strict=True):
        bottom, top = int(low[begin]), int(high[begin])
        if top > bottom:
            width = end - begin
            yield f"M{begin} {HEIGHT - top}h{width}v{top - bottom}h-{width}z"
