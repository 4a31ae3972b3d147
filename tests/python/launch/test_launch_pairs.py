import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stretto.data.samples import Side
from stretto.launch.comparison import launches
from stretto.launch.lifelines import VARIABLE

STRETTO = [sys.executable, "-c", "from stretto.cli.main import main; main()"]


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_every_pair_has_both_sides_in_alternating_order(runs: int) -> None:
    order = list(launches(runs))
    assert sorted(order) == sorted((pair, side) for pair in range(runs) for side in Side)
    firsts = [side for position, (_, side) in enumerate(order) if position % 2 == 0]
    assert firsts == [Side.NATIVE if pair % 2 == 0 else Side.STRETTO for pair in range(runs)]


def test_a_killed_comparison_resumes_where_it_was(house: Path) -> None:
    """Killed in its third launch: the two stored ones are kept and nothing of it survives."""
    gate, trace = house / "gate", house / "trace"
    program = house / "slow"
    program.write_text(
        f"#!/bin/bash\necho $$ >> {trace}\n"
        f"if [ $(wc -l < {trace}) -eq 3 ] && [ ! -e {gate} ]; then exec sleep 600; fi\n"
        "echo time 1 s; echo checksum 1\n"
    )
    program.chmod(0o755)
    command = [*STRETTO, "compare", "--runs", "2", "--output", "run", "./slow"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while not (trace.exists() and len(trace.read_text().split()) == 3):
        assert first.poll() is None
        time.sleep(0.02)
    hanging = int(trace.read_text().split()[2])
    first.send_signal(signal.SIGKILL)
    first.wait()
    while Path(f"/proc/{hanging}").exists():
        time.sleep(0.02)
    gate.touch()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "Resuming run" in again.stderr
    assert len(trace.read_text().split()) == 5  # 4 launches, one of them made twice


def test_a_comparison_that_is_interrupted_says_how_to_go_on(house: Path) -> None:
    (house / "app").write_text(
        "#!/bin/bash\n[ -e second ] && { touch hangs; exec sleep 600; }\n"
        "touch second; echo time 1 s\n"
    )
    command = [*STRETTO, "compare", "--runs", "1", "./app"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    while not (house / "hangs").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert "Interrupted after 1 launches" in said
    assert "stretto-runs/app-1; the same command" in said


def test_on_its_own_mpi_a_program_is_launched_as_by_hand(house: Path) -> None:
    """It has no lifeline, which without our library nobody takes from its environment again."""
    program = house / "quick"
    program.write_text(
        f'#!/bin/bash\necho "${{{VARIABLE}:+lifeline}}" >> {house}/seen\n'
        "echo time 1 s; echo checksum 1\n"
    )
    program.chmod(0o755)
    command = [*STRETTO, "compare", "--runs", "1", "--output", "run", "./quick"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (house / "seen").read_text().splitlines() == ["", "lifeline"]
