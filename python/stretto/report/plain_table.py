"""A table as plain text: what the report, Markdown and CSV make of those of the terminal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PlainTable:
    """Every row is as long as the heads; a title, where it has none, is empty."""

    title: str
    heads: list[str]
    rows: list[list[str]]
