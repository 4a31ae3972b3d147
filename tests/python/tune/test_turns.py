"""Which of an MPI's own algorithms are forced in one launch."""

import re

import pytest

from stretto.data.contests import Contest, ContestPlan, Contests, Pattern, Way
from stretto.tune.intel import OWN as INTEL
from stretto.tune.openmpi import OWN
from stretto.tune.settings import Settings, Where, name_of
from stretto.tune.turns import turns

NAMES = (
    *("allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce"),
    *("reduce_scatter", "scan", "scatter"),
)
PLAN = ContestPlan(3, [Contest(name, 8, [Pattern("none", [0.0])], [Way("ring")]) for name in NAMES])
FIVE = "Open MPI v5.0.11"
UNEVEN = Contests(FIVE, 3, 2, crowded=True, cases=[], most_ranks_of_a_host=2)
EVEN = Contests(FIVE, 4, 2, crowded=True, cases=[], least_ranks_of_a_host=2, most_ranks_of_a_host=2)
ONE_HOST = Contests(
    FIVE, 4, 1, crowded=True, cases=[], least_ranks_of_a_host=4, most_ranks_of_a_host=4
)
# By what each runs of the communicator's other collectives.
COMPOSED = {("allreduce", "nonoverlapping"), ("reduce_scatter", "basic_linear")}
COMPOSED |= {("allgather", "linear")}


def ways(plan: ContestPlan) -> set[tuple[str, str]]:
    """Collectives, and the algorithm that each is forced to."""
    assert all(len(each.ways) == 1 for each in plan.contests)
    return {(each.collective, each.ways[0].of_mpi) for each in plan.contests}


def forced_of_tuned(settings: dict[str, str]) -> set[str]:
    return {name for name in settings if re.fullmatch("OMPI_MCA_coll_tuned_.*_algorithm", name)}


@pytest.mark.parametrize("seen", [UNEVEN, EVEN, ONE_HOST])
def test_each_algorithm_has_one_launch_and_is_forced_there(seen: Contests) -> None:
    where = Where(seen.ranks, seen.hosts, (5, 0, 11), seen.is_even)
    of_all = [each for plan, _ in turns(PLAN, seen, OWN, ()) for each in sorted(ways(plan))]
    assert sorted(of_all) == sorted(
        (name, each) for name in NAMES for each in OWN.algorithms(name, where)
    )
    for plan, settings in turns(PLAN, seen, OWN, ()):
        assert plan.rounds == PLAN.rounds
        for name, algorithm in ways(plan):
            is_of_han = algorithm.startswith("han_")
            forced = settings.get(f"OMPI_MCA_coll_tuned_{name_of(name)}_algorithm")
            assert forced == (None if is_of_han else algorithm)


# HAN runs reduce and bcast as parts of an allreduce, by coll/tuned.
@pytest.mark.parametrize(("seen", "launches"), [(UNEVEN, 2), (EVEN, 2), (ONE_HOST, 0)])
def test_nothing_of_tuned_is_forced_where_han_runs(seen: Contests, launches: int) -> None:
    of_han = [
        settings
        for plan, settings in turns(PLAN, seen, OWN, ())
        if any(name.startswith("han_") for _, name in ways(plan))
    ]
    assert len(of_han) == launches
    assert [forced_of_tuned(settings) for settings in of_han] == [set()] * launches


@pytest.mark.parametrize("seen", [UNEVEN, EVEN, ONE_HOST])
def test_composed_algorithms_run_others_that_are_not_forced(seen: Contests) -> None:
    (found,) = (ways(plan) for plan, _ in turns(PLAN, seen, OWN, ()) if ways(plan) & COMPOSED)
    assert found == COMPOSED


# A setup without HAN can be measured, too.
@pytest.mark.parametrize(
    "settings",
    [
        (("OMPI_MCA_coll_han_priority", "0"),),
        (("PATH", "/bin"), ("OMPI_MCA_coll", "^hcoll,han")),
        (("OMPI_MCA_coll", "self,basic,libnbc,tuned"),),
    ],
)
def test_where_han_is_off_its_algorithms_are_not_measured(settings: Settings) -> None:
    assert OWN.chosen_by(settings) is None
    found = [each for plan, _ in turns(PLAN, EVEN, OWN, settings) for each in ways(plan)]
    assert ("bcast", "binomial") in found
    assert not [name for _, name in found if name.startswith("han_")]


def test_presets_have_a_launch_for_each_number() -> None:
    seen = Contests("Intel MPI 2021.19", 4, 1, crowded=False, cases=[])
    plan = ContestPlan(1, [each for each in PLAN.contests if each.collective == "scan"])
    found = [settings for _, settings in turns(plan, seen, INTEL, ())]
    assert found == [{"I_MPI_ADJUST_SCAN": str(number)} for number in range(4)]
