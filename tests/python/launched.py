"""What tests of launches need: processes that own one, and a look at what is left of it."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from stretto.launch.process import GUARDIAN

# Long enough that a test which waits for it to end by itself is seen to hang.
FOREVER = "600"

OWNER = """
import sys
from stretto.launch.lifelines import VARIABLE, Lifelines
from stretto.launch.process import launch
launch(["sh", "-c", sys.argv[1]])
"""


def start_python(code: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """A process of its own that runs `code`, which finds our packages."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        **options,
    )


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie waits for its parent only."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition) -> None:
    while not condition():
        time.sleep(0.01)


def pids_in(path: Path, count: int) -> list[int]:
    wait_for(lambda: path.exists() and len(path.read_text().split()) == count)
    return [int(word) for word in path.read_text().split()]


def guardian_that(folder: Path, does: str) -> Path:
    """A guardian that does that first."""
    path = folder / "guardian.py"
    path.write_text(f"""
import os, signal, sys
sys.path.append({str(GUARDIAN.parents[2])!r})
{does}
from stretto.launch import guardian
guardian.main()
""")
    return path


def escapes(pids: Path) -> str:
    """A script whose children leave its session and ignore polite signals."""
    child = f'trap "" TERM HUP INT; echo \\$\\$ >> {pids}; exec sleep {FOREVER}'
    return f'for i in 1 2; do setsid sh -c "{child}" & done; setsid -f sh -c "{child}"; '
