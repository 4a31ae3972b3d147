"""What Stretto must leave as it is while it works beside a program."""

import pytest
from mpi_runs import Mpi

# Nonblocking collectives are Stretto's own also where ranks share cores.
OURS = {"STRETTO_PROGRESS_THREAD": "on", "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling"}
HANGS_AFTER_S = 60.0


@pytest.mark.parametrize(
    ("program", "case", "ranks"),
    [
        ("beside", "buffer", 2),
        ("beside", "rounding", 2),
        ("beside", "stuck", 3),
        ("beside", "between", 4),
        ("beside_handlers", "handlers", 2),
        ("beside_handlers", "copies", 2),
        ("beside_handlers", "again", 2),
        ("beside_handlers", "follows", 2),
        ("beside_finalize", "finalize", 2),
        ("beside_finalize", "busy", 2),
        ("beside_finalize", "fails", 2),
    ],
)
def test_what_the_program_relies_on_stays(mpi: Mpi, program: str, case: str, ranks: int) -> None:
    if case == "follows" and mpi.abi == "openmpi":
        pytest.skip("Open MPI gives every communicator a handler of its own")
    env = dict(OURS)
    if case == "buffer":
        # One of its two sums is the MPI's own, which runs the operation on the main thread.
        del env["STRETTO_SELECTION_ALLREDUCE"]
    if case == "again":
        # With threads MPICH alone holds a lock of its own there, which the handler needs.
        env["STRETTO_PROGRESS_THREAD"] = "off"
    if case == "fails":
        env["STRETTO_VERBOSE"] = "1"
    ended = mpi.run_under_stretto(
        mpi.program(program), case, ranks=ranks, env=env, timeout_s=HANGS_AFTER_S
    )
    assert not ended.timed_out, ended.stderr
    assert "beside ok" in ended.stdout, ended.stderr
    assert ended.ok or case == "fails", ended.stderr
    assert "thread stretto" not in ended.stdout
    if case == "fails" and mpi.abi == "openmpi":
        assert "no report of this rank" in ended.stderr


def test_an_error_ends_the_job_while_another_thread_waits_for_a_late_rank(mpi: Mpi) -> None:
    env = OURS | {"STRETTO_DEVICE_BUFFERS": "on"}
    ended = mpi.run_under_stretto(
        mpi.program("beside_handlers"), "swallows", ranks=2, env=env, timeout_s=HANGS_AFTER_S
    )
    assert not ended.timed_out, ended.stderr
    assert not ended.ok
    assert "beside ok" not in ended.stdout
