"""How a test runs `stretto profile`, and finds a call site in what it says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS, Mpi

STRETTO = Path(sys.executable).with_name("stretto")


def one_run_of_each_mpi(program: str) -> list[Any]:
    """Parameters of a module's fixture that runs a program: who looks at a run is one worker."""
    return [pytest.param(abi, marks=pytest.mark.xdist_group(f"{program} {abi}")) for abi in MPIS]


def run_profile(
    mpi: Mpi, program: str | Path, ranks: int, folder: Path, *words: object
) -> subprocess.CompletedProcess[str]:
    """Profile a program of tests/mpi, or the one at a path; options among `words` come first."""
    path = program if isinstance(program, Path) else mpi.program(program)
    options = [str(word) for word in words if str(word).startswith("-")]
    arguments = [str(word) for word in words if str(word) not in options]
    command = [STRETTO, "profile", "-n", str(ranks), "--output", str(folder), *options]
    answer = subprocess.run(
        [*command, "--launcher", str(mpi.launcher.path), path, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return answer


def profile(mpi: Mpi, program: str | Path, ranks: int, folder: Path, *words: object) -> Any:
    """What --json says."""
    answer = run_profile(mpi, program, ranks, folder, "--json", *words)
    assert " ok" in answer.stderr  # what the program says, out of the way of the JSON
    return json.loads(answer.stdout)


def sites(found: dict[str, Any], function: str) -> list[dict[str, Any]]:
    """All call sites of a function."""
    return [site for site in found["sites"] if site["function"] == function]


def of_phase(found: dict[str, Any], function: str, phase: str) -> dict[str, Any]:
    """The one call site of it that lies in the function `phase`."""
    (site,) = [each for each in sites(found, function) if each["symbol"] == phase]
    return site
