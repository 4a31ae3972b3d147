"""Places in programs, and the lines of source they stand for."""

from collections.abc import Iterable, Mapping

import msgspec


class Address(msgspec.Struct, frozen=True):
    """A place in a program or library, as its debug information has it."""

    object: str
    offset: int


class Line(msgspec.Struct, frozen=True):
    """A place in a source; what is not known is empty or 0."""

    function: str = ""
    file: str = ""
    number: int = 0


Lines = Mapping[Address, Line]


class Place(msgspec.Struct, frozen=True):
    """A call site whose line is known."""

    address: Address
    line: Line


def places_of(lines: Lines) -> list[Place]:
    """As they are stored."""
    return [Place(address, line) for address, line in lines.items()]


def lines_of(places: Iterable[Place]) -> Lines:
    """As they are used."""
    return {place.address: place.line for place in places}
