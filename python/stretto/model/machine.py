"""Machines to simulate on: LogGP parameters per level of the topology, as TOML."""

import itertools
import math
from pathlib import Path
from typing import Annotated

import msgspec

from stretto.data.toml_text import facts, struct_of, whole_file, written
from stretto.errors import InputError

_MOST_RANKS = 1 << 30
_MOST_BYTES = 1 << 50
PRESETS = Path(__file__).parent / "machines"

Nanoseconds = Annotated[float, msgspec.Meta(ge=0)]


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What messages from `from_bytes` bytes on cost: LogGP's L, o, g and G, and LogGOPS's O."""

    latency_ns: Nanoseconds
    send_overhead_ns: Nanoseconds
    recv_overhead_ns: Nanoseconds
    gap_ns: Nanoseconds
    gap_ns_per_byte: Nanoseconds
    overhead_ns_per_byte: Nanoseconds = 0.0
    from_bytes: Annotated[int, msgspec.Meta(ge=0)] = 0
    # The sender asks, and the message leaves when its receiver has answered: what is added to the
    # latency, it takes three times.
    rendezvous: bool = False


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ranks that are this near to each other."""

    name: str
    message: Annotated[list[Message], msgspec.Meta(min_length=1)]
    # Groups of the level before that it holds (ranks, in the first); the last holds all.
    holds: Annotated[int, msgspec.Meta(ge=1)] | None = None
    # Of a link each way, which those below a group of the level before share, and of a medium
    # that everyone shares; 0: nobody waits for others' bytes.
    link_ns_per_byte: Nanoseconds = 0.0
    medium_ns_per_byte: Nanoseconds = 0.0


