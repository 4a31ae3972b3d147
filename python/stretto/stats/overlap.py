"""How much of a nonblocking collective went on while its rank computed.

Times are of one rank, in one unit: `total` from the start of the operation to the end of its wait,
with the computation in between; `communication` the same with nothing in between; `compute` the
computation alone. All may be numbers or arrays of one shape, and the answers are as they are.

No answer is clipped, as the benchmarks that they are from do: below 0 the operation made the
computation slower than one after the other; above 1 (or 100) it was faster beside it than alone,
which is noise or says that `communication` waits for other ranks.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def osu_percent(total: ArrayLike, communication: ArrayLike, compute: ArrayLike) -> Floats:
    """100 (1 - (total - compute) / communication): the share of the communication that was hidden.

    As the OSU Micro-Benchmarks have it for nonblocking collectives (osu_util_mpi.c:
    print_stats_nbc), which take what the calls of MPI_Test took from the computation, and cut the
    answer off at 0.
    """
    all_, comm, comp = _checked(total, communication, compute)
    return np.asarray(100 * (1 - (all_ - comp) / comm))


def imb_share(total: ArrayLike, communication: ArrayLike, compute: ArrayLike) -> Floats:
    """(communication + compute - total) / min(communication, compute): the share of what could be
    hidden that was. Where the computation is the shorter, that is less than the communication.

    As the Intel MPI Benchmarks have it (IMB-NBC, "Measuring Communication and Computation
    Overlap"), in percent and cut off at 0 and 100.
    """
    all_, comm, comp = _checked(total, communication, compute)
    return np.asarray((comm + comp - all_) / np.minimum(comm, comp))


def over_ideal(total: ArrayLike, communication: ArrayLike, compute: ArrayLike) -> Floats:
    """total / max(communication, compute): 1 is perfect overlap, 2 the most that none can cost.

    It asks nothing about where the time went, and is no quotient of small differences: the one of
    the three to compare implementations by.
    """
    all_, comm, comp = _checked(total, communication, compute)
    return np.asarray(all_ / np.maximum(comm, comp))


def _checked(*times: ArrayLike) -> tuple[Floats, ...]:
    arrays = tuple(np.asarray(each, dtype=float) for each in times)
    if any(np.any(each <= 0) for each in arrays):
        raise ValueError("overlap needs positive times")
    return arrays
