"""stretto profile on real programs: what is counted, and who waited for whom."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS, Mpi
from profiles import STRETTO, of_phase, one_run_of_each_mpi, profile, run_profile, sites

from stretto.data.profiles import read_profile
from stretto.errors import StrettoError

# So late that what others are late by, where they wait for cores, is little of it.
ROUNDS, LATE_S, BYTES = 10, 0.100, 8000


@pytest.fixture(scope="module", params=one_run_of_each_mpi("profiled"))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run folder of three ranks, and what --json said."""
    folder = tmp_path_factory.mktemp("profile") / "run"
    return folder, profile(MPIS[request.param], "profiled", 3, folder)


@pytest.fixture
def profiled(run: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    return run[1]


def test_collectives_used_are_counted_as_the_program_calls_them(profiled: dict[str, Any]) -> None:
    assert profiled["collectives_a_rank"] == {
        "MPI_Allgather": 1,
        "MPI_Allreduce": ROUNDS,
        "MPI_Alltoallv": 1,
        "MPI_Barrier": 7 * ROUNDS,
        "MPI_Bcast": 2 * ROUNDS,
        "MPI_Gather": 1,
        "MPI_Reduce": 2 * ROUNDS,
        "MPI_Scan": ROUNDS,
    }


def test_calls_are_told_apart_by_line_with_their_bytes(profiled: dict[str, Any]) -> None:
    allreduce = of_phase(profiled, "MPI_Allreduce", "allreduce")
    assert Path(allreduce["file"]).name == "profiled.c"
    text = Path(allreduce["file"]).read_text().splitlines()
    assert "MPI_Allreduce" in text[allreduce["line"] - 1]
    assert (allreduce["calls"], allreduce["bytes"]) == (3 * ROUNDS, 3 * ROUNDS * BYTES)
    assert allreduce["sizes"] == {"8192": 3 * ROUNDS}
    assert allreduce["communicator"] == "world"
    assert of_phase(profiled, "MPI_Alltoallv", "uneven")["bytes"] == 3 * (1 + 2 + 3) * 8
    assert of_phase(profiled, "MPI_Allgather", "uneven")["bytes"] == 3 * 4 * 4
    assert of_phase(profiled, "MPI_Gather", "uneven")["bytes"] == 3 * 3 * 2
    send = of_phase(profiled, "MPI_Isend", "point_to_point")
    assert (send["calls"], send["bytes"]) == (3 * ROUNDS, 3 * ROUNDS * BYTES)
    assert of_phase(profiled, "MPI_Waitall", "point_to_point")["kind"] == "completion"
    halves = [each for each in sites(profiled, "MPI_Barrier") if each["symbol"] == "communicators"]
    assert sum(each["calls"] for each in halves) == 3 * ROUNDS
    assert {each["communicator"] for each in halves}.isdisjoint({"world"})


def test_times_add_up(profiled: dict[str, Any]) -> None:
    for site in profiled["sites"]:
        if site["waiting_s"] is not None:
            parts = site["waiting_s"] + site["transfer_s"] + site["overhead_s"]
            assert parts == pytest.approx(site["time_s"], rel=1e-6, abs=1e-9)
            assert min(site["waiting_s"], site["transfer_s"], site["overhead_s"]) >= 0
    in_calls = sum(site["time_s"] for site in profiled["sites"])
    assert in_calls == pytest.approx(sum(rank["mpi_s"] for rank in profiled["ranks"]))


# A sleep is at least as long as it was asked for; who waits for it may itself come a little late,
# where ranks share cores.
def test_who_waits_for_a_late_rank(profiled: dict[str, Any]) -> None:
    slept = 0.9 * ROUNDS * LATE_S
    assert of_phase(profiled, "MPI_Allreduce", "allreduce")["waiting_s"] > 2 * slept
    assert of_phase(profiled, "MPI_Bcast", "bcast_from_late")["waiting_s"] > 2 * slept
    assert of_phase(profiled, "MPI_Reduce", "reduce_from_late")["waiting_s"] > slept
    # Ranks 1 and 2 need rank 1's arrival, rank 0 does not.
    assert of_phase(profiled, "MPI_Scan", "scan")["waiting_s"] > slept


def test_fortran_calls_are_found_in_their_source(mpi: Mpi, tmp_path: Path) -> None:
    found = profile(mpi, "fortran_mpifh", 2, tmp_path / "run")
    assert found["collectives_a_rank"]["MPI_Allreduce"] >= 1
    files = {Path(site["file"]).name for site in found["sites"]}
    assert files == {"fortran_mpifh.f"}


def test_what_an_mpi_calls_on_its_own_behalf_does_not_count(mpi: Mpi, tmp_path: Path) -> None:
    found = profile(mpi, "file_together", 2, tmp_path / "run", tmp_path / "file")
    assert (tmp_path / "file").stat().st_size == 2 * 64 * 8
    assert found["collectives_a_rank"] == {}
    called = {"MPI_File_open", "MPI_File_write_at_all", "MPI_File_close"}
    assert {site["function"] for site in found["sites"]} == called


def test_communicators_by_the_thousand_are_counted_together(mpi: Mpi, tmp_path: Path) -> None:
    if mpi.abi == "openmpi":
        pytest.skip("Open MPI alone crashes on a communicator freed while something runs on it")
    found = profile(mpi, "many_communicators", 2, tmp_path / "run", 3000)
    shown = {site["communicator"] for site in found["sites"]}
    assert "others" in shown
    assert len(shown) <= 2 * 1001  # a thousand of each rank
    calls = sum(each["calls"] for each in found["sites"] if each["kind"] == "collective")
    assert calls >= 2 * 3000


def test_the_table_fits_and_names_the_next_step(mpi: Mpi, tmp_path: Path) -> None:
    answer = run_profile(mpi, mpi.app("transpose"), 2, tmp_path / "run", 64, 3).stdout
    shown = answer.splitlines()
    assert "transpose.c:" in answer
    assert shown[-1].startswith("next: ") or "next: " in answer
    assert len(shown) <= 25


@pytest.mark.parametrize("damage", ["missing", "cut", "mixed", "junk"])
def test_a_damaged_profile_is_one_line(
    damage: str, run: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder = shutil.copytree(run[0], tmp_path / "run")
    read_profile(folder, 3)
    with pytest.raises(StrettoError, match="has profiles of 3 ranks, not of 2"):
        read_profile(folder, 2)
    match damage:
        case "missing":
            (folder / "rank-1.json").unlink()
        case "cut":
            path = folder / "rank-1.collectives"
            path.write_bytes(path.read_bytes()[:-3])
        case "mixed":
            other = (folder / "rank-0.collectives").read_bytes()
            (folder / "rank-1.collectives").write_bytes(b"\x7f" * 40 + other)
        case "junk":
            (folder / "rank-0.json").write_text('{"rank": "zero"}')
    with pytest.raises(
        StrettoError, match=r"rank 1$|is cut off at byte|unknown comm at byte 0|cannot be read"
    ):
        read_profile(folder, 3)


def test_a_folder_in_use_is_refused(mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    words = ["profile", "--output", str(tmp_path), str(mpi.program("profiled"))]
    answer = subprocess.run(
        [STRETTO, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert answer.returncode == 2
    assert "is not empty" in answer.stderr


def test_the_report_shows_the_run_folder(mpi: Mpi, tmp_path: Path) -> None:
    run_profile(mpi, "overlapped", 2, tmp_path / "run")
    page = tmp_path / "page.html"
    subprocess.run(
        [STRETTO, "report", tmp_path / "run", "-o", page],
        capture_output=True,
        timeout=120,
        check=True,
    )
    text = page.read_text()
    assert "overlapped: where its time in MPI goes" in text
    assert "Irecv overlapped.c:" in text
