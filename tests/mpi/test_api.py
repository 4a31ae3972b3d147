"""stretto.h against the MPI's own results, with every algorithm in its turn."""

import itertools

import pytest
from mpi_runs import Mpi, algorithms_in_turn

pytestmark = pytest.mark.sanitized


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_random_collectives_match_the_mpi(mpi: Mpi, ranks: int) -> None:
    ended = mpi.run(mpi.program("api_random"), 100 + ranks, 25, ranks=ranks)
    assert ended.ok, ended.stdout + ended.stderr
    assert ended.stdout.endswith(" 0 differences\n")


@pytest.mark.parametrize("ranks", [2, 5])
def test_every_algorithm_matches_the_mpi(mpi: Mpi, ranks: int) -> None:
    for turn, (forced, thread) in enumerate(itertools.product(algorithms_in_turn(), ("on", "off"))):
        env = {**forced, "STRETTO_PROGRESS_THREAD": thread}
        ended = mpi.run(mpi.program("api_random"), 200 + turn, 15, ranks=ranks, env=env)
        assert ended.ok, f"{env}\n{ended.stdout}{ended.stderr}"


def test_threads_use_communicators_of_their_own(mpi: Mpi) -> None:
    ended = mpi.run(mpi.program("threads"), ranks=2)
    assert ended.ok, ended.stdout + ended.stderr
    assert "threads ok" in ended.stdout


@pytest.mark.parametrize("which", ["own", "first", "self", "alone"])
def test_a_communicator_stays_with_the_mpi_where_no_context_is_left(mpi: Mpi, which: str) -> None:
    ended = mpi.run(mpi.program("no_contexts"), which, ranks=2)
    assert ended.ok, ended.stdout + ended.stderr
    assert ended.stdout == "no contexts ok\n", ended.stdout
