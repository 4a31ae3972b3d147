"""stretto profile on one-sided communication and MPI-IO: calls like others."""

from pathlib import Path
from typing import Any

import pytest
from mpi_runs import Mpi
from profiles import profile, sites

RANKS = 3


@pytest.fixture
def onesided(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    # Open MPI 4.1 alone crashes in the atomic calls of what it takes on one host otherwise.
    monkeypatch.setenv("OMPI_MCA_osc", "^rdma")
    return profile(mpi, "onesided", RANKS, tmp_path / "run")


def counted(found: dict[str, Any], kind: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Calls and bytes of all sites of one kind, by function and phase; each a rank."""
    calls: dict[tuple[str, str], tuple[int, int]] = {}
    for site in found["sites"]:
        if site["kind"] == kind:
            key = (site["function"].removeprefix("MPI_"), site["symbol"])
            before = calls.get(key, (0, 0))
            calls[key] = (before[0] + site["calls"], before[1] + site["bytes"])
    assert all(n % RANKS == bytes_ % RANKS == 0 for n, bytes_ in calls.values())
    return {key: (n // RANKS, bytes_ // RANKS) for key, (n, bytes_) in calls.items()}


def test_one_sided_calls_are_counted_with_their_bytes(onesided: dict[str, Any]) -> None:
    rounds, doubles = 10, 100 * 8
    assert counted(onesided, "one-sided") == {
        ("Win_allocate", "main"): (1, 0),
        ("Win_fence", "fences"): (3 * rounds, 0),
        ("Put", "fences"): (2 * rounds, rounds * doubles),  # to a rank, and to none
        ("Get", "fences"): (rounds, rounds * doubles // 2),
        ("Win_lock_all", "locks"): (1, 0),
        ("Accumulate", "locks"): (rounds, rounds * doubles),
        ("Win_flush", "locks"): (rounds, 0),
        ("Get_accumulate", "locks"): (rounds, rounds * doubles),
        ("Win_flush_all", "locks"): (rounds, 0),
        ("Fetch_and_op", "locks"): (rounds, rounds * 8),
        ("Compare_and_swap", "locks"): (rounds, rounds * 8),
        ("Win_flush_local_all", "locks"): (rounds, 0),
        ("Win_unlock_all", "locks"): (1, 0),
        ("Win_lock", "requests"): (1, 0),
        ("Rput", "requests"): (rounds, rounds * doubles),
        ("Win_flush", "requests"): (rounds, 0),
        ("Rget", "requests"): (rounds, rounds * doubles),
        ("Win_unlock", "requests"): (1, 0),
        ("Win_free", "main"): (1, 0),
        ("Win_create", "halves"): (1, 0),
        ("Win_fence", "halves"): (2, 0),
        ("Win_free", "halves"): (1, 0),
    }


def test_windows_count_for_their_communicator(onesided: dict[str, Any]) -> None:
    of_world = {s["communicator"] for s in sites(onesided, "MPI_Put") + sites(onesided, "MPI_Rget")}
    assert of_world == {"world"}
    halves = [s for s in onesided["sites"] if s["symbol"] == "halves" and s["kind"] == "one-sided"]
    assert {s["communicator"] for s in halves}.isdisjoint({"", "world"})


def test_requests_of_windows_are_followed(onesided: dict[str, Any]) -> None:
    for function in ("MPI_Rput", "MPI_Rget"):
        (site,) = sites(onesided, function)
        assert site["overlap"]["completed"] == site["calls"] == RANKS * 10


def test_files_are_counted_with_their_bytes(mpi: Mpi, tmp_path: Path) -> None:
    found = profile(mpi, "files", RANKS, tmp_path / "run", tmp_path / "file")
    rounds, doubles = 5, 64 * 8
    assert counted(found, "file") == {
        ("File_open", "main"): (1, 0),
        ("File_write_at", "alone"): (rounds, rounds * doubles),
        ("File_read_at", "alone"): (rounds, rounds * doubles // 2),
        ("File_iread_at", "alone"): (rounds, rounds * doubles),
        ("File_set_view", "together"): (1, 0),
        ("File_write_at_all", "together"): (rounds, rounds * doubles),
        ("File_read_at_all_begin", "together"): (rounds, rounds * doubles),
        ("File_read_at_all_end", "together"): (rounds, 0),
        ("File_sync", "together"): (1, 0),
        ("File_close", "main"): (1, 0),
    }
    # And nothing of what the MPI does for them.
    assert {site["kind"] for site in found["sites"]} == {"file", "completion"}
    assert {site["communicator"] for site in found["sites"] if site["kind"] == "file"} == {"world"}
    (iread,) = sites(found, "MPI_File_iread_at")
    assert iread["overlap"]["completed"] == iread["calls"]
