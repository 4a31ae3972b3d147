"""The level of the core complex, on a machine whose two cores are said to be of two complexes."""

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS, Mpi

from stretto import native
from stretto.data.traces import About, write_trace
from stretto.data.virtual_times import read_times
from stretto.launch.calibration import calibrate
from stretto.launch.cores import usable_cpus
from stretto.launch.environment import RECORD, SCENARIOS, SYSFS, WHATIF
from stretto.launch.job import prepare
from stretto.model.calibrated import machine_of
from stretto.model.machine import read_machine, toml_of
from stretto.native.replay import replay as run_again

STRETTO = Path(sys.executable).with_name("stretto")
CPUS = usable_cpus()[:2]

pytestmark = pytest.mark.skipif(len(CPUS) < 2, reason="one core cannot be of two complexes")

# A message costs its latency alone, and that tells the level.
NEAR, FAR = 1000.0, 50000.0
EXACT = f"""
scenario exact
computing 0
collective barrier 0
machine test
level 2 0 0 core complex
message 0 {NEAR} 0 0 0 0 0
level 0 0 0 host
message 0 {FAR} 0 0 0 0 0
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for /sys: each core has a cache of its own."""
    root = tmp_path / "sys"
    for cpu in CPUS:
        cache = root / f"devices/system/cpu/cpu{cpu}/cache/index0"
        cache.mkdir(parents=True)
        for name, text in (("level", "3"), ("type", "Unified"), ("shared_cpu_list", str(cpu))):
            (cache / name).write_text(f"{text}\n")
    monkeypatch.setenv(SYSFS, str(root))
    monkeypatch.chdir(tmp_path)
    return root


def placed(program: Path, cores: Sequence[int], folder: Path) -> Path:
    """A script that runs the program's ranks on these cores, 0 or 1, by rank."""
    cases = "".join(f"  {rank}) cpu={CPUS[core]} ;;\n" for rank, core in enumerate(cores))
    script = folder / "placed.sh"
    script.write_text(
        f"#!/bin/sh\ncase ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in\n{cases}esac\n"
        f'exec taskset -c "$cpu" {shlex.quote(str(program))} "$@"\n'
    )
    script.chmod(0o755)
    return script


def stretto(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STRETTO, *map(str, words)], capture_output=True, text=True, timeout=240, check=False
    )


def measured(mpi: Mpi, script: Path, ranks: int) -> Path:
    """The machine's file; `stretto calibrate` itself refuses more ranks than there are cores."""
    job = prepare([str(script)], mpi.launcher.path, "", mode="calibrate")
    found = calibrate(job, job.launcher, ranks)
    # One without a core of its own takes part in messages alone, as whatif has it.
    assert (found.ranks, found.oversubscribed) == (2, False)
    file = Path("machine.toml")
    file.write_text(toml_of(machine_of(found, "placed").machine))
    return file


def whatif(mpi: Mpi, script: Path, ranks: int, machine: Path) -> dict[str, Any]:
    answer = stretto(
        "whatif", "--json", "--runs", 1, "-n", ranks, "--machine", machine, "--output", "run",
        "--launcher", mpi.launcher.path, script, 32, 5,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.usefixtures("tree")
def test_one_rank_in_each_complex_shows_the_host_alone(mpi: Mpi, tmp_path: Path) -> None:
    script = placed(mpi.app("jacobi3d"), [0, 1], tmp_path)
    file = tmp_path / "machine.toml"
    answer = stretto("calibrate", "-n", 2, "-o", file, "--launcher", mpi.launcher.path, script)
    assert answer.returncode == 0, answer.stderr
    assert "level 'host'" in answer.stdout
    assert "core complex" not in answer.stdout
    assert [(level.name, level.holds) for level in read_machine(str(file)).level] == [
        ("host", None)
    ]
    assert whatif(mpi, script, 2, file)["scenarios_s"]["sim"]["median"] > 0


@pytest.mark.usefixtures("tree")
def test_ranks_that_share_a_complex_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores = [0, 1, 1]  # the pair is not rank 0's
    if "openmpi" not in MPIS:
        pytest.skip("no MPI of the openmpi ABI: others know no way for ranks to share a core")
    mpi = MPIS["openmpi"]
    monkeypatch.setenv("OMPI_MCA_mpi_yield_when_idle", "1")
    script = placed(mpi.app("jacobi3d"), cores, tmp_path)
    file = measured(mpi, script, len(cores))
    near, host = read_machine(str(file)).level
    assert (near.name, near.holds) == ("core complex", 2)
    assert (host.name, host.holds) == ("host", None)
    assert near.message[0] != host.message[0]
    times = whatif(mpi, script, len(cores), file)["scenarios_s"]
    assert times["no communication"]["median"] <= times["sim"]["median"]


def run_exactly(mpi: Mpi, cores: Sequence[int], folder: Path, sysfs: Path) -> list[float]:
    """What a message from the rank before takes each rank of known_times; the run is recorded."""
    (folder / "scenarios.txt").write_text(EXACT)
    ended = mpi.run(
        placed(mpi.program("known_times"), cores, folder),
        ranks=len(cores),
        env={
            "LD_PRELOAD": str(native.drop_in(mpi.abi, "whatif")),
            WHATIF: str(folder),
            RECORD: str(folder),
            SCENARIOS: str(folder / "scenarios.txt"),
            SYSFS: str(sysfs),
        },
    )
    assert ended.ok, ended.stderr
    lines = [line.split() for line in ended.stdout.splitlines()]
    shifts = {int(rank): float(ns) for phase, rank, ns in lines if phase == "shift"}
    return [shifts[rank] for rank in range(len(cores))]


def test_ranks_are_placed_where_they_run(mpi: Mpi, tree: Path, tmp_path: Path) -> None:
    expected = {
        (0, 1, 0, 1): [FAR, FAR, FAR, FAR],
        (0, 1, 1, 0): [NEAR, FAR, NEAR, FAR],
    }
    for cores, times in expected.items():
        folder = tmp_path / "".join(map(str, cores))
        folder.mkdir()
        assert run_exactly(mpi, cores, folder, tree) == pytest.approx(times, abs=1.0)
        # A replay knows it, too.
        about = About([], len(cores), "", "", EXACT)
        write_trace(folder / "a.trace", about, folder)
        again = run_again(folder / "a.trace", EXACT, None, strong=False).ranks
        run = read_times(folder, len(cores))
        assert [rank.clocks for rank in again] == [rank.clocks for rank in run]


def test_where_the_kernel_does_not_tell_blocks_are_taken(
    mpi: Mpi, tree: Path, tmp_path: Path
) -> None:
    found = run_exactly(mpi, (0, 1, 0, 1), tmp_path, tree / "nowhere")
    assert found == pytest.approx([FAR, NEAR, FAR, NEAR], abs=1.0)
