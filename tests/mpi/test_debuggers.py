"""A program under a debugger or a checker, and one that gets signals, run as without Stretto."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from modes import MODES, environment
from mpi_runs import Mpi
from profiles import STRETTO

OURS = {
    "STRETTO_PROGRESS_THREAD": "on",
    "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    "STRETTO_SELECTION_BARRIER": "dissemination",
}


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")


@pytest.mark.parametrize("mode", MODES)
def test_signals_interrupt_nothing(mpi: Mpi, mode: str, tmp_path: Path) -> None:
    env = OURS | environment(mpi, mode, tmp_path)
    ended = mpi.run(mpi.program("signals"), ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "signals ok" in ended.stdout
    assert len(list(tmp_path.glob("rank-*.json"))) == 2


@needs("gdb")
def test_gdb_runs_the_ranks(mpi: Mpi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library is in gdb and in its shell, too, and waits for an MPI_Init that never comes."""
    monkeypatch.setenv("STRETTO_RUN_COUNTERS", str(tmp_path))
    monkeypatch.setenv("DEBUGINFOD_URLS", "")
    words = ["-q", "-batch", "-ex", "run", "--args", str(mpi.program("wrapped"))]
    ended = subprocess.run(
        [STRETTO, "run", "-n", "2", "--launcher", mpi.launcher.path, "gdb", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "wrapped ok" in ended.stdout
    assert ended.stdout.count("exited normally") == 2
    assert "stretto:" not in ended.stderr
    assert len(list(tmp_path.glob("rank-*.json"))) == 2


@needs("strace")
def test_strace_follows_the_ranks(mpi: Mpi, tmp_path: Path) -> None:
    env = OURS | environment(mpi, "accelerate", tmp_path)
    words = ["-f", "-qq", "-e", "trace=execve,clone,clone3", "-o", tmp_path / "calls"]
    ended = mpi.run("strace", *words, mpi.program("wrapped"), ranks=2, env=env)
    if "Operation not permitted" in ended.stderr:
        pytest.skip("processes may not be traced here")
    assert ended.ok, ended.stdout + ended.stderr
    assert "wrapped ok" in ended.stdout
    assert len(list(tmp_path.glob("rank-*.json"))) == 2


# Rank 0 alone: memcheck is slow, and the ranks do the same.
CHECKED = """#!/bin/sh
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] || exec "$@"
exec valgrind --log-file="$MEMCHECK_SAYS" -q "$@"
"""


def complaints(mpi: Mpi, env: dict[str, str], folder: Path) -> dict[tuple[str, str], str]:
    """What memcheck says of rank 0 by what it is and where, with the whole of it."""
    wrapper = folder / "checked"
    wrapper.write_text(CHECKED)
    wrapper.chmod(0o755)
    said = folder / "said"
    env = {**env, "MEMCHECK_SAYS": str(said)}
    ended = mpi.run(wrapper, mpi.program("wrapped"), ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "wrapped ok" in ended.stdout
    found = {}
    for text in re.split(r"\n==\d+== \n", said.read_text()):
        lines = [line.partition("== ")[2] for line in text.splitlines()]
        at = next((i for i, line in enumerate(lines) if line.startswith("   at ")), 0)
        if at > 0:
            found[lines[at - 1], lines[at].partition(": ")[2]] = text
    return found


@needs("valgrind")
@pytest.mark.long
def test_memcheck_has_nothing_to_say_of_stretto(mpi: Mpi, tmp_path: Path) -> None:
    """What it says of the MPI alone it may say again, from below our calls."""
    (tmp_path / "alone").mkdir()
    alone = complaints(mpi, {}, tmp_path / "alone")
    # Under one MPI the most of Stretto's other code, too.
    for mode in ["accelerate", "whatif"] if mpi.abi == "mpich" else ["accelerate"]:
        folder = tmp_path / mode
        folder.mkdir()
        env = OURS | environment(mpi, mode, folder)
        for what, text in complaints(mpi, env, folder).items():
            assert "stretto" not in text or what in alone, text
        assert len(list(folder.glob("rank-*.json"))) == 2
