"""What has a file of each rank, written as it finalizes: the beginning of them all."""

import msgspec


class OfRank(msgspec.Struct, frozen=True):
    """Who wrote the file."""

    rank: int
    size: int  # of MPI_COMM_WORLD
    mpi: str  # as its library calls itself
