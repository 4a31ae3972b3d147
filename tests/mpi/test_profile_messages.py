"""stretto profile on point-to-point messages: who waited for whom, and how much was moved."""

from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS
from profiles import of_phase, one_run_of_each_mpi, profile, sites

from stretto.data.profile_messages import read_messages
from stretto.data.profiles import read_profile
from stretto.errors import InputError

ROUNDS, LATE_S, BYTES = 4, 0.050, 1000


@pytest.fixture(scope="module", params=one_run_of_each_mpi("messages"))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run folder of three ranks, and what --json said."""
    folder = tmp_path_factory.mktemp("profile") / "run"
    return folder, profile(MPIS[request.param], "messages", 3, folder)


@pytest.fixture
def messages(run: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    return run[1]


@pytest.mark.parametrize(
    ("function", "phase", "side", "whom", "ranks"),
    [
        ("MPI_Recv", "late_sender", "late_sender_s", 2, 2),
        ("MPI_Ssend", "late_receiver", "late_receiver_s", 1, 1),
        ("MPI_Waitall", "waitall", "late_sender_s", 2, 2),
        ("MPI_Mprobe", "probed", "late_sender_s", 2, 1),
        ("MPI_Probe", "probed", "late_sender_s", 2, 1),
    ],
)
def test_who_waits_for_whom(
    messages: dict[str, Any], function: str, phase: str, side: str, whom: int, ranks: int
) -> None:
    slept = ROUNDS * LATE_S
    found = sum(
        waited["time_s"]
        for site in sites(messages, function)
        if site["symbol"] == phase
        for waited in site["waited_for"]
        if waited["rank"] == whom
    )
    assert found > 0.8 * ranks * slept
    at = [site for site in sites(messages, function) if site["symbol"] == phase]
    assert sum(site[side] for site in at) > 0.8 * ranks * slept


def test_persistent_requests_on_a_communicator_without_collectives(
    messages: dict[str, Any],
) -> None:
    waits = [site for site in sites(messages, "MPI_Wait") if site["symbol"] == "persistent"]
    assert sum(site["late_sender_s"] for site in waits) > 0.8 * ROUNDS * LATE_S
    assert {site["bytes"] for site in waits} == {2 * ROUNDS * BYTES}


def test_a_wait_shows_the_bytes_it_completed(messages: dict[str, Any]) -> None:
    assert of_phase(messages, "MPI_Waitall", "waitall")["bytes"] == 3 * ROUNDS * 4 * BYTES


def test_parts_add_up(messages: dict[str, Any]) -> None:
    divided = [site for site in messages["sites"] if site["late_sender_s"] is not None]
    assert {"MPI_Recv", "MPI_Send", "MPI_Sendrecv", "MPI_Mrecv"} <= {s["function"] for s in divided}
    for site in divided:
        late = site["late_sender_s"] + site["late_receiver_s"]
        assert late == pytest.approx(site["waiting_s"])
        parts = [late, site["transfer_s"], site["overhead_s"]]
        assert sum(parts) == pytest.approx(site["time_s"], rel=1e-6, abs=1e-9)
        assert min(parts) >= -1e-12
        assert sum(each["time_s"] for each in site["waited_for"]) == pytest.approx(late)


def test_who_sends_how_much_to_whom(messages: dict[str, Any]) -> None:
    pairs = {(pair["source"], pair["dest"]): pair for pair in messages["matrix"]}
    # late_sender and probed, waitall and, with communicators of their own, persistent.
    assert pairs[2, 0]["messages"] == 3 * ROUNDS
    assert pairs[2, 1]["messages"] == 4 * ROUNDS
    assert pairs[2, 1]["bytes"] == 4 * ROUNDS * BYTES
    assert pairs[1, 2]["bytes"] == 3 * ROUNDS * BYTES
    heaviest = messages["matrix"][0]
    assert (heaviest["source"], heaviest["dest"]) == (0, 1)
    assert heaviest["bytes"] == ROUNDS * (2**20 + BYTES)
    assert messages["pairs"] == len(pairs) == 6


def test_damaged_messages_are_one_line(run: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    rank = read_profile(run[0], 3).ranks[0]
    path = tmp_path / "rank-0.messages"
    raw = (run[0] / "rank-0.messages").read_bytes()
    for damaged, words in (
        (raw[:-3], "is cut off at byte"),
        (raw[:-64], "rows, not the"),
        (raw[:52] + b"\x7f" * 4 + raw[56:], "an unknown site at byte"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=words):
            read_messages(tmp_path, rank)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        read_messages(tmp_path, rank)
