"""Short blocking collectives of ranks that share memory go without messages."""

import json
from pathlib import Path

import pytest
from mpi_runs import Mpi

CALLS = 4000


def handled(folder: Path) -> dict[tuple[str, str], int]:
    """What rank 0 handled: calls by name and algorithm."""
    report = json.loads((folder / "rank-0.json").read_text())
    return {(row["call"], row["algorithm"]): row["calls"] for row in report["handled"]}


def run(mpi: Mpi, ranks: int, *arguments: object, **env: str) -> None:
    program = mpi.program("shared_blocks")
    ended = mpi.run_under_stretto(program, *arguments, ranks=ranks, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "shared blocks ok" in ended.stdout


def test_the_program_passes_on_the_mpi_alone(mpi: Mpi) -> None:
    ended = mpi.run(mpi.program("shared_blocks"), 1, CALLS, ranks=3)
    assert ended.ok, ended.stdout + ended.stderr


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
def test_ranks_get_what_the_others_wrote(mpi: Mpi, ranks: int, tmp_path: Path) -> None:
    run(mpi, ranks, ranks, CALLS, STRETTO_LEARN="off", STRETTO_RUN_COUNTERS=str(tmp_path))
    calls = handled(tmp_path)
    for call, algorithm in {
        "MPI_Barrier": "flat",
        "MPI_Reduce": "flat",
        "MPI_Allreduce": "flat",
        "MPI_Allgather": "linear",
        "MPI_Alltoall": "linear",
    }.items():
        assert calls[call, algorithm] > CALLS / 20, calls


def test_learning_takes_turns_between_them_and_the_others(mpi: Mpi) -> None:
    run(mpi, 3, 7, 4 * CALLS)


def test_beside_a_progress_thread(mpi: Mpi) -> None:
    run(mpi, 3, 8, CALLS, STRETTO_PROGRESS_THREAD="on")


def test_without_shared_memory_there_are_none(mpi: Mpi, tmp_path: Path) -> None:
    counted = {"STRETTO_RUN_COUNTERS": str(tmp_path)}
    run(mpi, 3, 9, CALLS // 10, STRETTO_SHARED_MEMORY="off", STRETTO_LEARN="off", **counted)
    assert not {algorithm for _, algorithm in handled(tmp_path)} & {"flat"}
