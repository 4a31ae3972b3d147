"""Random sequences under Stretto against the MPI alone; `make differential` runs many more."""

import pytest
from mpi_runs import Mpi, algorithms_in_turn
from sequence_runs import PROGRESS_THREAD, Batch, compare, first_difference
from sequence_shrink import fewest

from stretto.data.counters import summed
from stretto.launch.base import Abi

ON = {PROGRESS_THREAD: "on"}
# Ranks, how many sequences: with those of the other tests a thousand of each MPI. MPICH's ranks are
# slow where there are more than cores.
SHARES = {
    Abi.OPENMPI: ((2, 210), (3, 200), (4, 200), (5, 200)),
    Abi.MPICH: ((2, 600), (3, 210)),
}


def agree(batch: Batch) -> int:
    """Both runs are the same; returns how many calls Stretto handled."""
    outcome = compare(batch)
    said = f"{outcome.failure}\n{outcome.last_words}\nto shrink it: {batch.command()}"
    assert outcome.failure is None, said
    return summed(outcome.counters).calls_handled


def test_random_sequences_agree_with_the_mpi_alone(mpi: Mpi) -> None:
    for ranks, count in SHARES[mpi.abi]:
        batch = Batch(mpi, ranks, seed=20 + ranks, first=0, count=count, settings=ON)
        assert agree(batch) > count  # else the MPI was compared with itself


def test_random_sequences_agree_with_each_algorithm_forced(mpi: Mpi) -> None:
    for turn, forced in enumerate(algorithms_in_turn()):
        settings = {**forced, **ON}
        assert agree(
            Batch(mpi, 2 + turn % 2, seed=40, first=30 * turn, count=30, settings=settings)
        )


@pytest.mark.sanitized
@pytest.mark.parametrize("ranks", [2, 3])
def test_random_sequences_agree_under_the_sanitizers(mpi: Mpi, ranks: int) -> None:
    assert agree(Batch(mpi, ranks, seed=50, first=0, count=20, settings=ON))


def test_a_sequence_depends_on_nothing_but_its_number(mpi: Mpi) -> None:
    all_three = Batch(mpi, 2, seed=3, first=0, count=3).in_words()
    alone = [line for first in range(3) for line in Batch(mpi, 2, seed=3, first=first).in_words()]
    assert all_three == alone


def test_the_first_difference_is_named() -> None:
    native = ["1 0 ab whole", "2 0 cd whole"]
    assert first_difference(native, list(native)) == ""
    assert first_difference(native, native[:1]) == "noted 1 operations instead of 2"
    changed = [native[0], "2 13 cd changed"]
    assert first_difference(native, changed) == (
        "#2: error class 13 instead of 0, sent data changed instead of whole"
    )


@pytest.mark.parametrize("needed", [(7,), (0, 19), (3, 4, 11)])
def test_shrinking_keeps_what_the_failure_needs(needed: tuple[int, ...]) -> None:
    assert fewest(range(20), lambda kept: set(needed) <= set(kept)) == needed
