"""The wheel, installed into a fresh environment and used away from the source tree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import EVERY_MPI, FURTHER_MPIS, MPIS, Mpi

from stretto import native
from stretto.launch.base import Abi

WHEEL = os.environ.get("STRETTO_TEST_WHEEL")
pytestmark = pytest.mark.skipif(not WHEEL, reason="make wheel builds one and runs this on it")


@pytest.fixture(scope="module")
def stretto(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command that `pip install stretto-*.whl` leaves in a fresh environment."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, "--disable-pip-version-check", str(WHEEL)], check=True)
    return folder / "bin" / "stretto"


def said(command: Path, *words: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a command says in an environment that knows nothing of the source tree."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("STRETTO_", "PYTHON", "VIRTUAL_ENV"))
    }
    answer = subprocess.run(
        [command, *map(str, words)],
        cwd=cwd,
        env={**clean, **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


def test_it_is_small() -> None:
    assert Path(str(WHEEL)).stat().st_size < 12_000_000


def test_info_lists_the_variants_it_carries(stretto: Path, tmp_path: Path) -> None:
    found = json.loads(said(stretto, "info", "--json", cwd=tmp_path))
    built = {each["abi"]: each["path"] for each in found["variants"] if each["path"]}
    here = {abi for abi in Abi if (native.native_dir() / "tests" / abi).is_dir()}
    assert built.keys() == here
    for path in built.values():
        assert Path(path).is_relative_to(stretto.parents[1])
    assert "stretto" in found["versions"]


def test_schedules_are_listed(stretto: Path, tmp_path: Path) -> None:
    ours = said(Path(sys.executable).with_name("stretto"), "schedule", "list", cwd=tmp_path)
    assert said(stretto, "schedule", "list", cwd=tmp_path) == ours


def test_machines_to_simulate_on_come_along(stretto: Path, tmp_path: Path) -> None:
    words = ["simulate", "barrier", "-n", "8", "--machine", "dragonfly", "--json"]
    found, _ = json.JSONDecoder().raw_decode(said(stretto, *words, cwd=tmp_path))
    assert {each["ranks"] for each in found} == {2, 4, 8}


def test_plans_of_benchmarks_come_along(stretto: Path, tmp_path: Path) -> None:
    assert "gather-cliff" in said(stretto, "bench", "plans", cwd=tmp_path)


@pytest.mark.parametrize("mpi", MPIS.values(), ids=MPIS.keys())
def test_programs_are_profiled(stretto: Path, mpi: Mpi, tmp_path: Path) -> None:
    shown = said(stretto, "profile", mpi.program("profiled"), cwd=tmp_path, env=mpi.environment)
    assert "Allreduce profiled.c:" in shown


@pytest.mark.parametrize("mpi", EVERY_MPI.values(), ids=EVERY_MPI.keys())
def test_programs_run(stretto: Path, mpi: Mpi, tmp_path: Path) -> None:
    env = {**mpi.environment, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    words = ["run", "--algorithm", "allgather=ring", mpi.program("dropin_uneven")]
    assert "uneven ok" in said(stretto, *words, cwd=tmp_path, env=env)
    told = json.loads((tmp_path / "rank-0.json").read_text())
    assert told["abi"] == mpi.abi
    assert "ring" in [row["algorithm"] for row in told["handled"]]


def test_the_source_tree_uses_what_it_has_built(tmp_path: Path) -> None:
    ours = Path(sys.executable).with_name("stretto")
    found = json.loads(said(ours, "info", "--json", cwd=tmp_path))
    built = [each["path"] for each in found["variants"] if each["path"]]
    assert built
    assert all(Path(path).is_relative_to(FURTHER_MPIS.parent / "build") for path in built)
