"""Self-consistent performance guidelines: what no collective should take longer than.

Whoever can put an operation together from others has no reason to wait longer for the MPI's own:
Träff, Gropp and Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010. The
list is that of PGMPITuneLib: 9 operations and 23 mock-ups (Hunold and Carpen-Amarie, "Autotuning
MPI collectives using performance guidelines", HPC Asia 2018).

Bytes are as `stretto bench` has them: of one rank's block where an operation has blocks, otherwise
of the vector. A mock-up pads what does not divide evenly, so a part may be larger than needed.
"""

from collections.abc import Callable
from dataclasses import dataclass

# Of the bytes of the operation and the number of ranks: those of a part.
PartBytes = Callable[[int, int], int]


def _same(size: int, _ranks: int) -> int:
    return size


def _all_blocks(size: int, ranks: int) -> int:
    return size * ranks


def _one_block(size: int, ranks: int) -> int:
    return -(-size // ranks)


@dataclass(frozen=True)
class GuidelinePart:
    """One of the operations that a mock-up calls, one after the other."""

    operation: str
    bytes: PartBytes = _same
    of_root: bool = False  # the counts of all ranks but the root are 0


@dataclass(frozen=True)
class Guideline:
    """What an operation should not take longer than."""

    operation: str
    parts: tuple[GuidelinePart, ...]
    algorithm: str = ""  # of Stretto, which does the same in one schedule

    @property
    def words(self) -> str:
        """As the literature writes it."""
        return f"{self.operation} <= {' + '.join(part.operation for part in self.parts)}"


def _of(operation: str, *parts: GuidelinePart, algorithm: str = "") -> Guideline:
    return Guideline(operation, parts, algorithm)


GUIDELINES = (
    _of("allgather", GuidelinePart("gather"), GuidelinePart("bcast", _all_blocks)),
    _of("allgather", GuidelinePart("alltoall")),
    _of("allgather", GuidelinePart("allreduce", _all_blocks)),
    _of("allgather", GuidelinePart("allgatherv")),
    _of("allreduce", GuidelinePart("reduce"), GuidelinePart("bcast")),
    _of(
        "allreduce",
        GuidelinePart("reduce_scatter_block", _one_block),
        GuidelinePart("allgather", _one_block),
        algorithm="rabenseifner",
    ),
    _of(
        "allreduce",
        GuidelinePart("reduce_scatter", _one_block),
        GuidelinePart("allgatherv", _one_block),
        algorithm="rabenseifner",
    ),
    _of("alltoall", GuidelinePart("alltoallv")),
    _of("bcast", GuidelinePart("allgatherv", of_root=True)),
    _of(
        "bcast",
        GuidelinePart("scatter", _one_block),
        GuidelinePart("allgather", _one_block),
        algorithm="scatter_allgather",
    ),
    _of("gather", GuidelinePart("allgather")),
    _of("gather", GuidelinePart("gatherv")),
    _of("gather", GuidelinePart("reduce", _all_blocks)),
    _of("reduce", GuidelinePart("allreduce")),
    _of(
        "reduce",
        GuidelinePart("reduce_scatter_block", _one_block),
        GuidelinePart("gather", _one_block),
        algorithm="rabenseifner",
    ),
    _of(
        "reduce",
        GuidelinePart("reduce_scatter", _one_block),
        GuidelinePart("gatherv", _one_block),
        algorithm="rabenseifner",
    ),
    _of("reduce", GuidelinePart("reduce_scatter", of_root=True)),
    _of("reduce_scatter_block", GuidelinePart("reduce", _all_blocks), GuidelinePart("scatter")),
    _of("reduce_scatter_block", GuidelinePart("reduce_scatter")),
    _of("reduce_scatter_block", GuidelinePart("allreduce", _all_blocks)),
    _of("scan", GuidelinePart("exscan"), GuidelinePart("reduce_local")),
    _of("scatter", GuidelinePart("bcast", _all_blocks)),
    _of("scatter", GuidelinePart("scatterv")),
)
