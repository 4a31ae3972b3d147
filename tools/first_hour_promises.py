"""What a command line of the first hour is to do, by what the documentation says, and what judges
whether it did. For tools/first_hour.py."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cli_ends import NEVER, Ended, what_is_wrong

ROOT = Path(__file__).resolve().parents[1]
CODES = "docs/cli.md"
LANGUAGES = ("C", "Fortran", "Python")
# A terminal's control sequences, and the lines of its tables and their breaks.
_NO_WORDS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\u2500-\u257f]")


@dataclass(frozen=True)
class Says:
    """That something is printed, and where this is promised."""

    pattern: str  # of what is printed, with single spaces for all blanks and lines of tables
    page: str  # of the documentation, or the words of a command's --help
    promise: str  # what stands there, likewise


@dataclass(frozen=True)
class Step:
    """A command line, and what must come of it."""

    name: str
    line: str  # of a shell, in which $APP is the program, as the user types it
    code: int = 0
    says: Sequence[Says] = ()
    never: Sequence[str] = ()  # patterns of what must not be printed
    before: str = ""  # what the user did for it, of which nothing is shown unless it fails
    languages: Sequence[str] = LANGUAGES  # of the programs it is walked with
    needs: Sequence[str] = ()  # what not every machine has: mounts, rig, another MPI
    after: Sequence[str] = ()  # steps in whose folder it goes on; otherwise in an empty one
    place: str = ""  # what holds the folder that it is typed in: full disk, read-only disk
    interrupt_at: str = ""  # Ctrl-C is typed when there is a file of that pattern with bytes
    columns: int = 160  # of the terminal
    every_mpi: bool = False  # walked with each MPI, others with the first


def words_of(text: str) -> str:
    """A text as its words, each with one space before the next."""
    return " ".join(_NO_WORDS.sub(" ", text).split())


def broken_promises(step: Step, ended: Ended, page: Callable[[str], str]) -> list[str]:
    """What it did otherwise than the documentation says, a line each.

    `page`: the text of a page of the documentation, or what a command's --help prints.
    """
    stopped = ended.code is not None and step.code >= 128 and ended.code == step.code
    broken = [] if stopped else list(filter(None, [what_is_wrong(ended)]))
    if ended.code != step.code:
        broken.append(f"exit code {ended.code}, not {step.code}")
    if step.code not in documented_codes(page(CODES)):
        broken.append(f"{CODES} has no exit code {step.code}")
    printed = words_of(f"{ended.stdout}\n{ended.stderr}")
    for each in step.says:
        if words_of(each.promise) not in words_of(page(each.page)):
            broken.append(f"{each.page} does not say: {each.promise}")
        if not re.search(each.pattern, printed):
            broken.append(f"{each.pattern!r} is not printed ({each.page}: {each.promise})")
    for pattern in (*step.never, *map(re.escape, NEVER)):
        if found := re.search(pattern, printed):
            broken.append(f"{found.group()!r} is printed")
    return list(dict.fromkeys(broken))


@functools.cache
def documented_codes(page: str) -> frozenset[int]:
    """The exit codes in the table of that page."""
    rows = re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE)
    return frozenset(int(code) for row in rows for code in row.split(","))
