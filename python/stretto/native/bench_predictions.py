"""What the cells of a benchmark should take on a machine, asked of the native simulator."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from stretto.data.bench_plan import COMPUTE, ELEMENT_BYTES, OTHERS, ROOTED, BenchCell, Form
from stretto.data.bench_predictions import Predicted
from stretto.data.schedules import Algorithm, Explanation, Priced
from stretto.errors import InputError
from stretto.model.floor import floor_ns
from stretto.model.machine import Machine
from stretto.model.measured_times import measured_ns
from stretto.native.schedules import Unsuited, algorithms, explain, simulate

_NATIVE = "native"
_MOST_BYTES = (1 << 31) - 1
# What a forced algorithm runs with (src/selection/selection.cpp: kForcedSegment, kForcedRadix).
_FORCED_SEGMENT, _FORCED_RADIX = 32 * 1024, 4
# MPI's functions whose schedules are another's, where all blocks are as long.
_SAME_AS = {
    "gatherv": "gather",
    "scatterv": "scatter",
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
    "reduce_scatter_block": "reduce_scatter",
}


@dataclass(frozen=True)
class Surroundings:
    """Where the ranks of a run were, and what their data were in."""

    ranks: int
    hosts: int
    crowded: bool  # ranks share cores
    cold: bool  # no cache holds the buffers


@dataclass(frozen=True)
class _Way:
    """How a cell is run: when each rank is done, and whose time that is."""

    ends_ns: list[float]
    by: str


@contextmanager
def predictor(machine: Machine, around: Surroundings) -> Iterator["Predictor"]:
    """Of cells on that machine. Raises InputError where the run's hosts are not in it."""
    placed = _placed(machine, around)
    with tempfile.NamedTemporaryFile("w", suffix=".machine", encoding="utf-8") as file:
        file.write(placed.for_the_tool())
        file.flush()
        yield Predictor(placed, around, file.name)


