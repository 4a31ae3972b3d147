"""What a rank starts runs without Stretto, and takes nothing of the rank's (children.c)."""

import json
import sys
from pathlib import Path

import pytest
from modes import MODES, environment
from mpi_runs import MPIS, Mpi

from stretto.launch.base import Start
from stretto.launch.environment import RECORD
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.outcome import Outcome

OURS = {"STRETTO_PROGRESS_THREAD": "on", "STRETTO_SELECTION_ALLREDUCE": "ring"}
# Wrappers that stay and wrappers that do not, and a program that runs itself anew: whoever comes
# before MPI_Init.
WRAPPER = """#!/bin/sh
nice env INNER=1 sh -c 'exec "$@"' sh "$@"
exit $?
"""


def run(mpi: Mpi, command: list[str], env: dict[str, str], said: Path) -> Outcome:
    """As the verbs do it: ranks keep a line to the launch."""
    with said.open("wb") as stream:
        start = Start(2, command, {**mpi.environment, **OURS, **env})
        return launch_ranks(mpi.launcher, start, timeout_s=120, stdout=stream, stderr=stream)


pytestmark = pytest.mark.xdist_group("children")  # one run of each for several tests


EACH = [(abi, mode) for abi in MPIS for mode in MODES]


@pytest.fixture(scope="module", params=EACH, ids="-".join)
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Outcome, str]:
    abi, mode = request.param
    mpi, folder = MPIS[abi], tmp_path_factory.mktemp("children")
    wrapper = folder / "wrapper"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    program = str(mpi.program("children"))
    inner = mpi.launcher.command(Start(1, [program, "alone"]))
    env = environment(mpi, mode, folder) | ({RECORD: str(folder)} if mode == "whatif" else {})
    outcome = run(mpi, [str(wrapper), program, "again", *inner], env, folder / "said")
    return mode, folder, outcome, (folder / "said").read_text()


def test_children_end_without_a_word_of_stretto(
    ran: tuple[str, Path, Outcome, str],
) -> None:
    _, _, outcome, said = ran
    assert outcome.ok, said
    assert outcome.lost is None
    assert "children ok" in said
    assert "stretto:" not in said


def test_reports_are_the_ranks_own(ran: tuple[str, Path, Outcome, str]) -> None:
    mode, folder, _, said = ran
    reports = {file.name: json.loads(file.read_text()) for file in folder.glob("rank-*.json")}
    assert sorted(reports) == ["rank-0.json", "rank-1.json"], said
    assert {report["size"] for report in reports.values()} == {2}
    if mode == "accelerate":
        [ring] = [each for each in reports["rank-0.json"]["handled"] if each["algorithm"] == "ring"]
        assert ring["calls"] == 10


def test_a_trace_is_written_by_the_rank_alone(ran: tuple[str, Path, Outcome, str]) -> None:
    mode, folder, _, _ = ran
    if mode != "whatif":
        pytest.skip("no trace")
    for file in folder.glob("rank-*.trace"):
        written = file.read_bytes()
        assert written.count(written[:12]) == 1  # its first words: which rank it is


PYTHON = """
import os, subprocess
from mpi4py import MPI

world = MPI.COMM_WORLD
request = world.Ibarrier()
clean = 'test -z "$LD_PRELOAD$STRETTO_RUN_COUNTERS"'
assert subprocess.run(["sh", "-c", clean]).returncode == 0
assert os.system(clean) == 0
# The environment as it was when Python started: Stretto comes with it, and does nothing.
assert subprocess.run(["true"], env=dict(os.environ)).returncode == 0
for _ in range(20):
    assert subprocess.run(["ls", "/"], stdout=subprocess.DEVNULL).returncode == 0
if os.fork() == 0:  # exit() would have mpi4py finalize
    os._exit(0)
assert os.WEXITSTATUS(os.wait()[1]) == 0
request.Wait()
assert world.allreduce(1) == world.size
if world.rank == 0:
    print("python ok", flush=True)
"""


def test_python_programs_start_others(mpi: Mpi, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    program = tmp_path / "program.py"
    program.write_text(PYTHON)
    env = environment(mpi, "accelerate", tmp_path) | {"MPI4PY_LIBMPI": str(mpi.libmpi)}
    outcome = run(mpi, [sys.executable, str(program)], env, tmp_path / "said")
    said = (tmp_path / "said").read_text()
    assert outcome.ok, said
    assert outcome.lost is None
    assert "python ok" in said
    assert "stretto:" not in said
    assert len(list(tmp_path.glob("rank-*.json"))) == 2
