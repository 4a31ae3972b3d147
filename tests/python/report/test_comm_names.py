"""What people call the communicators of a profile."""

from stretto.data.profiles import ClockReading, Comm, Profile, RankProfile
from stretto.report.comm_names import WORLD, CommNames

ALL = Comm("all", 0, 3, 0, False, False, 1, 1)
COPY = Comm("all", 1, 3, 0, False, False, 1, 1)
PAIR = Comm("pair", 0, 2, 0, False, False, 1, 1)
QUIET = Comm("pair", -1, 2, 0, False, False, 0, 1)
FOLDED = Comm("", 7, 0, 0, False, True, 9, 1)


def rank(number: int, comms: list[Comm]) -> RankProfile:
    reading = ClockReading(0, 0, 0)
    return RankProfile(
        number, 3, "Open MPI", "openmpi", "here", 0, 1, 0, (reading, reading), comms, []
    )


def test_a_communicator_has_one_name_on_all_its_ranks() -> None:
    first, second = rank(0, [ALL, COPY, PAIR]), rank(1, [ALL, PAIR, COPY])
    names = CommNames(Profile([first, second], []))
    assert names.of(first, 0) == names.of(second, 0) == WORLD
    assert names.of(first, 2) == names.of(second, 1)
    assert str(names.of(first, 1)) == "communicator 1 (all ranks)"
    assert str(names.of(second, 1)) == "communicator 2 (2 ranks)"


def test_those_that_nothing_distinguishes_share_a_name() -> None:
    only = rank(0, [ALL, QUIET, FOLDED])
    names = CommNames(Profile([only], []))
    assert str(names.of(only, 1)) == "some without collectives (2 ranks)"
    assert str(names.of(only, 2)) == "others"
    assert names.of(only, -1) is None