def _placed(machine: Machine, around: Surroundings) -> Machine:
    """The machine with as many ranks on each host as the run had."""
    if around.hosts > 1 and machine.is_one_host:
        raise InputError(
            f"--machine: the run was on {around.hosts} hosts, and '{machine.name}' has no network"
        )
    per_host = -(-around.ranks // around.hosts)
    has_hosts = any(level.name == "host" for level in machine.level)
    if not machine.has_network or not has_hosts:
        if per_host > 1 and not has_hosts and not machine.is_one_host:
            raise InputError(
                f"--machine: the run had {per_host} ranks on a host, and '{machine.name}' does "
                "not say what messages between them take"
            )
        return machine
    return machine.with_ranks_per_host(per_host)


def not_simulated(cell: BenchCell) -> str:
    """Why there is no prediction of a cell; empty where there is one."""
    if cell.operation == COMPUTE or cell.compute_ns or cell.tests or cell.after_ns:
        return "work beside the operation"
    if any(cell.delays_ns):
        return "late ranks"
    if cell.comm != "world":
        return "another communicator than MPI_COMM_WORLD"
    if cell.counts or cell.of_root:
        return "blocks of several lengths"
    if cell.operation.startswith("neighbor_"):
        return "neighbourhood collectives depend on the topology"
    if cell.operation in OTHERS:
        return "no collective that Stretto has a schedule for"
    if not cell.bytes and cell.operation != "barrier":
        return "no data"
    return "more than 2 GiB" if cell.bytes > _MOST_BYTES else ""


@dataclass(frozen=True)
class Predictor:
    """Asks about cells, and the native tool about each schedule once."""

    machine: Machine
    around: Surroundings
    file: str  # the machine as the native tool reads it
    _simulated: dict[tuple[str, ...], list[float]] = field(default_factory=dict)
    _explained: dict[tuple[str, int], Explanation] = field(default_factory=dict)

    def of(self, cell: BenchCell, implementation: str) -> dict[str, Predicted]:
        """By class of ranks. Raises Unsuited where nothing can be said."""
        if why := not_simulated(cell):
            raise Unsuited(why)
        collective = _SAME_AS.get(cell.operation, cell.operation)
        way = self._way(collective, cell, implementation)
        return {
            name: Predicted(
                max(ends),
                floor_ns(self.machine, collective, self.around.ranks, cell.bytes, name),
                way.by,
            )
            for name, ends in _classes(cell, way.ends_ns).items()
        }

    def _way(self, collective: str, cell: BenchCell, implementation: str) -> _Way:
        kind, _, rest = implementation.partition(":")
        if kind == _NATIVE:
            return self._native(collective, cell, others=bool(rest))
        settings = dict(word.split("=", 1) for word in rest.split("+") if "=" in word)
        chosen = self._chosen(collective, cell, settings)
        if chosen is None:
            return self._native(collective, cell, others=False)
        return _Way(self._ends(collective, cell, chosen), _name(chosen))

    def _chosen(self, collective: str, cell: BenchCell, settings: dict[str, str]) -> Priced | None:
        """What Stretto runs; None: the MPI's own.

        The native tool says it of blocking calls. Of others few are the MPI's, and none are read
        where another rank wrote them: those take what is estimated to be the fastest.
        """
        if (forced := settings.get(collective)) == _NATIVE:
            return None
        if forced:
            return Priced(forced, _FORCED_SEGMENT, _FORCED_RADIX, None)
        explained = self._explain(collective, cell.bytes)
        is_native = explained.chosen.algorithm == _NATIVE
        never_native = settings.get("STRETTO_SELECTION") == "stretto"
        if cell.form is Form.BLOCKING:
            takes_fastest = is_native and never_native
        elif is_native:
            only_blocking = explained.basis not in ("over_at_once", "crowded")
            takes_fastest = only_blocking or never_native or cell.form is Form.PERSISTENT
        else:
            takes_fastest = explained.basis == "shared_blocks"
        if takes_fastest:
            return explained.candidates[0]
        return None if is_native else explained.chosen

    def _native(self, collective: str, cell: BenchCell, *, others: bool) -> _Way:
        """The MPI's own. Which schedule it runs is not known: of measured times the fastest one's
        says only who is done when."""
        candidates = self._explain(collective, cell.bytes).candidates
        ways = [(self._ends(collective, cell, each), each) for each in candidates]
        ends, fastest = min(ways, key=lambda way: max(way[0]))
        known = measured_ns(
            self.machine, collective, self.around.ranks, cell.bytes, cold=self.around.cold
        )
        if known is None:
            return _Way(ends, f"{_name(fastest)}, the fastest of Stretto's")
        last = max(ends)
        ends = [known * each / last if last else known for each in ends]
        blocking = "" if cell.form is Form.BLOCKING else " blocking one"
        settings = ", with its own settings" if others else ""
        return _Way(ends, f"the MPI's{blocking}, as calibrated{settings}")

    def _explain(self, collective: str, bytes_: int) -> Explanation:
        key = collective, bytes_
        if key not in self._explained:
            options = ["--ranks", str(self.around.ranks), "--hosts", str(self.around.hosts)]
            options += ["--bytes", str(bytes_), "--machine", self.file]
            options += ["--crowded"] if self.around.crowded else []
            self._explained[key] = explain(collective, options)
        return self._explained[key]

    def _ends(self, collective: str, cell: BenchCell, way: Priced) -> list[float]:
        """When each rank is done."""
        # What only moves is so many bytes, whatever they are bytes of.
        element = ELEMENT_BYTES[cell.datatype]
        if cell.bytes % element:
            element = 1
        options = ["--ranks", str(self.around.ranks), "--machine", self.file, "--ends"]
        options += ["--element-bytes", str(element), "--count", str(cell.bytes // element)]
        options += ["--root", str(cell.root)] if cell.operation in ROOTED and cell.root else []
        options += ["--signal-bytes", "0"] if collective == "barrier" else []
        options += ["--in-place"] if cell.in_place else []
        algorithm = self._known.get((collective, way.algorithm))
        if algorithm and algorithm.uses_segment:
            segment = way.segment or cell.bytes
            options += ["--segment", str(max(segment // element, 1))]
        if algorithm and algorithm.uses_radix:
            options += ["--radix", str(way.radix)]
        key = collective, way.algorithm, *options
        if key not in self._simulated:
            self._simulated[key] = simulate(collective, way.algorithm, options).ends_ns
        return self._simulated[key]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Algorithm]:
        return {(each.collective, each.algorithm): each for each in algorithms()}


def _classes(cell: BenchCell, ends: list[float]) -> dict[str, list[float]]:
    """The ends of ranks by their class; a root that moves is no one rank's part."""
    if cell.operation not in ROOTED or cell.root_step:
        return {"all": ends}
    return {
        "root": [ends[cell.root]],
        "non-root": [each for rank, each in enumerate(ends) if rank != cell.root] or ends,
    }


def _name(way: Priced) -> str:
    return way.algorithm
