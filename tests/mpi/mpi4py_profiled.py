"""What `stretto profile` must find of a Python program: the lines that call mpi4py.

Lines are found by the words at their ends.
"""

import array
import threading

from mpi4py import MPI

ROUNDS = 10
world = MPI.COMM_WORLD
mine, total = array.array("d", [world.rank]), array.array("d", [0])


class Solver:
    """Calls from a method."""

    def step(self, number: int) -> None:
        world.Allreduce(mine, total, MPI.SUM)  # a method's
        request = world.Iallreduce(mine, total, MPI.MAX)  # starts
        if number % 2:
            request.Wait()  # odd
        else:
            request.Wait()  # even


solver = Solver()
for number in range(ROUNDS):
    solver.step(number)
world.Allreduce(mine, total, MPI.SUM)  # a module's
assert world.allgather(world.rank) == list(range(world.size))  # of objects
# As many lines as one function may be called from, and each is another's when it is gone.
for number in range(ROUNDS):
    exec(compile("world.Barrier()", f"made-{number}.py", "exec"))


def in_a_thread() -> None:
    """Calls from another thread than the main one."""
    world.Barrier()


thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
if world.rank == 0:
    print("mpi4py ok")
