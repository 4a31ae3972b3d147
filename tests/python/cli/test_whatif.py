"""stretto whatif from end to end, on a stand-in launcher."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stretto.cli.main import run_command

# Reads a line, and writes what the library of mode whatif would.
APP = """#!/bin/bash
read line; echo "$line" >> seen
cat > "$STRETTO_WHATIF_FOLDER/rank-0.json" <<END
{"rank": 0, "size": 1, "abi": "openmpi", "mpi": "Open MPI v4.1.4", "host": "here",
 "wall_ns": 5000, "involuntary_switches": 0, "computed_ns": 4000, "clocks": [
  {"scenario": "sim", "end_ns": 4500}, {"scenario": "zero", "end_ns": 4000},
  {"scenario": "no communication", "end_ns": 4000}]}
END
"""
COMMAND = ["whatif", "-n", "1", "--runs", "2", "--machine", "cluster-2006", "--json", "./app"]


@pytest.fixture(autouse=True)
def _app(house: Path) -> None:
    (house / "app").write_text(APP)
    (house / "native" / "lib" / "libstretto-whatif-openmpi.so").touch()


def test_every_launch_reads_the_same(house: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from stretto.cli.main import main; main()", *COMMAND],
        input="2000\n",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert (house / "seen").read_text().split() == ["2000"] * 4


def test_what_prepares_is_run_before_each_launch(house: Path) -> None:
    assert run_command([COMMAND[0], "--prepare", "echo >> prepared", *COMMAND[1:]]) == 0
    assert (house / "prepared").read_text() == "\n" * 4
    fresh = ["--prepare", "echo >> prepared", "--fresh-dir"]
    assert run_command([COMMAND[0], *fresh, *COMMAND[1:]]) == 0
    assert (house / "prepared").read_text() == "\n" * 4


@pytest.mark.parametrize(("load", "warnings"), [(0.0, 0), (1000.0, 1)])
def test_a_busy_machine_is_said(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, load: float, warnings: int
) -> None:
    monkeypatch.setattr("stretto.cli.whatif.load_average", lambda: load)
    assert run_command(COMMAND) == 0
    found = json.loads(capfd.readouterr().out)
    assert len(found["warnings"]) == warnings
    assert all("processes wanted this machine's" in each for each in found["warnings"])
    assert run_command([word for word in COMMAND if word != "--json"]) == 0
    assert capfd.readouterr().err.count("Warning: 1000 processes") == warnings


def test_runs_that_warm_up_are_not_counted(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["whatif", "--warmup", "1", "--prepare", "echo >> done", *COMMAND[1:]]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["runs"], found["warmup"]) == (2, 1)
    assert (house / "done").read_text() == "\n" * 6


def test_its_run_folder_makes_a_page(house: Path) -> None:
    assert run_command(["whatif", "--output", "kept", *COMMAND[1:]]) == 0
    assert run_command(["report", "kept", "-o", "page.html"]) == 0
    text = (house / "page.html").read_text()
    assert "app: what its collectives cost" in text
    assert "parallel efficiency" in text
