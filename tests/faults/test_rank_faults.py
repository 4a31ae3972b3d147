"""A rank that dies or stops in the middle of a collective: the job ends and the line names it."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rig_here import NEEDS_A_RIG

from stretto import native
from stretto.errors import ApplicationFailed
from stretto.launch.base import Start
from stretto.launch.environment import SELECTED
from stretto.launch.failure import require_success
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.outcome import Outcome
from stretto.launch.rig import Rig, parse_rig

if TYPE_CHECKING:
    from mpi_runs import Mpi

# What is promised is 60 s; a loaded machine starts slowly.
ENDS_WITHIN_S = 100.0
# On any machine it is Stretto that runs the collectives.
OURS = {
    "STRETTO_PROGRESS_THREAD": "on",
    "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    "STRETTO_SELECTION_BCAST": "binomial",
    "STRETTO_SELECTION_BARRIER": "dissemination",
}
# Of the ranks that tests in this process start; others may run the same program.
MARK = f"DYING_TEST={uuid.uuid4()}"
# Stays when the rank in it has died, so that the launcher sees nothing.
WRAPPER = """#!/bin/sh
"$@"
sleep 600
"""


def run(
    mpi: Mpi,
    *words: str,
    wrapper: tuple[str, ...] = (),
    rig: str | None = None,
    env: Mapping[str, str] = OURS,
    timeout_s: float = ENDS_WITHIN_S,
) -> Outcome:
    """tests/mpi/dying on three ranks, or two on a rig of two hosts."""
    argv = [*wrapper, str(mpi.program("dying")), *words]
    hosts = Rig(parse_rig(rig)) if rig else nullcontext()
    preload = {"LD_PRELOAD": str(native.drop_in(mpi.abi)), SELECTED: "stretto"}
    with hosts as made, Path(os.devnull).open("wb") as nowhere:
        launcher = made.launcher(mpi.launcher) if made is not None else mpi.launcher
        environment = {**preload, **env, **dict([MARK.split("=")])}
        start = Start(2 if made is not None else 3, argv, environment)
        return launch_ranks(launcher, start, timeout_s=timeout_s, stdout=nowhere, stderr=nowhere)


def line(outcome: Outcome) -> str:
    """What the user is told of a failure."""
    with pytest.raises(ApplicationFailed) as told:
        require_success("dying", outcome, ENDS_WITHIN_S)
    assert "\n" not in str(told.value)
    return str(told.value)


def running() -> list[str]:
    """The processes that still run of those that this process has started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("killed", "blocking"),
        ("killed", "nonblocking"),
        ("exits", "nonblocking"),
        ("quits", "blocking"),
        ("aborts", "nonblocking"),
    ],
)
def test_a_rank_that_dies_ends_the_job_and_is_named(mpi: Mpi, how: str, what: str) -> None:
    outcome = run(mpi, how, what)
    assert not outcome.timed_out
    assert "dying: begun" in outcome.last_words
    assert re.match("dying failed: rank 1 ", line(outcome))
    assert running() == []


def test_a_death_the_launcher_does_not_see_ends_the_job_too(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    outcome = run(mpi, "killed", "blocking", wrapper=(str(wrapper),))
    assert not outcome.timed_out
    assert re.match("dying failed: rank 1 ", line(outcome))
    assert running() == []


def test_a_rank_that_stops_is_named_by_those_that_wait(mpi: Mpi) -> None:
    env = {**OURS, "STRETTO_STALL_SECONDS": "2"}
    outcome = run(mpi, "stops", "blocking", env=env, timeout_s=8)
    assert outcome.timed_out
    assert re.search(r"stretto: rank 0 has waited 2 s for rank", outcome.last_words)
    assert "rank 1 kept others waiting" in line(outcome)
    assert running() == []


@pytest.mark.parametrize("what", ["blocking", "nonblocking"])
def test_a_rank_that_goes_on_finds_the_job_alive(mpi: Mpi, what: str) -> None:
    outcome = run(mpi, "pauses", what, env={**OURS, "STRETTO_STALL_SECONDS": "1"})
    require_success("dying", outcome, None)
    assert "dying: survived" in outcome.last_words
    assert re.search(r"stretto: rank [02] has waited 1 s for rank", outcome.last_words)


@NEEDS_A_RIG[0]
@NEEDS_A_RIG[1]
@pytest.mark.parametrize(("how", "what"), [("killed", "nonblocking"), ("quits", "blocking")])
def test_on_several_hosts(mpi: Mpi, how: str, what: str) -> None:
    outcome = run(mpi, how, what, rig="2x1@1gbit", env={})
    assert not outcome.timed_out
    assert "dying: begun" in outcome.last_words
    assert re.match("dying failed: rank 1 ", line(outcome))
    assert running() == []
