"""stretto whatif and replay on a program of mpi4py's: its lines are those of the Python source."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import Mpi

RANKS, ROUNDS = 3, 10
PROGRAM = Path(__file__).with_name("mpi4py_profiled.py")
STRETTO = Path(sys.executable).with_name("stretto")


def answered(*words: object) -> dict[tuple[str, str], float]:
    """Calls by function and place, as --json of a verb has them."""
    answer = subprocess.run(
        [STRETTO, *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )
    assert answer.returncode == 0, answer.stderr
    sites = json.loads(answer.stdout)["sites"]
    return {
        (site["function"].removesuffix("_c"), site["where"].partition(" ")[2]): site["calls"]
        for site in sites
    }


def test_calls_are_told_apart_by_python_lines(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # mpi4py finds a system's MPI by itself; one that came as a wheel lies beside its launcher.
    libraries = mpi.launcher.path.resolve().parents[1] / "lib"
    library = next(libraries.glob("libmpi.so.12"), "libmpi.so.40")
    monkeypatch.setenv("MPI4PY_LIBMPI", str(library))
    trace = tmp_path / "run.trace"
    found = answered(
        "whatif", "--json", "-n", RANKS, "--runs", 1, "--machine", "loggopsim", "--record", trace,
        "--output", tmp_path / "run", "--launcher", mpi.launcher.path, sys.executable, PROGRAM,
    )  # fmt: skip
    lines = {
        text.partition("#")[2].strip(): f"{PROGRAM.name}:{number}"
        for number, text in enumerate(PROGRAM.read_text().splitlines(), 1)
    }
    assert found["MPI_Allreduce", lines["a method's"]] == RANKS * ROUNDS
    assert found["MPI_Iallreduce", lines["starts"]] == RANKS * ROUNDS
    assert found["MPI_Allreduce", lines["a module's"]] == RANKS
    assert {"MPI_Allgather", "MPI_Allgatherv"} & {
        function for function, where in found if where == lines["of objects"]
    }
    # A trace keeps them.
    assert answered("replay", "--json", trace) == found
