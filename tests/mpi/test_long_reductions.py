"""Long reductions, which are computed as their operands come."""

import pytest
from mpi_runs import NO_READS_OF_MEMORY, Mpi

OURS = {"STRETTO_SELECTION": "stretto", "STRETTO_PROGRESS_THREAD": "on"}
# Reduce whole vectors, pieces and halves, of one sender and of several, for one reduction and two.
ALGORITHMS = [
    {},
    {
        "STRETTO_SELECTION_REDUCE": "binomial",
        "STRETTO_SELECTION_ALLREDUCE": "rabenseifner",
        "STRETTO_SELECTION_EXSCAN": "linear",
    },
    {
        "STRETTO_SELECTION_REDUCE": "chain",
        "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
        "STRETTO_SELECTION_SCAN": "recursive_doubling",
        "STRETTO_SELECTION_EXSCAN": "recursive_doubling",
    },
]


@pytest.mark.parametrize(("ranks", "how"), [(2, ()), (3, ()), (7, ("refused",))])
@pytest.mark.parametrize("algorithms", ALGORITHMS, ids=["chosen", "halves", "whole"])
def test_sums_and_others_are_right(
    mpi: Mpi, algorithms: dict[str, str], ranks: int, how: tuple[str, ...]
) -> None:
    program = mpi.program("long_reductions")
    env = OURS | NO_READS_OF_MEMORY | algorithms
    ended = mpi.run_under_stretto(program, 100, ranks, *how, ranks=ranks, env=env)
    if "seccomp" in ended.stderr:
        pytest.skip("system calls cannot be filtered here")
    assert "long reductions ok" in ended.stdout, ended.stdout + ended.stderr
    assert ended.ok, ended.stderr
