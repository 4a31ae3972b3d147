"""What a user asks `stretto bench` to measure, as options or as a TOML file, and its cells."""

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from stretto.data.bench_plan import (
    COMPUTE,
    ELEMENT_BYTES,
    REDUCTIONS,
    ROOTED,
    TAKE_COUNTS,
    WITHOUT_DATA,
    BenchCell,
    BufferUse,
    Comm,
    Datatype,
    Form,
    Op,
    Scheme,
    Settings,
    is_of_root,
    named,
)
from stretto.errors import InputError

OPERATIONS = ["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather"]
OPERATIONS += ["alltoall"]
SIZES = [8, 64, 256, 512, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20]
SIZES += [4 << 20]
LAUNCHES = 10

# Of more ranks not each is late in turn, and plans have delays from the first late one to the last.
MANY_RANKS = 64
_LATE_OF_MANY = 16

_MOST = 2**31 - 1
Share = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
# No interval is narrower than 0, and launches would go on to the most of them.
Width = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
Names = Annotated[list[str], msgspec.Meta(min_length=1)]

# Of each operation the patterns in which ranks come to it: by how many ns each is late.
Lateness = Mapping[str, list[list[int]]]


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan as people write it; docs/bench.md lists what each is."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w.-]+$")] = "bench"
    about: str = ""
    operations: Names = msgspec.field(default_factory=lambda: [*OPERATIONS])
    sizes: list[Count] = msgspec.field(default_factory=lambda: [*SIZES])
    implementations: Names = msgspec.field(default_factory=lambda: ["native"])
    ranks: AtLeastOne = 2
    launches: AtLeastOne = LAUNCHES
    most_launches: Count = 0
    width: Width | None = None
    seed: Count = 1
    synchronisation: Scheme = "auto"
    buffers: BufferUse = "rewritten"
    datatype: Datatype = "double"
    op: Op = "sum"
    in_place: bool = False
    root: Count = 0
    root_step: Count = 0
    comm: Comm = "world"
    fresh: bool = False
    counts: list[Count] = []
    checks: bool = True
    budget_ms: Annotated[float, msgspec.Meta(gt=0, le=1e9)] = 50
    warmup: Count = 10
    at_least: AtLeastOne = 10
    at_most: AtLeastOne = 1000
    tolerance_us: Share = 1
    skew_us: Share = 0
    cell_timeout_s: Count = 30
    compute: list[Share] = []  # work beside the operation, in times of what it takes alone
    tests: list[Count] = msgspec.field(default_factory=lambda: [0])  # MPI_Tests within it
    after: bool = False  # as much work after it
    late: str = ""  # who comes late: each, last, random, sorted, "0,1000,0" (us), a file or a run
    delay_us: Share = 1000

    def settings(self) -> Settings:
        """Those of every cell."""
        return Settings(
            synchronisation=self.synchronisation,
            buffers=self.buffers,
            checks=self.checks,
            budget_ns=round(self.budget_ms * 1e6),
            warmup=self.warmup,
            at_least=self.at_least,
            at_most=max(self.at_most, self.at_least),
            tolerance_ns=round(self.tolerance_us * 1e3),
            skew_ns=round(self.skew_us * 1e3),
            cell_timeout_s=self.cell_timeout_s,
        )

    @property
    def needs_pilot(self) -> bool:
        """Is it to be known first what operations take alone?"""
        return any(self.compute)


