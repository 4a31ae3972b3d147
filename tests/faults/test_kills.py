"""Some of what `make kills` does, and what it takes for wrong."""

import random

import pytest
from kills import ENDS_WITHIN_S, Kill, kill_one, wrong_with
from mpi_runs import Mpi


def test_a_killed_rank_ends_the_job_and_leaves_nothing(mpi: Mpi) -> None:
    kill = kill_one(mpi, None, random.Random(1), preloaded=True)
    assert wrong_with(kill) is None
    # A rank that waited for the killed one may be first to say so, and its MPI ends the job then.
    assert kill.names_the_rank or "failed in MPI_" in kill.said


@pytest.mark.parametrize(
    ("kill", "wrong"),
    [
        (Kill(2, 1.0, "rank 2 was killed"), None),
        (Kill(2, 1.0, "", files=["mpich_shm_17d2_0"]), None),  # as without Stretto
        (Kill(2, ENDS_WITHIN_S + 1, ""), "the job went on for 61 s"),
        (Kill(2, 1.0, "", left=["77 (endless)"]), "processes 77 (endless) are left"),
        (Kill(2, 1.0, "", files=["stretto-1"]), "stretto-1 are left in /dev/shm"),
    ],
)
def test_what_is_wrong(kill: Kill, wrong: str | None) -> None:
    said = wrong_with(kill)
    assert said == wrong if wrong is None else wrong in str(said)
