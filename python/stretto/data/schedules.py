"""Schedules as the native tool describes them: what it can build, and what it built."""

import msgspec


class Algorithm(msgspec.Struct, frozen=True):
    """One algorithm of the library."""

    collective: str
    algorithm: str
    keeps_rank_order: bool
    uses_segment: bool
    uses_radix: bool
    single_blocks: bool
    two_groups: bool
    uses_layout: bool


class Proof(msgspec.Struct, frozen=True):
    """What the verifier says of one algorithm."""

    collective: str
    algorithm: str
    cases: int
    fault: str | None


class Region(msgspec.Struct, frozen=True):
    """A stretch of a buffer, in elements."""

    buffer: str
    offset: int
    count: int

    def __str__(self) -> str:
        return f"{self.buffer}[{self.offset},{self.offset + self.count})"


class Step(msgspec.Struct, frozen=True):
    """One step of one rank, and when it happens if the network is uniform."""

    kind: str  # send, recv, copy, reduce
    words: str
    waits: list[int]
    start: float
    end: float
    peer: int = -1
    ordinal: int = 0
    source: Region | None = msgspec.field(name="from", default=None)
    target: Region | None = msgspec.field(name="to", default=None)

    @property
    def count(self) -> int:
        """Elements it moves or reduces."""
        region = self.source or self.target
        return region.count if region else 0


class RankSteps(msgspec.Struct, frozen=True):
    """What one rank does."""

    scratch: int
    steps: list[Step]


class LevelTraffic(msgspec.Struct, frozen=True):
    """What ranks send each other that are this near, and no nearer."""

    level: str
    messages: int
    elements: int


class Cost(msgspec.Struct, frozen=True):
    """Counts over all ranks, and the critical path in messages, elements moved and reduced."""

    messages: int
    elements: int
    rounds: int
    max_messages: int
    max_sent: int
    max_received: int
    max_reduced: int
    max_scratch: int
    alpha: float
    beta: float
    gamma: float
    levels: list[LevelTraffic] = []  # of the layout, and beyond

    @property
    def critical_path(self) -> str:
        """The time the whole takes, in the alpha-beta-gamma model."""
        terms = ((self.alpha, "alpha"), (self.beta, "beta"), (self.gamma, "gamma"))
        return " + ".join(f"{value:,.10g} {name}" for value, name in terms if value) or "nothing"


class LayoutLevel(msgspec.Struct, frozen=True):
    """Which ranks share what."""

    level: str  # core complex, socket, host
    group_of: list[int]  # by rank


class Schedule(msgspec.Struct, frozen=True):
    """What was asked for, all ranks' steps and what they cost."""

    collective: str
    algorithm: str
    size: int
    count: int
    segment: int
    radix: int
    root: int
    in_place: bool
    cost: Cost
    end: float
    ranks: list[RankSteps]
    layout: list[LayoutLevel] = []  # the nearest level first


class Simulated(msgspec.Struct, frozen=True):
    """One collective on a machine: when its ranks are done, in virtual nanoseconds."""

    collective: str
    algorithm: str
    ranks: int
    count: int
    path: str  # rounds, events: which engine
    end_ns: float
    first_end_ns: float
    mean_end_ns: float
    messages: int
    events: int
    build_s: float  # of real time
    run_s: float
    ends_ns: list[float] = []


class Priced(msgspec.Struct, frozen=True):
    """A way to run a collective and about how long it takes; None: nothing says it."""

    algorithm: str  # "native": the MPI's own
    segment: int  # bytes
    radix: int
    ns: float | None


class Explanation(msgspec.Struct, frozen=True):
    """What selection chooses for a blocking call, and by what (src/programs/schedule/explain.cpp).

    `basis` is one of Basis in src/selection/selection.hpp. The candidates are what Stretto could
    run, the fastest first.
    """

    collective: str
    ranks: int
    hosts: int
    bytes: int
    machine: str
    basis: str
    reason: str  # why it is the MPI's, where it is
    chosen: Priced
    classic: Priced  # what MPIs run that nobody has tuned
    candidates: list[Priced]