def read_spec(path: Path) -> Spec:
    """A TOML file. Raises InputError, which says what in it is wrong."""
    try:
        return msgspec.toml.decode(path.read_bytes(), type=Spec)
    except OSError as error:
        raise InputError(f"--plan {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"--plan {path}: {error}") from None


def cells_of(
    spec: Spec, alone_ns: Mapping[tuple[str, int], int], late: Lateness | None = None
) -> list[BenchCell]:
    """All that is measured in each launch.

    `alone_ns` is what an operation, as MPI calls it, takes of so many bytes: what work beside it
    is measured by. `late` is for late ranks whose lateness the operations differ in; without it
    it is what arrival_patterns has.
    """
    if late is None:
        late = dict.fromkeys([named(word)[0] for word in spec.operations], arrival_patterns(spec))
    return [
        msgspec.structs.replace(cell, number=number)
        for number, cell in enumerate(_cells(spec, alone_ns, late))
    ]


def _cells(
    spec: Spec, alone_ns: Mapping[tuple[str, int], int], late: Lateness
) -> Iterator[BenchCell]:
    works: set[int] = set()
    for word in spec.operations:
        for cell in _plain_cells(spec, word):
            yield cell
            for delays in late.get(cell.operation, []):
                first, some = _within(delays)
                yield msgspec.structs.replace(cell, delays_ns=some, delays_from=first)
            if cell.form is Form.BLOCKING:
                continue
            for share in spec.compute:
                work = round(share * alone_ns.get((cell.name, cell.bytes), 0))
                if share and not work:
                    continue  # nobody knows what it takes alone, and tests of no work are others
                works.add(work)
                after = work if spec.after else 0
                for tests in spec.tests:
                    if work or tests:
                        yield msgspec.structs.replace(
                            cell,
                            compute_ns=work,
                            tests=tests,
                            after_ns=after,
                            compute_factor=share if work else 0.0,
                        )
    for work in sorted(works - {0}):
        yield BenchCell(number=-1, operation=COMPUTE, compute_ns=work, comm=spec.comm)


def _within(delays: list[int]) -> tuple[int, list[int]]:
    """Those from the first rank that is late to the last, and which the first is; of few ranks all.

    A plan of 10,000 ranks would have as many zeros in each of its cells.
    """
    late = [rank for rank, delay in enumerate(delays) if delay]
    if len(delays) <= MANY_RANKS or not late:
        return 0, delays
    return late[0], delays[late[0] : late[-1] + 1]


def _plain_cells(spec: Spec, word: str) -> Iterator[BenchCell]:
    operation, form = named(word)
    of_root = is_of_root(word)
    counts = spec.counts if takes_counts(word) else []
    for size in _sizes(spec, operation, counts):
        datatype = spec.datatype
        # What only moves has no need of numbers, and any size.
        if operation not in REDUCTIONS and size % ELEMENT_BYTES[datatype]:
            datatype = "byte"
        yield BenchCell(
            number=-1,
            operation=operation,
            form=form,
            bytes=size,
            datatype=datatype,
            op=spec.op,
            in_place=spec.in_place,
            root=spec.root if operation in ROOTED or of_root else 0,
            root_step=spec.root_step if operation in ROOTED else 0,
            comm=spec.comm,
            fresh=spec.fresh,
            of_root=of_root,
            counts=counts,
        )


def takes_counts(word: str) -> bool:
    """Whether `counts` are for what a user names so: of "-of-root" the name says what they are."""
    return named(word)[0] in TAKE_COUNTS and not is_of_root(word)


def _sizes(spec: Spec, operation: str, counts: list[int]) -> list[int]:
    """In bytes; where counts say how long blocks are there is one, that of the largest block."""
    if operation in WITHOUT_DATA:
        return [0]
    return [max(counts) * ELEMENT_BYTES[spec.datatype]] if counts else spec.sizes


def arrival_patterns(spec: Spec) -> list[list[int]]:
    """By how many ns each rank comes late, in each pattern; `late` may name a file of them.

    Raises InputError.
    """
    ranks, delay = spec.ranks, round(spec.delay_us * 1e3)
    if not spec.late:
        return []
    if spec.late == "each":
        return [[delay * (rank == late) for rank in range(ranks)] for late in late_in_turn(spec)]
    if spec.late == "last":
        return [[delay * (rank == ranks - 1) for rank in range(ranks)]]
    if spec.late == "sorted":
        return [[delay * rank // max(ranks - 1, 1) for rank in range(ranks)]]
    if spec.late == "random":
        turn = random.Random(spec.seed)
        return [[turn.randint(0, delay) for _ in range(ranks)]]
    if place := place_of(spec):
        return _patterns_in(place, ranks)
    return [_delays(spec.late, spec.late.split(","), ranks)]


def late_in_turn(spec: Spec) -> list[int]:
    """Those that `each` makes late one after the other: all, but of many ranks a few.

    As many cells as ranks, each of all ranks, would be more than can be measured, or kept. A late
    rank matters by what others get through it, so there are, of the trees, rings and chains that
    MPIs have: the root, who is next to it, the inner rank with the largest subtree of a binomial
    tree, rank 0, the last one, and others drawn by the seed.
    """
    ranks, root = spec.ranks, spec.root
    if ranks <= MANY_RANKS:
        return [*range(ranks)]
    # Below the child at a power of two are as many as the power, or as are left.
    children = (1 << power for power in range((ranks - 1).bit_length()))
    largest = max(children, key=lambda child: min(child, ranks - child))
    chosen = {rank % ranks for rank in (root, root + 1, root + largest, 0, ranks - 1)}
    others = [rank for rank in range(ranks) if rank not in chosen]
    drawn = random.Random(spec.seed).sample(others, _LATE_OF_MANY - len(chosen))
    return sorted(chosen.union(drawn))


def place_of(spec: Spec) -> Path | None:
    """The file or folder that `late` names, if it is there."""
    # Delays of many ranks are longer than any name may be.
    with suppress(OSError):
        if spec.late and Path(spec.late).exists():
            return Path(spec.late)
    return None


def _patterns_in(path: Path, ranks: int) -> list[list[int]]:
    """A pattern a line where each has a number for every rank, else all numbers as one."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"--late {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"--late {path}: {error}") from None
    lines = [words for line in text.splitlines() if (words := line.replace(",", " ").split())]
    if not all(len(words) == ranks for words in lines):
        lines = [[word for words in lines for word in words]]
    return [_delays(str(path), words, ranks) for words in lines or [[]]]


def _delays(late: str, words: list[str], ranks: int) -> list[int]:
    """In ns, of words in us."""
    try:
        delays = [round(float(word) * 1e3) for word in words]
    except (ValueError, OverflowError):
        raise InputError(
            f"--late {late}: write each, last, sorted, random, a delay in us for each rank, a file "
            "of these, or a run of stretto profile"
        ) from None
    if len(delays) != ranks or min(delays) < 0:
        raise InputError(f"--late {late}: it takes {ranks} delays, none below 0")
    return delays
