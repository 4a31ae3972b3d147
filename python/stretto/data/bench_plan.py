"""What `stretto bench` is to measure: plans, and the cells they are made of."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Literal

import msgspec

from stretto.errors import InputError
from stretto.stats import rank_classes

# As src/bench/suite/blocks.cpp has them.
ROOTED = rank_classes.ROOTED
_REDUCING = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan")
COLLECTIVES = (
    "barrier",
    *ROOTED,
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    *_REDUCING[1:],
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
)
MESSAGES = ("pingpong", "exchange")
REDUCE_LOCAL = "reduce_local"
ONLY_BLOCKING = (REDUCE_LOCAL, "comm_dup", "comm_split")
OTHERS = (*MESSAGES, *ONLY_BLOCKING)
REDUCTIONS = (*_REDUCING, REDUCE_LOCAL)
# Those with counts and without a root of their own, which one rank's elements alone make a
# broadcast or a reduction: "allgatherv-of-root".
OF_ROOT = ("allgatherv", "reduce_scatter")
_OF_ROOT = "-of-root"
# Those whose blocks may differ in length.
TAKE_COUNTS = (
    *("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"),
    *("neighbor_allgatherv", "neighbor_alltoallv", "neighbor_alltoallw"),
)
WITHOUT_DATA = ("barrier", "comm_dup", "comm_split")
COMPUTE = "compute"

Scheme = Literal[
    "auto", "none", "barrier", "double-barrier", "dissemination", "window", "round-time"
]
BufferUse = Literal["same", "rewritten", "unique", "cold"]
Datatype = Literal["byte", "int", "long", "float", "double"]
Op = Literal["sum", "max", "min", "band", "bor"]
Comm = Literal["world", "every-second", "one-a-host", "halves"]

# Of so many ranks how many are in each of these, or in the smaller one; of one a host at most.
COMM_SIZES: dict[Comm, Callable[[int], int]] = {
    "world": lambda ranks: ranks,
    "every-second": lambda ranks: (ranks + 1) // 2,
    "one-a-host": lambda ranks: ranks,
    "halves": lambda ranks: max(ranks // 2, 1),
}

# What a byte of each is.
ELEMENT_BYTES = {"byte": 1, "int": 4, "long": 8, "float": 4, "double": 8}


class Form(StrEnum):
    """In which of MPI's forms an operation is called."""

    BLOCKING = "blocking"
    NONBLOCKING = "nonblocking"
    PERSISTENT = "persistent"


class BenchCell(msgspec.Struct, frozen=True):
    """One thing that is measured, many times in every launch."""

    number: int
    operation: str
    form: Form = Form.BLOCKING
    bytes: int = 0  # of the vector, or of one rank's block: the largest where they differ
    datatype: Datatype = "double"
    op: Op = "sum"
    in_place: bool = False
    root: int = 0  # of the first repetition
    root_step: int = 0  # each one's root is by so many higher
    comm: Comm = "world"
    fresh: bool = False  # on a communicator on which nobody has called anything
    of_root: bool = False  # all elements are the root's, and none other ranks'
    counts: list[int] = []  # elements of each rank's block, where they differ
    compute_ns: int = 0  # work between start and wait
    tests: int = 0  # MPI_Tests within that work
    after_ns: int = 0  # work after the wait
    delays_ns: list[int] = []  # how late each rank comes, from `delays_from` on; others do not
    delays_from: int = 0
    # What compute_ns was planned as: so many times what the operation takes alone, as a pilot
    # measured it. 0: there is no work, or an earlier version planned it.
    compute_factor: float = 0.0

    @property
    def name(self) -> str:
        """As users call it: iallreduce, allreduce_init, allgatherv-of-root."""
        return name_of(self.operation, self.form) + (_OF_ROOT if self.of_root else "")

    @property
    def late_ns(self) -> dict[int, int]:
        """By how much each rank is late that is late at all."""
        return {rank: by for rank, by in enumerate(self.delays_ns, self.delays_from) if by}


class Settings(msgspec.Struct, frozen=True):
    """How every cell is measured."""

    synchronisation: Scheme = "auto"
    buffers: BufferUse = "rewritten"
    checks: bool = True
    budget_ns: int = 50_000_000  # repetitions of a cell end after so long
    warmup: int = 10
    at_least: int = 10
    at_most: int = 1000
    tolerance_ns: int = 1000
    skew_ns: int = 0
    cell_timeout_s: int = 30


class BenchPlan(msgspec.Struct, frozen=True):
    """All that a run does; a run resumes only under the plan it began with."""

    name: str
    implementations: list[str]
    ranks: int
    launches: int
    seed: int
    settings: Settings
    cells: list[BenchCell]
    launcher: str
    rig: str | None = None
    width: float | None = None  # launches go on until intervals are as narrow, as a share
    most_launches: int = 0
    asked: dict[str, Any] = {}  # the plan as people write it that this was made of
    in_order: bool = False  # cells are measured as they come, not in an order drawn by lot


def name_of(operation: str, form: str) -> str:
    """As MPI calls the function."""
    if form == Form.NONBLOCKING:
        return f"i{operation}"
    return operation + ("_init" if form == Form.PERSISTENT else "")


def function_of(operation: str, form: str) -> str:
    """As a program calls it: MPI_Reduce_scatter_block, MPI_Ibcast, MPI_Gather_init."""
    if operation in ONLY_BLOCKING:
        form = Form.BLOCKING
    return f"MPI_{name_of(operation, form).capitalize()}"


_NAMED = {name_of(each, form): (each, form) for each in (*COLLECTIVES, *MESSAGES) for form in Form}
_NAMED |= {each: (each, Form.BLOCKING) for each in ONLY_BLOCKING}
_NAMED |= {name + _OF_ROOT: each for name, each in _NAMED.items() if each[0] in OF_ROOT}


def named(word: str) -> tuple[str, Form]:
    """The operation and form that a user calls "ibcast", "MPI_Bcast_init" or "bcast"."""
    name = word.lower().removeprefix("mpi_")
    if name in _NAMED:
        return _NAMED[name]
    raise InputError(
        f"{word} is nothing that is measured here; there are "
        f"{', '.join((*COLLECTIVES, *MESSAGES))} (with i before or _init behind), "
        f"{', '.join(ONLY_BLOCKING)} and {', '.join(each + _OF_ROOT for each in OF_ROOT)}"
    )


def is_of_root(word: str) -> bool:
    """Whether a user's name says that all elements are the root's: "iallgatherv-of-root"."""
    return word.lower().endswith(_OF_ROOT)


# Of a cell, what says how it was planned and not what is done.
_PLANNED = ("compute_factor",)


def plan_text(settings: Settings, cells: Sequence[BenchCell]) -> str:
    """As the native program reads it."""
    lines = [_line("settings", settings, Settings())]
    lines += [_line("cell", cell, BenchCell(number=-1, operation="")) for cell in cells]
    return "\n".join(lines) + "\n"


def _line(kind: str, values: msgspec.Struct, defaults: msgspec.Struct) -> str:
    words = [kind]
    for name in values.__struct_fields__:
        value = getattr(values, name)
        # What is as ever goes without saying, but for what the program has no default of.
        is_said = value != getattr(defaults, name) or name in ("budget_ns", "cell_timeout_s")
        if is_said and name not in _PLANNED:
            words.append(f"{name}={_word(value)}")
    return " ".join(words)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)
