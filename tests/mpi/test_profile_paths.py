"""stretto profile --depth: who called the function that calls MPI."""

import sys
from pathlib import Path

import pytest
from mpi_runs import Mpi
from profiles import profile, run_profile, sites

PROGRAM = Path(__file__).with_name("mpi4py_profiled.py")


@pytest.mark.parametrize(
    ("depth", "paths"),
    [
        (1, {(): 10}),
        (2, {("solve",): 8, ("check",): 2}),
        (3, {("solve", "main"): 8, ("check", "main"): 2}),
        # There is no more above main.
        (9, {("solve", "main"): 8, ("check", "main"): 2}),
    ],
)
def test_callers_tell_call_sites_apart(
    mpi: Mpi, tmp_path: Path, depth: int, paths: dict[tuple[str, ...], int]
) -> None:
    found = sites(profile(mpi, "paths", 2, tmp_path / "run", f"--depth={depth}"), "MPI_Allreduce")
    calls: dict[tuple[str, ...], int] = {}
    for site in found:
        names = tuple(caller["symbol"] for caller in site["callers"])
        calls[names] = calls.get(names, 0) + site["calls"]
        assert site["symbol"] == "sum"
        assert all(Path(caller["file"]).name == "paths.c" for caller in site["callers"])
    assert calls == paths
    # main calls solve in two lines.
    assert len(found) == (3 if depth > 2 else len(paths))


def test_the_table_names_who_asked_first(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = run_profile(mpi, "paths", 2, tmp_path / "run", "--depth=2").stdout
    assert "Allreduce solve:17 <- sum paths.c:11" in text


def test_callers_in_fortran_modules_are_named_as_they_are_written(mpi: Mpi, tmp_path: Path) -> None:
    found = sites(profile(mpi, "fortran_paths", 2, tmp_path / "run", "--depth=2"), "MPI_Allreduce")
    calls = {site["callers"][0]["symbol"]: site["calls"] for site in found}
    assert calls == {"steps::residual": 16, "steps::energy": 4}
    assert {site["symbol"] for site in found} == {"halo::sum_over_ranks"}


def test_callers_of_python_are_lines(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = mpi.launcher.path.resolve().parents[1] / "lib"
    library = next(libraries.glob("libmpi.so.12"), "libmpi.so.40")
    monkeypatch.setenv("MPI4PY_LIBMPI", str(library))
    found = profile(mpi, Path(sys.executable), 2, tmp_path / "run", "--depth=3", PROGRAM)
    text = PROGRAM.read_text().splitlines()
    steps = [site for site in found["sites"] if site["symbol"] == "Solver.step"]
    assert steps
    for site in steps:
        (caller,) = site["callers"]  # there is no more above the module
        assert (caller["file"], caller["symbol"]) == (str(PROGRAM), "<module>")
        assert ".step(" in text[caller["line"] - 1]
