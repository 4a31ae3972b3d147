"""A plain mpi4py program: collectives, blocking and not, buffers and objects."""

import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
mine = array.array("d", (rank + i for i in range(1000)))
total = array.array("d", bytes(8000))
world.Iallreduce(mine, total, MPI.SUM).Wait()
assert list(total) == [size * (size - 1) / 2 + size * i for i in range(1000)]
world.Allreduce(mine, total, MPI.MAX)
assert list(total) == [size - 1 + i for i in range(1000)]
assert world.bcast({"from": rank}, root=size - 1) == {"from": size - 1}
assert world.allgather(rank) == list(range(size))
world.Barrier()
if rank == 0:
    print("mpi4py ok")
