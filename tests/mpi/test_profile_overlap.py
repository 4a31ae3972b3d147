"""stretto profile on nonblocking calls: what becomes of the requests each of them starts."""

from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS
from profiles import of_phase, one_run_of_each_mpi, profile, run_profile

RANKS, ROUNDS, LATE_S, FEW, MANY = 3, 10, 0.020, 4, 100


@pytest.fixture(scope="module", params=one_run_of_each_mpi("overlapped"))
def overlapped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("profile") / "run"
    return profile(MPIS[request.param], "overlapped", RANKS, folder)


@pytest.mark.parametrize(
    ("function", "phase", "started", "completed"),
    [
        ("MPI_Irecv", "computes_first", ROUNDS, ROUNDS),
        ("MPI_Isend", "computes_first", ROUNDS, ROUNDS),
        ("MPI_Iallreduce", "waits_for_late", ROUNDS, ROUNDS),
        ("MPI_Startall", "again_and_again", 2 * ROUNDS, 2 * ROUNDS),
        ("MPI_Isend", "freed", ROUNDS, 0),
        ("MPI_Irecv", "cancelled", ROUNDS, ROUNDS),
        ("MPI_Isend", "many_at_once", MANY, MANY),
        ("MPI_Irecv", "receive_few", 6 * FEW, 6 * FEW),
    ],
)
def test_requests_are_followed_to_their_end(
    overlapped: dict[str, Any], function: str, phase: str, started: int, completed: int
) -> None:
    found = of_phase(overlapped, function, phase)["overlap"]
    assert (found["started"], found["completed"]) == (RANKS * started, RANKS * completed)


def test_what_starts_nothing_has_no_overlap(overlapped: dict[str, Any]) -> None:
    starters = {site["function"] for site in overlapped["sites"] if site["overlap"] is not None}
    assert starters == {"MPI_Irecv", "MPI_Isend", "MPI_Iallreduce", "MPI_Startall"}


def test_times_are_not_counted_twice(overlapped: dict[str, Any]) -> None:
    found = [site["overlap"] for site in overlapped["sites"] if site["overlap"] is not None]
    for each in found:
        assert 0 <= each["hideable_s"] <= each["lost_s"] * (1 + 1e-9)
        assert each["hideable_s"] <= each["achieved_s"] * (1 + 1e-9)
    assert sum(each["lost_s"] for each in found) == pytest.approx(overlapped["overlap"]["lost_s"])
    kinds = ("completion",)
    completing = [site["time_s"] for site in overlapped["sites"] if site["kind"] in kinds]
    assert overlapped["overlap"]["lost_s"] <= sum(completing) * (1 + 1e-9)
    computing = sum(rank["computing_s"] for rank in overlapped["ranks"])
    assert overlapped["overlap"]["achieved_s"] <= computing * (1 + 1e-9)


# A sleep is at least as long as it was asked for, so these are lower bounds on any machine.
def test_computing_and_waiting_are_told_apart(overlapped: dict[str, Any]) -> None:
    slept = 0.9 * ROUNDS * LATE_S
    together = [
        of_phase(overlapped, function, "computes_first")["overlap"]
        for function in ("MPI_Irecv", "MPI_Isend")
    ]
    assert sum(each["achieved_s"] for each in together) > RANKS * slept
    assert min(each["achieved_s"] for each in together) > 0.4 * RANKS * slept  # a half each
    late = of_phase(overlapped, "MPI_Iallreduce", "waits_for_late")["overlap"]
    assert late["lost_s"] > (RANKS - 1) * slept


def test_the_table_shows_where_overlap_is_lost(tmp_path: Path) -> None:
    mpi = next(iter(MPIS.values()))
    shown = run_profile(mpi, "overlapped", 2, tmp_path / "run").stdout.splitlines()
    (heading,) = [line for line in shown if line.startswith("overlap of what starts at")]
    assert heading.split()[-5:] == ["requests", "computing", "waiting", "overlapped", "hideable"]
    first = shown[shown.index(heading) + 1]
    assert "overlapped.c:" in first
    assert len(shown) <= 25
