"""Bars, tiles and rows of figures as sections of the report have them."""

from dataclasses import dataclass

from stretto.report.words import seconds, share


@dataclass(frozen=True)
class Part:
    """A part of a bar, in percent of the longest; the kind says its colour."""

    kind: str
    width: float
    label: str


@dataclass(frozen=True)
class Row:
    """A line of a table: what it is of, its figures and its bar."""

    name: str
    detail: str
    figures: list[str]
    parts: list[Part]


@dataclass(frozen=True)
class Tile:
    """A figure that stands by itself."""

    label: str
    value: str
    detail: str


@dataclass(frozen=True)
class Bars:
    """A table whose rows end in bars."""

    title: str
    words: str
    keys: list[tuple[str, str]]  # kinds of parts, and what they are
    first: str  # the heading of the names
    headings: list[str]
    rows: list[Row]
    kind: str = "bars"


def part_of(kind: str, value: float, longest: float, label: str = "") -> Part:
    """A part that is as long as its value; of a time, in seconds, where there is no label."""
    return Part(kind, round(100 * share(value, longest), 2), label or f"{kind} {seconds(value)}")
