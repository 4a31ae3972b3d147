"""Messages are never taken for one another, however many there are and however few tags."""

import json
from pathlib import Path

import pytest
from mpi_runs import Mpi

THREAD = {"STRETTO_PROGRESS_THREAD": "on"}
FORCED = {
    **THREAD,
    "STRETTO_SELECTION_ALLREDUCE": "ring",
    "STRETTO_SELECTION_BCAST": "binomial",
}
# As few as the setting allows: two numbers of messages and two persistent operations.
FEW_TAGS = {"STRETTO_TAG_BITS": "13"}


@pytest.mark.parametrize("tags", [{}, FEW_TAGS], ids=["all tags", "few tags"])
def test_a_late_rank_while_tags_come_round(mpi: Mpi, tags: dict[str, str]) -> None:
    ended = mpi.run_under_stretto(mpi.program("straggler"), ranks=3, env={**FORCED, **tags})
    assert ended.ok, ended.stdout + ended.stderr
    assert "straggler ok" in ended.stdout


def test_short_messages_wait_for_an_earlier_ones_number(mpi: Mpi) -> None:
    ended = mpi.run_under_stretto(mpi.program("late_root"), ranks=4, env={**FORCED, **FEW_TAGS})
    assert ended.ok, ended.stdout + ended.stderr
    assert "late root ok" in ended.stdout


@pytest.mark.parametrize(
    "program",
    ["dropin", "dropin_uneven", "dropin_groups", "dropin_neighbors", "dropin_persistent"],
)
def test_every_call_with_few_tags(mpi: Mpi, program: str) -> None:
    env = {**THREAD, **FEW_TAGS}
    ended = mpi.run_under_stretto(mpi.program(program), ranks=3, env=env)
    assert ended.ok, ended.stdout + ended.stderr


def test_the_program_has_all_communicators_its_mpi_gives(mpi: Mpi, tmp_path: Path) -> None:
    env = {**THREAD, "STRETTO_SELECTION_ALLREDUCE": "ring", "STRETTO_RUN_COUNTERS": str(tmp_path)}
    ended = mpi.run_under_stretto(mpi.program("communicators_alive"), 2040, ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    told = json.loads((tmp_path / "rank-0.json").read_text())
    handled = {row["call"]: row["calls"] for row in told["handled"]}
    assert handled["MPI_Iallreduce"] == 2040
