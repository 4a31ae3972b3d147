"""mpi4py's own tests of the collectives on two ranks of one MPI of each ABI.

`make conformance` runs them on every MPI, on up to seven ranks, with every algorithm forced.
"""

import re
import subprocess
import sys
from pathlib import Path

from mpi_runs import Mpi

TOOL = Path(__file__).resolve().parents[2] / "tools" / "conformance.py"


def test_what_passes_natively_passes_under_stretto(mpi: Mpi) -> None:
    which = ["--mpi", mpi.name, "--abi", mpi.abi]
    ended = subprocess.run(
        [sys.executable, TOOL, "--quick", "--ranks", "2", *which],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    tests, skipped, failed = figures(ended.stdout, "Stretto")
    assert tests > 500
    # Open MPI 4.1 has none of the persistent ones, and mpi4py skips 148 of its tests there.
    assert skipped <= 4
    assert failed == 0


def figures(table: str, run: str) -> list[int]:
    """Tests, skipped and failed of one run."""
    found = re.search(rf"(?m)^ +2 +{run} +(\d+) +(\d+) +(\d+) ", table)
    assert found, table
    return [int(figure) for figure in found.groups()]
