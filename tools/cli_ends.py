"""How a command line of `stretto` ended, and what judges that. For tools that run many."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Codes that docs/cli.md documents, less 1, which is a bug of ours.
DOCUMENTED = (0, 2, 3, 4, 5)
NEVER = ("a bug of ours", "Traceback (most recent call last)", "Exception ignored", "Error in ")
_LINE = re.compile(r"stretto( \S+)?: \S")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # of what shows progress, before the line


@dataclass(frozen=True)
class Ended:
    """How a command line ended; `code` is None where it did not, and below 0 of a signal."""

    code: int | None
    stdout: str
    stderr: str


def what_is_wrong(ended: Ended, *, says_why: bool = True) -> str | None:
    """What no command line may do, in words; None where it did well.

    `says_why`: standard error is one that it could say so on.
    """
    if ended.code is None:
        return "it hangs"
    if ended.code < 0:
        return f"it was killed by signal {-ended.code}"
    for words in NEVER:
        if words in ended.stderr or words in ended.stdout:
            return f"it says {words!r}"
    if ended.code not in DOCUMENTED:
        return f"exit code {ended.code} is not documented"
    plain = _ESCAPES.sub("", ended.stderr)
    lines = [line for line in plain.splitlines() if _LINE.match(line)]
    if ended.code in (2, 4, 5) and says_why and not lines:
        return f"exit code {ended.code} without a line that says why"
    return None
