"""How a test runs `stretto profile`, and finds a call site in what it says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from mpi_runs import Mpi

STRETTO = Path(sys.executable).with_name("stretto")


def profile(
    mpi: Mpi,
    program: str | Path,
    ranks: int,
    folder: Path,
    *arguments: object,
    options: tuple[str, ...] = (),
    as_json: bool = True,
) -> Any:
    """What --json says of a program of tests/mpi, or of the one at a path; or what is printed."""
    path = program if isinstance(program, Path) else mpi.program(program)
    words = ["profile", "-n", str(ranks), "--output", str(folder), *options]
    words += ["--launcher", str(mpi.launcher.path), *(["--json"] if as_json else [])]
    answer = subprocess.run(
        [STRETTO, *words, path, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    if not as_json:
        return answer.stdout
    assert " ok" in answer.stderr  # what the program says, out of the way of the JSON
    return json.loads(answer.stdout)


def sites(found: dict[str, Any], function: str) -> list[dict[str, Any]]:
    """All call sites of a function."""
    return [site for site in found["sites"] if site["function"] == function]


def of_phase(found: dict[str, Any], function: str, phase: str) -> dict[str, Any]:
    """The one call site of it that lies in the function `phase`."""
    (site,) = [each for each in sites(found, function) if each["symbol"] == phase]
    return site
