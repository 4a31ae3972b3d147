"""Functions of the program's that run in the middle of a collective hold nobody up."""

import re
import resource

import pytest
from mpi_runs import Mpi

# Reductions are Stretto's own, a late rank's progress thread takes part in them.
OURS = {
    "STRETTO_PROGRESS_THREAD": "on",
    "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    "STRETTO_SELECTION_BCAST": "binomial",
}
HANGS_AFTER_S = 90.0


@pytest.mark.parametrize("case", ["types", "lock", "attribute"])
def test_what_the_program_does_in_a_collective_may_call_mpi(mpi: Mpi, case: str) -> None:
    ended = mpi.run_under_stretto(
        mpi.program("operations"), case, ranks=2, env=OURS, timeout_s=HANGS_AFTER_S
    )
    assert not ended.timed_out, ended.stderr
    assert "operations ok" in ended.stdout, ended.stderr


def test_what_the_mpis_own_collectives_run_meanwhile_may_call_mpi(mpi: Mpi) -> None:
    env = {**OURS, "STRETTO_SELECTION_REDUCE": "native"}
    ended = mpi.run_under_stretto(
        mpi.program("operations"), "beneath", ranks=2, env=env, timeout_s=HANGS_AFTER_S
    )
    assert not ended.timed_out, ended.stderr
    assert "operations ok" in ended.stdout, ended.stderr


def test_the_progress_thread_has_the_main_threads_stack(mpi: Mpi) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = 64 << 20
    if resource.RLIM_INFINITY != hard < wanted:
        pytest.skip("the stack of a process may not grow to 64 MiB here")
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
    try:
        ended = mpi.run_under_stretto(
            mpi.program("operations"), "stack", ranks=2, env=OURS, timeout_s=HANGS_AFTER_S
        )
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
    assert "operations ok" in ended.stdout, ended.stderr
    elsewhere = re.search(r"^elsewhere (\d+)$", ended.stdout, re.MULTILINE)
    assert elsewhere is not None
    assert int(elsewhere.group(1)) > 0
