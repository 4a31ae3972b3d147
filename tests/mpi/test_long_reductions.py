"""Long reductions, which are computed as their operands come."""

import pytest
from mpi_runs import Mpi

OURS = {"STRETTO_SELECTION": "stretto", "STRETTO_PROGRESS_THREAD": "on"}
# Reduces whole vectors, pieces and halves, of one sender and of several.
ALGORITHMS = [
    {},
    {"STRETTO_SELECTION_REDUCE": "binomial", "STRETTO_SELECTION_ALLREDUCE": "rabenseifner"},
    {"STRETTO_SELECTION_REDUCE": "chain", "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling"},
]


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("algorithms", ALGORITHMS, ids=["chosen", "halves", "whole"])
def test_sums_and_others_are_right(mpi: Mpi, algorithms: dict[str, str], ranks: int) -> None:
    env = OURS | algorithms
    ended = mpi.run_under_stretto(mpi.program("long_reductions"), 100, ranks, ranks=ranks, env=env)
    assert "long reductions ok" in ended.stdout, ended.stdout + ended.stderr
    assert ended.ok, ended.stderr
