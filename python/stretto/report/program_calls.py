"""What a profiled program calls, and how late its ranks came to some of the calls."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from stretto.data.profiles import CallSite, Profile
from stretto.report.collective_parts import collective_rows

_COLLECTIVES = {
    "Barrier": "barrier",
    "Bcast": "bcast",
    "Reduce": "reduce",
    "Allreduce": "allreduce",
    "Gather": "gather",
    "Scatter": "scatter",
    "Allgather": "allgather",
    "Alltoall": "alltoall",
    "Reduce_scatter_block": "reduce_scatter",
    "Scan": "scan",
    "Exscan": "exscan",
}
# Of each collective and size so many calls stand for all, spread over the run: ranks are not late
# by the same in each, and the mean of all would be late ranks in none.
_SAMPLES = 3
# A call for which a rank keeps the others waiting longer is measured as if it were so long.
_LONGEST_NS = 1e8


@dataclass(frozen=True)
class ProgramCalls:
    """Blocking calls of one collective among all ranks, of about one size."""

    collective: str
    bytes: int
    late_ns: dict[int, list[float]]  # by number of the call: each rank's lateness


def program_calls(profile: Profile) -> list[ProgramCalls]:
    """In the order of the first call of each."""
    whole = _calls_of_all(profile)
    if whole.is_empty():
        return []
    sizes = [_size(site) for site in profile.ranks[0].call_sites]
    kinds: dict[tuple[str, int], list[tuple[int, list[float]]]] = defaultdict(list)
    calls = whole.sort("number", "world_rank").group_by("comm", "number", maintain_order=True)
    lengths: dict[tuple[str, int], list[int]] = defaultdict(list)
    for (_, number), call in calls:
        name = _COLLECTIVES.get(call["function"][0])
        if name is None:
            continue
        length = sizes[call["site"][0]]
        kind = (name, length.bit_length())
        kinds[kind].append((int(number), _lateness(call["enter"].to_list())))
        lengths[kind].append(length)
    return [
        ProgramCalls(kind[0], sum(lengths[kind]) // len(lengths[kind]), dict(_some(found)))
        for kind, found in kinds.items()
    ]


def usual_lateness(profile: Profile) -> dict[str, list[int]]:
    """By how many ns each rank comes later to calls of a collective than the first, as median.

    Of blocking calls among all ranks, whatever their size, by name: "bcast", "reduce_scatter".
    """
    whole = _calls_of_all(profile)
    if whole.is_empty():
        return {}
    since = pl.col("enter") - pl.col("enter").min().over("comm", "number")
    late = (
        whole.with_columns(late=since.clip(upper_bound=_LONGEST_NS))
        .group_by("function", "world_rank")
        .agg(pl.col("late").median())
        .sort("function", "world_rank")
    )
    found: dict[str, list[int]] = {}
    for function, _, late_ns in late.iter_rows():
        found.setdefault(function.lower(), []).append(round(late_ns))
    return found


def _calls_of_all(profile: Profile) -> pl.DataFrame:
    """Of each rank, those that all ranks of the world are in."""
    rows = collective_rows(profile)
    if rows.is_empty():
        return rows
    world = len(profile.ranks)
    return rows.filter((pl.col("size") == world) & (pl.len().over("comm", "number") == world))


def _size(site: CallSite) -> int:
    return site.bytes // site.calls if site.calls else 0


def _lateness(enter: Sequence[float]) -> list[float]:
    first = min(enter)
    return [min(float(each - first), _LONGEST_NS) for each in enter]


def _some(
    found: list[tuple[int, list[float]]],
) -> list[tuple[int, list[float]]]:
    count = min(_SAMPLES, len(found))
    return [found[len(found) * (2 * i + 1) // (2 * count)] for i in range(count)]
