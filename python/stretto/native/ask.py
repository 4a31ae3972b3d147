"""Asks one of the native tools; its exit code says whose fault it is where it has no answer."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from stretto.errors import InputError, StrettoError

_BAD_INPUT = 2
_NO = 3


@dataclass(frozen=True)
class ToolOutput:
    """What a tool printed."""

    text: bytes
    complaint: str  # one line, where there is anything to complain of
    is_no: bool  # the input is right, and the answer to what was asked is no


def ask(tool: Path, *words: str) -> ToolOutput:
    """Run it to its end. Raises InputError where what was asked is wrong."""
    done = subprocess.run([tool, *words], capture_output=True, check=False)
    complaint = done.stderr.decode(errors="replace").strip().removeprefix(f"{tool.name}: ")
    if done.returncode == _BAD_INPUT:
        raise InputError(complaint)
    if done.returncode not in (0, _NO):
        raise StrettoError(f"{tool} {' '.join(words)} failed: {complaint}")
    return ToolOutput(done.stdout, complaint, done.returncode == _NO)
