"""All ranks run the same Stretto, or none does: which one line says, in bounded time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import Ended, Mpi

from stretto.launch.lifelines import _addresses

STRETTO = Path(sys.executable).with_name("stretto")
MY_RANK = '"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"'


def run(
    mpi: Mpi,
    folder: Path,
    on_rank_1: str,
    *words: str,
    start: str = "exec",
    program: str = "dropin",
    arguments: str = "",
) -> Ended:
    """`stretto run` of a program on three ranks, behind a script that acts on one of them."""
    script = folder / "wrapper.sh"
    begin = f'{start} "{mpi.program(program)}" {arguments}'
    lines = ["#!/bin/sh", f"[ {MY_RANK} = 1 ] && {on_rank_1}", begin]
    script.write_text("\n".join(lines) + "\n")
    script.chmod(0o755)
    command = [STRETTO, "run", "-n", "3", "--launcher", mpi.launcher.path, *words, script]
    env = {**os.environ, **mpi.environment}
    ended = subprocess.run(
        command, check=False, capture_output=True, text=True, env=env, timeout=120
    )
    return Ended(ended.returncode, False, ended.stdout, ended.stderr)


@pytest.mark.long  # it waits for the missing rank
def test_a_rank_without_stretto_leaves_all_to_the_mpi(mpi: Mpi, tmp_path: Path) -> None:
    ended = run(mpi, tmp_path, "unset LD_PRELOAD", "--verbose", "--algorithm", "allreduce=ring")
    assert ended.ok, ended.stdout + ended.stderr
    assert "dropin ok" in ended.stdout
    said = [line for line in ended.stderr.splitlines() if line.startswith("stretto: ")]
    assert len(said) == 1, said
    assert "rank 1 of 3 came up without Stretto" in said[0]
    assert "handled" not in ended.stdout + ended.stderr


def test_ranks_whose_settings_differ_leave_all_to_the_mpi(mpi: Mpi, tmp_path: Path) -> None:
    ended = run(mpi, tmp_path, "export STRETTO_TAG_BITS=13", "--algorithm", "allreduce=ring")
    assert ended.ok, ended.stdout + ended.stderr
    assert "rank 0 runs Stretto" in ended.stderr
    assert "STRETTO_TAG_BITS=13: the program runs as it is" in ended.stderr


def test_all_ranks_there_are_asked_and_handled(mpi: Mpi, tmp_path: Path) -> None:
    ended = run(mpi, tmp_path, "true", "--verbose", "--algorithm", "allreduce=ring")
    assert ended.ok, ended.stdout + ended.stderr
    assert "ring" in ended.stdout + ended.stderr


def test_several_programs_launched_together_are_handled(mpi: Mpi) -> None:
    program = str(mpi.program("dropin"))
    several = ["-n", "1", program, ":", "-n", "1", program]
    algorithm = ["--verbose", "--algorithm", "allreduce=ring"]
    ended = subprocess.run(
        [STRETTO, "run", "--launcher", mpi.launcher.path, "--timeout", "60", *algorithm, *several],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **mpi.environment},
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "dropin ok" in ended.stdout
    assert "handled by ring" in ended.stdout + ended.stderr


def test_ranks_on_other_machines_are_asked_over_the_network(mpi: Mpi, tmp_path: Path) -> None:
    """A rank that sees other files finds `stretto run` by its address."""
    if not _addresses():
        pytest.skip("this machine has no address but its own")
    hide = 'place="${STRETTO_RUN_LIFELINE#*,}"; mount -t tmpfs none "$(dirname "${place%%,*}")"'
    probe = subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True)
    if probe.returncode != 0:
        pytest.skip("file systems may not be mounted here (needs root)")
    ended = run(
        mpi,
        tmp_path,
        "true",
        "--verbose",
        "--algorithm",
        "allreduce=ring",
        start=f"exec unshare -m sh -c '{hide} && exec \"$0\"'",
    )
    assert ended.ok, ended.stdout + ended.stderr
    assert "without Stretto" not in ended.stderr
    assert "ring" in ended.stdout + ended.stderr


LEVELS = {
    "MPI_THREAD_SINGLE": {},
    "MPI_THREAD_MULTIPLE": {},
    "set in the environment": {
        "OMPI_MPI_THREAD_LEVEL": "3",
        "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE",
        "I_MPI_THREAD_LEVEL_DEFAULT": "MPI_THREAD_MULTIPLE",
    },
}


def levels(ended: Ended) -> list[str]:
    assert ended.ok, ended.stdout + ended.stderr
    return sorted(line for line in ended.stdout.splitlines() if line.startswith("rank "))


@pytest.mark.parametrize("asked", LEVELS)
def test_programs_pay_for_no_locks_where_stretto_does_nothing(
    mpi: Mpi, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = mpi.program("locks")
    words = ["multiple"] if asked == "MPI_THREAD_MULTIPLE" else []
    for name, value in LEVELS[asked].items():
        monkeypatch.setenv(name, value)
    natively = levels(mpi.run(program, *words, ranks=3))
    assert len(natively) == 3
    # Insisting raises the level also where it is not worth its price.
    for env in ({}, {"STRETTO_PROGRESS_THREAD": "on"}):
        ask = {"STRETTO_RUN_ALL_RANKS": "ask", **env}
        ended = mpi.run_under_stretto(program, *words, ranks=3, env=ask)
        assert levels(ended) == natively
        assert "nobody can tell" in ended.stderr
    assert levels(mpi.run_under_stretto(program, *words, ranks=3)) == natively  # with a session
    monkeypatch.setenv("STRETTO_PROGRESS_THREAD", "on")
    differ = "export STRETTO_TAG_BITS=13"
    ended = run(mpi, tmp_path, differ, program="locks", arguments=" ".join(words))
    assert "the program runs as it is" in ended.stderr
    assert levels(ended) == natively


@pytest.mark.parametrize("words", [(), ("funneled",)])
def test_the_level_that_the_environment_sets_is_the_programs(
    any_mpi: Mpi, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LEVELS["set in the environment"].items():
        monkeypatch.setenv(name, value)
    program = any_mpi.program("locks")
    natively = levels(any_mpi.run(program, *words, ranks=2))
    assert levels(any_mpi.run_under_stretto(program, *words, ranks=2)) == natively


def test_where_nobody_can_tell_the_program_runs_as_it_is(mpi: Mpi) -> None:
    env = {"STRETTO_RUN_ALL_RANKS": "ask", "STRETTO_VERBOSE": "1"}
    ended = mpi.run_under_stretto(mpi.program("dropin"), ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert ended.stderr.count("nobody can tell whether all 2 ranks run Stretto") == 1
    assert "handled" not in ended.stderr