class Compute(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a rank does to data itself: a constant and a time per byte; and what the first touch of
    a page of memory takes, which within MPI calls is 0 unless it was measured."""

    copy_ns: Nanoseconds = 0.0
    copy_ns_per_byte: Nanoseconds = 0.0
    reduce_ns: Nanoseconds = 0.0
    reduce_ns_per_byte: Nanoseconds = 0.0
    page_fault_ns: Nanoseconds = 0.0


class Collective(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the MPI's own collective took: its algorithms are not known, this stands for them.

    `bytes` are the vector's or one rank's block's, as for `stretto simulate`; `time_ns` is that of
    each of so many `calls` in a row, where each has the next rank as its root, `cold_ns` the same
    where the data are in no cache (left out: the same time).
    """

    name: str
    bytes: Annotated[int, msgspec.Meta(ge=0)]
    ranks: Annotated[int, msgspec.Meta(ge=2)]
    time_ns: Nanoseconds
    calls: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    cold_ns: Nanoseconds | None = None


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A machine, its levels from the nearest to the farthest."""

    name: str
    level: Annotated[list[Level], msgspec.Meta(min_length=1)]
    source: str = ""
    compute: Compute = Compute()
    collective: list[Collective] = []

    @property
    def ranks(self) -> list[int]:
        """How many consecutive ranks each level holds together; 0 in the last, for all."""
        together = [math.prod(each.holds or 0 for each in self.level[: i + 1]) for i in self._below]
        return [*together, 0]

    @property
    def beyond_most_ranks(self) -> str:
        """Which level holds too many ranks to simulate; empty if none does."""
        for level, ranks in zip(self.level, self.ranks, strict=True):
            if ranks > _MOST_RANKS:
                return f"level '{level.name}' holds {ranks:,} ranks, over {_MOST_RANKS:,}"
        return ""

    @property
    def has_network(self) -> bool:
        """Are there hosts, and something between them?"""
        return len(self.level) > 1 and self.level[-1].name != "host"

    @property
    def is_one_host(self) -> bool:
        """Is there nothing between hosts? A machine may have a network and no more."""
        return self.level[-1].name in ("host", "core complex")

    @property
    def _below(self) -> range:
        return range(len(self.level) - 1)

    def with_ranks_per_host(self, ranks: int) -> "Machine":
        """The same machine with so many ranks on each host."""
        names = [each.name for each in self.level]
        if "host" not in names[:-1]:
            raise InputError(f"the machine '{self.name}' has no level 'host' below others")
        host = names.index("host")
        levels, below = list(self.level), 1
        for i in range(host):
            # A host that is not full fills its first groups.
            inside = min(below * (levels[i].holds or 1), ranks)
            if ranks % inside:
                raise InputError(f"{ranks} a host is no multiple of a {names[i]}'s {inside} ranks")
            levels[i] = msgspec.structs.replace(levels[i], holds=inside // below)
            below = inside
        levels[host] = msgspec.structs.replace(levels[host], holds=ranks // below)
        placed = msgspec.structs.replace(self, level=levels)
        if too_many := placed.beyond_most_ranks:
            raise InputError(too_many)
        return placed

    def for_the_tool(self) -> str:
        """The description that the native tools read, and trust (src/topology/machine.hpp)."""
        compute = self.compute
        lines = [
            f"machine {' '.join(self.name.split())}",
            f"copy {compute.copy_ns!r} {compute.copy_ns_per_byte!r}",
            f"reduce {compute.reduce_ns!r} {compute.reduce_ns_per_byte!r}",
            f"page_fault {compute.page_fault_ns!r}",
        ]
        for level, ranks in zip(self.level, self.ranks, strict=True):
            shared = f"{level.link_ns_per_byte!r} {level.medium_ns_per_byte!r}"
            lines.append(f"level {ranks} {shared} {' '.join(level.name.split())}")
            for each in level.message:
                parameters = (
                    each.latency_ns,
                    each.send_overhead_ns,
                    each.recv_overhead_ns,
                    each.overhead_ns_per_byte,
                    each.gap_ns,
                    each.gap_ns_per_byte,
                )
                protocol = " rendezvous" if each.rendezvous else ""
                words = " ".join(map(repr, parameters))
                lines.append(f"message {each.from_bytes} {words}{protocol}")
        return "\n".join(lines) + "\n"


def toml_of(machine: Machine) -> str:
    """The machine as a file that read_machine reads."""
    lines = [f"name = {written(machine.name)}", f"source = {written(machine.source)}"]
    lines += ["", "[compute]", *facts(machine.compute)]
    for level in machine.level:
        lines += ["", "[[level]]", *facts(level)]
        for message in level.message:
            lines += ["", "[[level.message]]", *facts(message)]
    for each in machine.collective:
        lines += ["", "[[collective]]", *facts(each)]
    return whole_file(lines)


def presets() -> dict[str, Path]:
    """The machines that come with Stretto, by name."""
    return {path.stem: path for path in sorted(PRESETS.glob("*.toml"))}


def read_machine(name: str) -> Machine:
    """A preset, or the machine of a TOML file. Raises InputError with what is wrong in it."""
    path = presets().get(name, Path(name))
    try:
        return machine_of_toml(path.read_bytes(), name)
    except OSError as error:
        known = ", ".join(presets())
        words = f"--machine {name}: {error.strerror}; machines that come with Stretto: {known}"
        raise InputError(words) from error


def machine_of_toml(text: bytes, name: str) -> Machine:
    """The machine that a file of this name describes. Raises InputError."""
    machine = struct_of(text, Machine, f"--machine {name}")
    _check(machine, name)
    return machine


def _check(machine: Machine, name: str) -> None:
    """What its types do not say. Whoever reads what for_the_tool writes relies on it."""
    for level in machine.level[:-1]:
        if level.holds is None:
            raise InputError(f"--machine {name}: level '{level.name}' does not say what it `holds`")
    last = machine.level[-1]
    if last.holds is not None:
        raise InputError(f"--machine {name}: the last level, '{last.name}', holds all")
    for level in machine.level:
        starts = [each.from_bytes for each in level.message]
        if starts[0] != 0 or any(a >= b for a, b in itertools.pairwise(starts)):
            words = f"level '{level.name}': from_bytes must be 0 first, then rise"
            raise InputError(f"--machine {name}: {words}")
        if starts[-1] > _MOST_BYTES:
            raise InputError(f"--machine {name}: level '{level.name}': from_bytes over 1 PiB")
    if too_many := machine.beyond_most_ranks:
        raise InputError(f"--machine {name}: {too_many}")
    numbers = [value for part in (machine.compute, *_parts(machine)) for value in _floats(part)]
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"--machine {name}: a time is not finite")


def _parts(machine: Machine) -> list[msgspec.Struct]:
    levels = [part for level in machine.level for part in (level, *level.message)]
    return [*levels, *machine.collective]


def _floats(part: msgspec.Struct) -> list[float]:
    return [value for value in msgspec.structs.astuple(part) if isinstance(value, float)]
