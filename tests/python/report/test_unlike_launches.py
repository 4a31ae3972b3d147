"""Launches that did not do the same, and time that nothing accounts for."""

import pytest

from stretto.data.virtual_times import Clock, CollectiveCallSite, Flags, RankTimes
from stretto.report.unlike_launches import wall_times, why_incomparable

Run = list[RankTimes]


def rank(wall_s: float, number: int = 0, flags: Flags = Flags()) -> RankTimes:  # noqa: B008
    return RankTimes(
        rank=number,
        size=1,
        mpi="Open MPI",
        host="here",
        wall_ns=round(1e9 * wall_s),
        involuntary_switches=0,
        flags=flags,
    )


def real(wall_s: float) -> Run:
    return [rank(wall_s)]


def virtual(
    wall_s: float,
    sim_s: float | None = None,
    calls: int = 100,
    bytes_: int = 800,
    *,
    shares_cores: bool = False,
    flags: Flags = Flags(),  # noqa: B008
) -> Run:
    written = rank(wall_s, flags=flags)
    return [
        RankTimes(
            rank=0,
            size=1,
            mpi=written.mpi,
            host=written.host,
            wall_ns=written.wall_ns,
            involuntary_switches=0,
            oversubscribed=shares_cores,
            clocks=[Clock("sim", 1e9 * (wall_s if sim_s is None else sim_s)), Clock("zero", 0.0)],
            flags=flags,
            call_sites=[CollectiveCallSite("MPI_Bcast", "/app", 1, "main", 1, calls, bytes_, 0, 0)],
        )
    ]


def why(normal: list[Run], runs: list[Run], *, is_measured_here: bool = True) -> str | None:
    return why_incomparable(normal, runs, is_measured_here=is_measured_here)


@pytest.mark.parametrize("is_measured_here", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_a_launch_that_ended_at_once_is_named(first: bool, is_measured_here: bool) -> None:
    short, long = 0.025, 31.9
    normal, runs = [real(long if first else short)], [virtual(short if first else long)]
    words = why(normal, runs, is_measured_here=is_measured_here)
    assert words is not None
    took = (
        "normal-0 took 31.9 s, virtual-0 25.0 ms"
        if first
        else "virtual-0 took 31.9 s, normal-0 25.0 ms"
    )
    assert f"launches of the program did not do the same: {took}; " in words
    assert "--fresh-dir" in words
    assert "--prepare" in words
    assert wall_times(normal, runs) == pytest.approx(
        {"normal-0": long if first else short, "virtual-0": short if first else long}
    )


def test_where_ranks_share_cores_launches_of_a_kind_are_compared() -> None:
    assert why([real(30), real(31)], [virtual(1, shares_cores=True)] * 2) is None
    words = why([real(30), real(0.02)], [virtual(0.02, shares_cores=True)] * 2)
    assert words is not None
    assert "normal-0 took 30.0 s, normal-1 20.0 ms" in words


def test_calls_and_bytes_of_virtual_runs_are_compared() -> None:
    called = why([real(1)] * 2, [virtual(1, calls=3), virtual(1, calls=4000)])
    assert called is not None
    assert "virtual-1 called 4,000 collectives, virtual-0 3" in called
    gave = why([real(1)] * 2, [virtual(1, bytes_=1 << 30), virtual(1)])
    assert gave is not None
    assert "virtual-0 gave collectives 1.00 GiB, virtual-1 800 B" in gave


@pytest.mark.parametrize(
    ("normal", "runs"),
    [
        ([real(1), real(9)], [virtual(1), virtual(9)]),
        ([real(0.01), real(0.4)], [virtual(0.01)] * 2),  # disturbed
        ([real(1), real(1)], [virtual(40, 1)] * 2),  # many short calls
        ([real(1), real(1)], [virtual(1, 40)] * 2),  # another machine
    ],
)
def test_what_differs_less_has_an_answer(normal: list[Run], runs: list[Run]) -> None:
    assert why(normal, runs) is None


def test_time_that_is_not_accounted_for_is_said() -> None:
    normal, runs = [real(10)], [virtual(11, 0.1, flags=Flags(other_threads=1200))]
    words = why(normal, runs)
    assert words is not None
    assert "virtual time accounts for 100 ms of the 10.0 s that the real runs took" in words
    assert "threads besides the main one, which made 1,200 calls" in words
    assert "communication" in (why(normal, [virtual(11, 0.1)]) or "")
    # On a machine that is faster by so much, that is the answer.
    assert why(normal, runs, is_measured_here=False) is None
