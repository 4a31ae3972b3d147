"""What srun says of steps that failed, recorded from Slurm 22.05.8 (tests/mpi/test_slurm.py)."""

import pytest

from stretto.launch.deaths import Lost
from stretto.launch.failure import cause
from stretto.launch.launcher_reports import rank_failures
from stretto.launch.outcome import Outcome
from stretto.launch.slurm_reports import task_failures

CANCELLED = """\
srun: Job step aborted: Waiting up to 3 seconds for job step to finish.
slurmstepd-host0: error: *** STEP 1.0 ON host0 CANCELLED AT 2026-11-27T20:23:18 ***
"""
KILLED = """\
srun: error: host1: tasks 2-3: Killed
srun: error: host0: tasks 0-1: Killed
"""
TIME_LIMIT = """\
slurmstepd: error: *** JOB 2 ON host0 CANCELLED AT 2026-11-27T20:25:05 DUE TO TIME LIMIT ***
"""
EXITED = "srun: error: host1: task 2: Exited with exit code 7\n"
CRASHED = "srun: error: host1: tasks 1,5: Segmentation fault (core dumped)\n"
ABORTED = "Abort(9) on node 1 (rank 1 in comm 0): application called MPI_Abort(comm, 9)\n"
OUT_OF_MEMORY = "srun: error: host0: task 0: Out Of Memory\n"
TOOK_TOO_MUCH = "was killed, as it took more memory than it may"
TERMINATING = "srun: Terminating StepId=1.0\n"
NO_PMI = 'The application appears to have been direct launched using "srun",\n' + EXITED
REFUSED = """\
srun: error: Unable to create step for job 3: More processors requested than permitted
"""


def failed(said: str, *, unnoticed: bool = False, lost: bool = False) -> str:
    outcome = Outcome(
        exit_code=9,
        wall_s=1.0,
        timed_out=False,
        last_words=said,
        lost=Lost(2, 17, "host1") if lost else None,
        unnoticed=unnoticed,
    )
    return cause(outcome)


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (CANCELLED + KILLED, "its step 1.0 was cancelled"),
        (KILLED + CANCELLED, "its step 1.0 was cancelled"),
        (TIME_LIMIT + KILLED, "its job 2 reached its time limit"),
        (
            TIME_LIMIT.replace("TIME LIMIT", "NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"),
            "its job 2 was cancelled: node failure",
        ),
        (ABORTED + CANCELLED + KILLED, "rank 1 called MPI_Abort with code 9"),
    ],
)
def test_what_slurm_ended_is_no_failure_of_a_rank(said: str, words: str, lost: bool) -> None:
    assert failed(said, lost=lost).startswith(words)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (EXITED, "rank 2 exited with code 7"),
        (EXITED + CANCELLED + KILLED, "rank 2 exited with code 7"),
        (CRASHED, "rank 1 was killed by SIGSEGV (segmentation fault)"),
        (KILLED + CRASHED, "rank 1 was killed by SIGSEGV (segmentation fault)"),
        (KILLED, "rank 2 was killed by SIGKILL (killed)"),
        (OUT_OF_MEMORY + CANCELLED + KILLED, f"rank 0 {TOOK_TOO_MUCH}"),
        (KILLED + TERMINATING + CANCELLED, "rank 2 was killed by SIGKILL (killed)"),
        (REFUSED, f"exit code 9 (srun: {REFUSED.strip().removeprefix('srun: error: ')})"),
    ],
)
def test_the_task_that_failed_is_named(said: str, words: str) -> None:
    assert failed(said) == words


def test_a_death_that_srun_let_the_others_wait_for() -> None:
    assert failed(EXITED + CANCELLED + KILLED, unnoticed=True, lost=True) == (
        "rank 2 (process 17 on host1) exited with code 7; srun did not end the others "
        "(its --kill-on-bad-exit does)"
    )


def test_ranks_that_srun_did_not_connect() -> None:
    assert '--launcher-args "--mpi=pmix"' in failed(NO_PMI)


def test_what_a_program_prints_many_times_is_read_soon() -> None:
    words = "srun: error: a: tasks 0-999999999,0-999999999: Killed\n"
    assert len(task_failures(words * 1000)) == 10_000
    assert not rank_failures(words)
