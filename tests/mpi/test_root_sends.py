"""Broadcasts and scatters of ranks that share cores: the root says in shared memory what comes."""

import json
from pathlib import Path

import pytest
from mpi_runs import Mpi

CALLS = 3000


def run(mpi: Mpi, ranks: int, *arguments: object, **env: str) -> None:
    program = mpi.program("root_sends")
    ended = mpi.run_under_stretto(program, *arguments, ranks=ranks, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "root sends ok" in ended.stdout


def handled(folder: Path) -> dict[tuple[str, str], int]:
    """What rank 0 handled: calls by name and algorithm."""
    report = json.loads((folder / "rank-0.json").read_text())
    return {(row["call"], row["algorithm"]): row["calls"] for row in report["handled"]}


def test_the_program_passes_on_the_mpi_alone(mpi: Mpi) -> None:
    ended = mpi.run(
        mpi.program("root_sends"), 1, CALLS // 10, ranks=2, env={"ROOT_SENDS_APART": "1"}
    )
    assert ended.ok, ended.stdout + ended.stderr


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
def test_others_get_what_the_root_sends(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    run(mpi, ranks, ranks, CALLS, "all", STRETTO_RUN_COUNTERS=str(tmp_path))
    calls = handled(tmp_path)
    # All that is short, and what is too long for that goes in other ways.
    assert calls["MPI_Bcast", "linear"] > CALLS / 4, calls
    assert calls["MPI_Scatter", "linear"] > CALLS / 10, calls


def test_beside_a_progress_thread(mpi: Mpi) -> None:
    run(mpi, 3, 8, CALLS, STRETTO_PROGRESS_THREAD="on")


@pytest.mark.parametrize("algorithm", ["native", "binomial"])
def test_what_is_forced_is_done(mpi: Mpi, algorithm: str, tmp_path: Path) -> None:
    counted = {"STRETTO_RUN_COUNTERS": str(tmp_path), "STRETTO_LEARN": "off"}
    # What is the MPI's may spin for ranks of the same core.
    run(mpi, 3, 9, 100, STRETTO_SELECTION_BCAST=algorithm, **counted)
    calls = handled(tmp_path)
    assert ("MPI_Bcast", "linear") not in calls
    assert ("MPI_Bcast", "binomial") in calls or algorithm == "native"
    assert calls["MPI_Scatter", "linear"] > 0
