"""What is stored of one launch, and how the program's own figures are read from its output."""

import re
from enum import StrEnum

import msgspec

from stretto.errors import InputError

TIME_PATTERN = r"^time\s+(\S+)\s+s\b"
CHECKSUM_PATTERN = r"^checksum\s+(\S+)"


class Side(StrEnum):
    """What a program ran under."""

    NATIVE = "native"
    STRETTO = "stretto"

    @property
    def where(self) -> str:
        """In a sentence."""
        return "under Stretto" if self is Side.STRETTO else "on its own MPI"


class Sample(msgspec.Struct, frozen=True):
    """One launch of one program: a row of samples.parquet."""

    order: int  # launches of this run before it, failed ones included
    pair: int
    side: Side
    started_at: str
    own_time_s: float | None
    wall_time_s: float
    checksum: str | None
    exit_code: int
    timed_out: bool

    @property
    def ok(self) -> bool:
        """The program ended by itself, and well."""
        return self.exit_code == 0 and not self.timed_out


def own_time(output: str, pattern: re.Pattern[str]) -> float | None:
    """The time a program printed of itself; the last one where it printed several."""
    found = _last(output, pattern)
    if found is None:
        return None
    try:
        return float(found)
    except ValueError:
        raise InputError(
            f"--time-pattern {pattern.pattern!r} found {found!r}, which is not a number of seconds"
        ) from None


def checksum(output: str, pattern: re.Pattern[str]) -> str | None:
    """Everything the program printed that says what it computed, as one string."""
    found = [match[1] for match in pattern.finditer(output)]
    return " ".join(found) if found else None


def compiled(option: str, pattern: str) -> re.Pattern[str]:
    """A user's pattern with its one group, multi-line; a faulty one names its option."""
    try:
        regex = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise InputError(f"{option} {pattern!r} is no regular expression: {error}") from None
    if regex.groups != 1:
        raise InputError(f"{option} {pattern!r} needs one (group) around the value")
    return regex


def _last(output: str, pattern: re.Pattern[str]) -> str | None:
    last = None
    for match in pattern.finditer(output):
        last = match[1]
    return last
