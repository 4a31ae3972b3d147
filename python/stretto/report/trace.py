"""A trace for Perfetto and chrome://tracing: the Trace Event Format, one process a rank."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stretto.data.profiles import CallSite, Profile, RankProfile
from stretto.errors import writing

# What names a call's place to people.
Where = Callable[[CallSite], str]


def write_trace(
    profile: Profile, events: Callable[[RankProfile], NDArray[Any]], where: Where, path: Path
) -> None:
    """Write what each rank kept to `path`, gzipped, by rank 0's clock.

    Raises EnvironmentUnusable where that cannot be.
    """
    begin = min(float(rank.on_rank_zero(np.array(rank.begin_ns))) for rank in profile.ranks)
    partial = path.with_suffix(".partial")
    with writing(path), gzip.open(partial, "wt", compresslevel=5, encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        comma = ""
        for rank in profile.ranks:
            for text in _rank(rank, events(rank), where, begin):
                file.write(comma + text)
                comma = ",\n"
        file.write("\n]}\n")
    partial.rename(path)


def _rank(rank: RankProfile, events: NDArray[Any], where: Where, begin: float) -> Iterator[str]:
    for name, args in (
        ("process_name", {"name": f"rank {rank.rank} ({rank.host})"}),
        ("process_sort_index", {"sort_index": rank.rank}),
    ):
        yield _compact({"ph": "M", "name": name, "pid": rank.rank, "args": args})
    heads = [_head(rank, site, where) for site in rank.call_sites]
    enter_us = (rank.on_rank_zero(events["enter"]) - begin) / 1000
    times_us = (events["leave"] - events["enter"]) / 1000
    columns = (*(events[name] for name in ("site", "bytes", "calls", "thread")), enter_us, times_us)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for site, bytes_, calls, thread, enter, time in rows:
        polls = f',"calls":{calls}' if calls > 1 else ""
        event = f'{heads[site]}"bytes":{bytes_}{polls}}}'
        yield f'{event},"tid":{thread},"ts":{enter:.3f},"dur":{time:.3f}}}'


def _head(rank: RankProfile, site: CallSite, where: Where) -> str:
    """What the calls of a site have in common, up to the last of their arguments."""
    args: dict[str, object] = {"at": where(site)}
    if site.comm >= 0:
        args["ranks"] = rank.comms[site.comm].size
    event = {"ph": "X", "name": site.function, "cat": site.kind, "pid": rank.rank, "args": args}
    return _compact(event).removesuffix("}}") + ","


def _compact(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":"))
