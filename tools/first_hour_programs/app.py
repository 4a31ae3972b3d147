"""app.c in Python, with mpi4py."""

import os
import sys
import time
from array import array
from math import cos
from pathlib import Path

from mpi4py import MPI

LENGTH = 512

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20
way = sys.argv[2] if len(sys.argv) > 2 else ""
work, sums = array("d", bytes(8 * LENGTH)), array("d", bytes(8 * LENGTH))


def compute(times: int) -> None:
    for _ in range(times):
        for at in range(LENGTH):
            work[at] = cos(work[at] + 1e-4 * at)


def solve() -> float:
    from_left = array("d", [0.0])
    request = MPI.REQUEST_NULL
    for step in range(steps):
        mine = array("d", work)
        if way != "quiet":
            request = world.Iallreduce(mine, sums, MPI.SUM)
        compute(400 if way == "late" and rank == 1 else 4)
        if rank == 1 and 2 * step >= steps:
            if way == "crashes":
                os.abort()
            while way == "hangs":
                time.sleep(1)
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        world.Sendrecv(work[1:2], dest=right, recvbuf=from_left, source=left)
        request.Wait()
        work[0] = sums[LENGTH // 2] / ranks + from_left[0]
    greatest = work[LENGTH // 2]
    return greatest if way == "quiet" else world.allreduce(greatest, MPI.MAX)


if way == "once" and Path("result").exists():
    if rank == 0:
        print("there is a result already")
    sys.exit()
if way == "reads":
    steps = world.bcast(int(sys.stdin.readline() or 0) if rank == 0 else 0)
begun = MPI.Wtime()
checksum = solve()
if way == "noisy":
    checksum *= 1 + 1e-13 * (os.getpid() % 1000)
if rank == 0:
    print(f"steps {steps}\nchecksum {checksum:.15f}\ntime {MPI.Wtime() - begun:f} s")
    if way == "once":
        Path("result").touch()
