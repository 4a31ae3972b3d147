"""What all importers do alike: lines of a text, numbers in them, and what was found."""

import codecs
import re
from collections.abc import Iterator

from stretto.data.imported import Imported, ImportedRow

# Colours and other escapes of terminals; what launchers put before each line: Open MPI's
# --tag-output, Slurm's --label.
_ESCAPE = re.compile(r"\x1b\[[0-?]{0,32}[ -/]{0,8}[@-~]")
_TAG = re.compile(r"^\s*(?:\[\d+,\d+\](?:\[[^\]]*\])?<(?:stdout|stderr)>: ?|\d{1,7}: )")

_WHOLE = re.compile(r"\+?[0-9]{1,18}")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,9})?"
    r"|[+-]?(?:inf|infinity)|[+-]?nan(?:\([\w]*\))?",
    re.IGNORECASE,
)


def decoded(raw: bytes) -> str:
    """The text of a file. What is not UTF-8 in it is replaced, so that no file is refused."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as some shells redirect
        return raw.decode("utf-16", errors="replace")
    return raw.decode("utf-8-sig", errors="replace")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without blanks at their ends, terminals' escapes, launchers' tags.

    Only a newline ends a line: str.splitlines would count others, and numbers would be wrong.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, _TAG.sub("", _ESCAPE.sub("", line), count=1).rstrip()


def number(word: str) -> float | None:
    """A number as C prints it, with nan, inf and exponents, or None."""
    if not _NUMBER.fullmatch(word):
        return None
    return float(word.partition("(")[0])


def whole(word: str) -> int | None:
    """A number of things, or None."""
    return int(word) if _WHOLE.fullmatch(word) else None


class Findings:
    """What an importer has read so far."""

    def __init__(self) -> None:
        self.rows: list[ImportedRow] = []
        self.unknown: list[tuple[int, str]] = []
        self.version: str | None = None
        self.now: dict[str, str] = {}  # the settings of the lines that follow
        self._noted: dict[str, dict[str, None]] = {}  # all values that a setting had, in order

    def add(self, line: int, text: str, rows: list[ImportedRow] | None) -> None:
        """What a line was understood as; where that is nothing, it is unknown."""
        if rows:
            self.rows += rows
        else:
            self.unknown.append((line, text))

    def note(self, name: str, value: str) -> None:
        """A setting; of one that changes within the file all values are kept."""
        self.now[name] = value.strip()
        self._noted.setdefault(name, {})[self.now[name]] = None

    def note_more(self, name: str, more: str) -> None:
        """A setting's value goes on in another line."""
        before = self.now[name]
        self._noted[name].pop(before, None)
        self.note(name, f"{before} {more.strip()}")

    def note_version(self, version: str, more: str = "") -> None:
        """The suite's version; that of a file is the first in it."""
        self.version = self.version or version
        self.note("version", version + more)

    def imported(self, format_name: str) -> Imported:
        return Imported(
            format=format_name,
            version=self.version,
            path="",
            rows=self.rows,
            unknown=self.unknown,
            settings={name: "; ".join(values) for name, values in self._noted.items()},
        )
