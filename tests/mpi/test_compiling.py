"""A program that includes stretto.h, compiled as `stretto info` says and run by mpirun alone."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_runs import Mpi

from stretto.cli.main import run_command

PROGRAM = """
#include <stdio.h>
#include <stretto/stretto.h>
int main(int argc, char** argv) {
  int provided, mine = 1, sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  stretto_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  stretto_finalize();
  MPI_Finalize();
  printf("the sum is %d\\n", sum);
  return 0;
}
"""


def flags(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run_command(["info", *words]) == 0
    return capsys.readouterr().out


def test_a_program_is_compiled_and_linked(
    mpi: Mpi, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher = str(mpi.launcher.path)
    compiler = shutil.which("mpicc", path=str(mpi.launcher.path.parent))
    assert compiler
    said = flags("--cflags", "--libs", "--launcher", launcher, capsys=capsys)
    (tmp_path / "solver.c").write_text(PROGRAM)
    command = [compiler, "solver.c", *shlex.split(said), "-o", "solver"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ended = mpi.run(tmp_path / "solver", ranks=2)
    assert ended.stdout == "the sum is 2\n" * 2, ended.stdout + ended.stderr


def test_what_is_said_is_for_other_programs_too(
    mpi: Mpi, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher = str(mpi.launcher.path)
    said = flags("--cflags", "--libs", "--json", "--launcher", launcher, capsys=capsys)
    assert json.loads(said)["libs"][-1] == f"-lstretto-{mpi.abi}"
    only = flags("--cflags", capsys=capsys)
    assert shlex.split(only) == json.loads(said)["cflags"]
