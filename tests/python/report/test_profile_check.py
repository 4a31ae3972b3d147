"""What is checked of profiles."""

from stretto.data.places import Address, Line
from stretto.report.comm_names import WORLD, CommName
from stretto.report.profile import CallSiteTotal, ProfileSummary, RankTotal
from stretto.report.profile_check import (
    ProfiledLaunch,
    Spent,
    check_profiles,
    profiled_launch,
)

WAIT, SEND = Spent("Wait in main", "a call"), Spent("Send in main", "a call")
TOTAL = Spent("in MPI", "all ranks")


def launch(wait: float, send: float | None) -> ProfiledLaunch:
    """Ten calls of each; without a time one is not called."""
    times = {WAIT: wait} if send is None else {WAIT: wait, SEND: send}
    totals = {spent: 10 * time for spent, time in times.items()}
    return ProfiledLaunch({TOTAL: sum(totals.values()), **times}, totals)


def site(offset: int, calls: int, time_s: float, comm: CommName | None = WORLD) -> CallSiteTotal:
    place = Address("/bin/app", offset)
    return CallSiteTotal(
        "MPI_Bcast", "collective", place, "solve", comm, calls=calls, time_s=time_s
    )


def test_calls_of_a_function_are_taken_together_wherever_they_are() -> None:
    sites = [site(1, 3, 2e-6), site(2, 1, 2e-6), site(3, 1, 5e-6, CommName("rows", "2 ranks"))]
    summary = ProfileSummary("", [RankTotal(0, 1e-3, 9e-6)], sites, {})
    found = profiled_launch(summary, {Address("/bin/app", 2): Line("solve", "a.c", 7)}).times
    assert {spent.where: round(time) for spent, time in found.items()} == {
        "wall time": 1_000_000,
        "in MPI": 9000,
        "Bcast in solve": 1000,
        "Bcast in solve on rows (2 ranks)": 5000,
    }


def test_a_function_that_is_not_known_is_of_its_library() -> None:
    unknown = CallSiteTotal("MPI_Bcast", "", Address("/lib/a.so", 1), "", None, calls=1, time_s=1.0)
    summary = ProfileSummary("", [RankTotal(0, 1.0, 1.0)], [unknown], {})
    assert Spent("Bcast in a.so", "a call") in profiled_launch(summary, {}).times


def test_what_takes_little_on_both_sides_is_not_checked() -> None:
    little, much = [launch(1000, 1)] * 2, [launch(1000, 20)] * 2
    for before, after, is_checked in [(little, little, 0), (little, much, 1), (much, little, 1)]:
        rows = [each.row for each in check_profiles(before, after, 0.05).checked]
        assert rows == [TOTAL, WAIT, SEND][: 2 + is_checked]


def test_what_is_no_longer_called_is_missing() -> None:
    before = [launch(1000, 500)] * 2
    assert check_profiles(before, [launch(1000, None)] * 2, 0.05).missing == ["Send in main"]
    assert check_profiles([launch(1000, 1)] * 2, [launch(9, None)] * 2, 0.05).missing == []
