"""Programs that go wrong under the MPIs that are here: one line each, and no process left."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stretto.errors import ApplicationFailed
from stretto.launch.base import Start
from stretto.launch.failure import require_success
from stretto.launch.outcome import Outcome
from stretto.launch.process import launch
from stretto.launch.program import inspect
from stretto.launch.registry import choose_launcher

PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && strcmp(argv[1], "signal") == 0) raise(SIGKILL);
  if (rank == 1 && strcmp(argv[1], "exit") == 0) _exit(7);
  if (rank == 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(argv[1], "hang") == 0) pause();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""
FURTHER_MPIS = Path(__file__).resolve().parents[3] / ".mpis"  # of tools/mpis.sh
COMPILERS = {
    "openmpi": "/usr/bin/mpicc",
    "mpich": f"{sys.prefix}/bin/mpicc",
    "mpiabi": f"{sys.prefix}/bin/mpicc_abi",
    "openmpi-5": f"{FURTHER_MPIS}/openmpi-5/bin/mpicc",
    "intel": f"{FURTHER_MPIS}/intel/bin/mpicc",
}


@pytest.fixture(scope="module", params=COMPILERS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which(COMPILERS[request.param])
    if compiler is None:
        pytest.skip(f"no {request.param} here")
    folder = tmp_path_factory.mktemp(request.param)
    source, binary = folder / "program.c", folder / f"program-{request.param}"
    source.write_text(PROGRAM)
    env = os.environ | {"I_MPI_ROOT": str(Path(compiler).parents[1])}  # Intel's asks for it
    subprocess.run([compiler, str(source), "-o", str(binary)], env=env, check=True)
    return binary


def run(program: Path, how: str, timeout_s: float | None = None) -> Outcome:
    job = inspect([str(program), how])
    command = choose_launcher(job).command(Start(2, job.argv))
    with (program.parent / "output").open("wb") as output:
        return launch(command, timeout_s=timeout_s, stdout=output, stderr=output)


def running(program: Path) -> list[str]:
    """The processes of the program that still run."""
    found = []
    for link in Path("/proc").glob("[0-9]*/exe"):
        try:
            if link.resolve() == program.resolve():
                found.append(link.parent.name)
        except OSError:
            continue
    return found


def test_a_good_program_is_launched(program: Path) -> None:
    assert run(program, "well").ok


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("signal", "killed by SIGKILL"),
        # Hydra at times tells of a rank that it killed itself as another had ended.
        ("exit", "code 7|killed by SIGKILL .*by its launcher if another ended"),
        ("abort", "code 9"),  # Open MPI's own message at times comes too late for it to print
    ],
)
def test_a_rank_that_fails_is_told_in_one_line(program: Path, how: str, words: str) -> None:
    outcome = run(program, how)
    with pytest.raises(ApplicationFailed, match=words) as error:
        require_success("./program", outcome, None)
    assert "\n" not in str(error.value)
    assert running(program) == []


def test_a_program_that_hangs_is_gone_after_its_timeout(program: Path) -> None:
    outcome = run(program, "hang", timeout_s=3)
    assert outcome.timed_out
    assert running(program) == []
