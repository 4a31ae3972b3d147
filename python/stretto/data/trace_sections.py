"""Where a trace's time goes: calls, and what is computed between two (src/replay/sections.hpp)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from stretto.data.json_file import json_file
from stretto.data.places import Address
from stretto.data.whole_file import write_whole
from stretto.stats.laws import FEWEST

_FILE = "traces.json"

EndKind = Literal["start", "end", "send", "receive", "probe", "collective", "wait", "other"]
CallShare = Literal["all", "waiting", "transfer"]

Count = Annotated[int, msgspec.Meta(ge=0)]
Nanoseconds = Annotated[float, msgspec.Meta(ge=0)]


class TracedCollective(msgspec.Struct, frozen=True):
    """A place where a collective is called, on whichever communicators."""

    function: str
    object: str
    offset: int
    symbol: str
    is_source: bool = False

    @property
    def place(self) -> Address:
        return Address(self.object, self.offset)


class SectionEnd(msgspec.Struct, frozen=True):
    """A call; only of collectives a trace knows the place, -1 otherwise."""

    kind: EndKind
    call_site: int


class SectionTotal(msgspec.Struct, frozen=True):
    """How often, how much it sent or contributed, how long it took."""

    count: Count
    bytes: Count
    ns: Nanoseconds


class Section(msgspec.Struct, frozen=True):
    """A call, from it to itself, or what is computed between two calls."""

    is_call: bool
    begin: SectionEnd
    end: SectionEnd
    phase: int  # of messages: the call site of the last collective before, or -1
    all: SectionTotal  # ranks together
    most: SectionTotal  # of the rank that has most, each
    # Of collectives: for ranks that came later, and what they would gain if they cost nothing.
    share: CallShare = "all"


class TraceSections(msgspec.Struct, frozen=True):
    """Of one trace, in its first scenario."""

    ranks: Annotated[int, msgspec.Meta(ge=1)]
    last_ns: Nanoseconds  # when the last rank was done
    all_ns: Nanoseconds  # when ranks were done, summed
    call_sites: list[TracedCollective]
    sections: list[Section]

    def __post_init__(self) -> None:
        """Raises ValueError where a section names a call site that there is not."""
        named = (n for each in self.sections for n in (each.begin, each.end))
        numbers = [*(n.call_site for n in named), *(each.phase for each in self.sections)]
        if not all(-1 <= number < len(self.call_sites) for number in numbers):
            raise ValueError("a section is of a call site that is not there")


class ExtrapolatedTraces(msgspec.Struct, frozen=True):
    """What a run folder keeps: the traces, and on how many ranks they were to be."""

    target: Annotated[int, msgspec.Meta(ge=1)]
    traces: list[TraceSections]

    def __post_init__(self) -> None:
        """Raises ValueError where there are too few."""
        if len({each.ranks for each in self.traces} - {1}) < FEWEST:
            raise ValueError("it has too few traces")


def store_traces(target: int, traces: Sequence[TraceSections], folder: Path) -> None:
    """What `traces_in` reads. Raises EnvironmentUnusable where that cannot be."""
    write_whole(folder / _FILE, msgspec.json.encode(ExtrapolatedTraces(target, [*traces])))


def traces_in(folder: Path) -> ExtrapolatedTraces | None:
    """None where it was another replay. Raises EnvironmentUnusable where they are damaged."""
    return json_file(folder / _FILE, ExtrapolatedTraces)
