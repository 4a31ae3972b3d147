"""stretto profile on a program of mpi4py's: its lines are those of the Python source."""

import sys
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import Mpi
from profiles import profile, sites

RANKS, ROUNDS = 3, 10
PROGRAM = Path(__file__).with_name("mpi4py_profiled.py")


@pytest.fixture
def profiled(mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    # mpi4py finds a system's MPI by itself; one that came as a wheel lies beside its launcher.
    libraries = mpi.launcher.path.resolve().parents[1] / "lib"
    library = next(libraries.glob("libmpi.so.12"), "libmpi.so.40")
    monkeypatch.setenv("MPI4PY_LIBMPI", str(library))
    return profile(mpi, Path(sys.executable), RANKS, tmp_path / "run", PROGRAM)


def test_calls_are_told_apart_by_python_lines(profiled: dict[str, Any]) -> None:
    text = PROGRAM.read_text().splitlines()
    called = {
        (site["function"], text[site["line"] - 1].partition("#")[2].strip(), site["symbol"]): site[
            "calls"
        ]
        for site in profiled["sites"]
        if site["file"] == str(PROGRAM)
    }
    of_step = "Solver.step"
    assert called.pop(("MPI_Allgather", "of objects", "<module>")) >= RANKS
    called.pop(("MPI_Allgatherv", "of objects", "<module>"), None)
    assert called == {
        ("MPI_Allreduce", "a method's", of_step): RANKS * ROUNDS,
        ("MPI_Iallreduce", "starts", of_step): RANKS * ROUNDS,
        ("MPI_Wait", "odd", of_step): RANKS * ROUNDS // 2,
        ("MPI_Wait", "even", of_step): RANKS * ROUNDS // 2,
        ("MPI_Allreduce", "a module's", "<module>"): RANKS,
    }
    (starts,) = sites(profiled, "MPI_Iallreduce")
    assert starts["overlap"]["completed"] == RANKS * ROUNDS
    assert starts["address"] is None


def test_code_that_is_gone_keeps_its_lines(profiled: dict[str, Any]) -> None:
    barriers = {Path(site["file"] or "").name: site for site in sites(profiled, "MPI_Barrier")}
    assert {f"made-{number}.py" for number in range(ROUNDS)} <= barriers.keys()
    assert all(barriers[f"made-{number}.py"]["calls"] == RANKS for number in range(ROUNDS))


def test_calls_of_other_threads_are_mpi4pys(profiled: dict[str, Any]) -> None:
    (site,) = [each for each in sites(profiled, "MPI_Barrier") if "/mpi4py/" in each["object"]]
    assert not site["file"].endswith(".py")
    assert site["calls"] == RANKS
