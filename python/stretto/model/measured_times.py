"""What the MPI's own collectives took where a machine was calibrated, for sizes in between."""

import math
from itertools import pairwise

from stretto.model.machine import Collective, Machine


def measured_ns(
    machine: Machine, collective: str, ranks: int, bytes_: int, *, cold: bool
) -> float | None:
    """Of a call of so many bytes; None where nobody measured it on so many ranks, or so large a
    one. Between two sizes a line in the logarithms of both; what is shorter than the shortest
    takes as long as that. `cold`: its data are in no cache.
    """
    by_size = {
        max(each.bytes, 1): _time(each, cold)
        for each in machine.collective
        if each.name == collective and each.ranks == ranks and each.time_ns > 0
    }
    points = sorted(by_size.items())
    if not points:
        return None
    if bytes_ <= points[0][0] or collective == "barrier":
        return points[0][1]
    for (low, below), (high, above) in pairwise(points):
        if bytes_ <= high:
            share = math.log(bytes_ / low) / math.log(high / low)
            return math.exp(math.log(below) + share * math.log(above / below))
    return None


def _time(each: Collective, cold: bool) -> float:
    return each.cold_ns if cold and each.cold_ns else each.time_ns
