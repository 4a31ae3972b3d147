"""Places in programs, and the lines of source they stand for."""

from collections.abc import Mapping

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
