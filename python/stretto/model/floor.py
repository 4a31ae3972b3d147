"""The bandwidth floor: what a collective takes at least, as its bytes have to cross wires.

Chan, Heimlich, Purkayastha and van de Geijn ("Collective communication: theory, practice, and
experience", Concurrency and Computation 19(13), 2007, table 1) give what a rank sends or receives
at least, of a vector of n bytes on p ranks: n in bcast and reduce, (p-1)/p n in scatter, gather,
allgather and reduce-scatter, 2 (p-1)/p n in allreduce. A rank of an alltoall receives a block from
each other; one of a scan or exscan what all before it have, combined.

The same holds of hosts, taken as one rank each. Their ranks send at once, so that what crosses is
divided by how many they are, except on a link that they share.
"""

import math
from collections.abc import Callable

from stretto.model.machine import Level, Machine

# Of p ranks (or hosts) that hold `own` bytes each: a block in those of blocks, the vector else.
_Bytes = Callable[[int, float], float]


def _vector(parties: int, own: float) -> float:
    return own if parties > 1 else 0.0


def _twice(parties: int, own: float) -> float:
    return 2 * (parties - 1) / parties * own


def _blocks(parties: int, own: float) -> float:
    return (parties - 1) * own


_NEEDED: dict[str, _Bytes] = {
    "bcast": _vector,
    "reduce": _vector,
    "scan": _vector,
    "exscan": _vector,
    "allreduce": _twice,
    "gather": _blocks,
    "scatter": _blocks,
    "allgather": _blocks,
    "reduce_scatter": _blocks,
    "alltoall": _blocks,
}
# What the ranks of a host have in them is a block of their host's.
_OF_BLOCKS = ("gather", "scatter", "allgather", "reduce_scatter", "alltoall")
# Whoever only sends may return before others have what it sent.
_ONLY_SENDS = {"bcast": "root", "scatter": "root", "gather": "non-root", "reduce": "non-root"}


def floor_ns(machine: Machine, collective: str, ranks: int, bytes_: int, rank_class: str) -> float:
    """At least so many ns, by bandwidth alone: latencies and the work of reductions are left out.

    `bytes_` are the vector's, or one rank's block's; `rank_class` is root, non-root or all. Of
    ranks that only send, and of what is not known here, as of a barrier, 0.
    """
    needed = _NEEDED.get(collective)
    if needed is None or _ONLY_SENDS.get(collective) == rank_class or ranks < 2:
        return 0.0
    levels = _levels_used(machine, ranks)
    nearest = min(least_ns_per_byte(level) for level in levels)
    least = needed(ranks, bytes_) * nearest
    if len(levels) > 1:
        together = machine.ranks[len(levels) - 2]
        least = max(least, _between(levels[-1], collective, ranks, together, bytes_))
    return least


def _between(level: Level, collective: str, ranks: int, together: int, bytes_: int) -> float:
    """What crosses the farthest level, between groups of so many ranks together."""
    groups = math.ceil(ranks / together)
    own = float(bytes_)
    if collective in _OF_BLOCKS:
        own *= together * together if collective == "alltoall" else together
    # Blocks of the last group may be fewer.
    share = (ranks - together) / ((groups - 1) * together) if collective in _OF_BLOCKS else 1.0
    crosses = _NEEDED[collective](groups, own) * share
    return max(
        crosses / together * least_ns_per_byte(level),
        crosses * level.link_ns_per_byte,
        crosses * level.medium_ns_per_byte,
    )


def _levels_used(machine: Machine, ranks: int) -> list[Level]:
    """From the nearest to the first that holds all of them."""
    for number, together in enumerate(machine.ranks):
        if together >= ranks or not together:
            return machine.level[: number + 1]
    return machine.level


def least_ns_per_byte(level: Level) -> float:
    """That of messages of the size that the level moves best, one after the other.

    A fitted piece may have no gap per byte; what counts is how long the sender is busy.
    """
    best = math.inf
    ends = [each.from_bytes for each in level.message[1:]]
    for message, end in zip(level.message, [*ends, None], strict=True):
        gap, overhead = message.gap_ns, message.send_overhead_ns
        per_byte = max(message.gap_ns_per_byte, message.overhead_ns_per_byte)
        if end is not None:
            size = max(end - 1, 1)
            per_byte = max(
                gap / size + message.gap_ns_per_byte,
                overhead / size + message.overhead_ns_per_byte,
            )
        best = min(best, per_byte)
    return best
