"""Ranks that the launcher of another MPI starts are alone, which one line says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import MPIS

STRETTO = Path(sys.executable).with_name("stretto")


def started(verb: str, launcher: Path, program: Path, folder: Path) -> str:
    """What is said where a script hides the program's MPI from Stretto."""
    script = folder / "script.sh"
    script.write_text(f'#!/bin/sh\nexec "{program}" 0\n')
    script.chmod(0o755)
    words = [STRETTO, verb, "-n", "2", "--launcher", launcher, script]
    answer = subprocess.run(
        words, capture_output=True, text=True, timeout=120, check=False, cwd=folder, env=os.environ
    )
    return answer.stderr


@pytest.mark.parametrize("verb", ["run", "profile"])
def test_one_line_names_the_launcher_and_the_mpi(verb: str, tmp_path: Path) -> None:
    if not {"openmpi", "mpich"} <= MPIS.keys():
        pytest.skip("no two MPIs")
    launcher, program = MPIS["mpich"].launcher.path, MPIS["openmpi"].program("idle")
    said = started(verb, launcher, program, tmp_path)
    (line,) = [line for line in said.splitlines() if "a world of its own" in line]
    assert "2 ranks were started by mpiexec of MPICH or Intel MPI, but" in line
    assert "Open MPI v" in line
    assert "(libmpi.so.40)" in line


def test_nothing_is_said_of_ranks_that_found_each_other(tmp_path: Path) -> None:
    mpi = next(iter(MPIS.values()))
    assert "a world of its own" not in started(
        "run", mpi.launcher.path, mpi.program("idle"), tmp_path
    )
