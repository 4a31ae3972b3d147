"""stretto whatif on several hosts: the machine is measured where the program's ranks are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import MPIS
from rig_here import NEEDS_A_RIG

from stretto.model.machine import read_machine

STRETTO = Path(sys.executable).with_name("stretto")


pytestmark = NEEDS_A_RIG


# The hosts of a rig have this one's cores, so two ranks are as many as one of them has room for.
@pytest.mark.parametrize(
    ("rig", "ranks", "levels"),
    [("2x2@1gbit", 4, [("host", 2), ("network", None)]), ("2x1@1gbit", 2, [("network", None)])],
)
def test_calibration_covers_what_is_between_the_programs_ranks(
    rig: str, ranks: int, levels: list[tuple[str, int | None]], tmp_path: Path
) -> None:
    mpi = next(iter(MPIS.values()))
    folder = tmp_path / "run"
    words = ["whatif", "--rig", rig, "-n", str(ranks), "--runs", "1", "--output", str(folder)]
    answer = subprocess.run(
        [STRETTO, *words, "--launcher", mpi.launcher.path, mpi.app("alltoall"), "1024", "2"],
        capture_output=True, text=True, timeout=240, check=False, env=os.environ,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "no network" not in answer.stderr
    machine = read_machine(str(folder / "machine.toml"))
    assert [(level.name, level.holds) for level in machine.level] == levels
    assert machine.source.endswith("2 hosts")
    assert {each.ranks for each in machine.collective} <= {min(ranks, 2 * (os.cpu_count() or 1))}


@pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="there is no /dev/net/tun")
def test_a_delayed_network_is_measured_and_its_tolerance_is_that_of_the_runs_trace(
    tmp_path: Path,
) -> None:
    mpi = next(iter(MPIS.values()))
    folder = tmp_path / "run"
    words = ["whatif", "--rig", "2x1@1gbit,delay=1ms", "-n", "2", "--runs", "1", "--json"]
    words += ["--network-tolerance", "--output", str(folder), "--launcher", str(mpi.launcher.path)]
    answer = subprocess.run(
        [STRETTO, *words, mpi.app("alltoall"), "1024", "2"],
        capture_output=True, text=True, timeout=240, check=False, env=os.environ,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    borne = json.loads(answer.stdout)["network_tolerance"]
    assert borne["level"] == "network"
    assert borne["latency_ns"] > 0.9e6  # no message is there before
    assert borne["messages_in_a_row"] >= 1
    again = subprocess.run(
        [STRETTO, "replay", folder / "tolerance.trace", "--network-tolerance", "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    found = json.loads(again.stdout)["network_tolerance"]
    assert found["bears"] == borne["bears"]
