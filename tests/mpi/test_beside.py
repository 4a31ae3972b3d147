"""What Stretto must leave as it is while it works beside a program."""

import pytest
from mpi_runs import Mpi

# Nonblocking collectives are Stretto's own also where ranks share cores.
OURS = {"STRETTO_PROGRESS_THREAD": "on", "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling"}
HANGS_AFTER_S = 60.0


@pytest.mark.parametrize(
    ("case", "ranks"),
    [
        ("buffer", 2), ("rounding", 2), ("stuck", 3), ("handlers", 2), ("finalize", 2),
        ("busy", 2), ("fails", 2), ("follows", 2), ("between", 4),
    ],
)  # fmt: skip
def test_what_the_program_relies_on_stays(mpi: Mpi, case: str, ranks: int) -> None:
    if case == "follows" and mpi.abi == "openmpi":
        pytest.skip("Open MPI gives every communicator a handler of its own")
    env = dict(OURS)
    if case == "buffer":
        # One of its two sums is the MPI's own, which runs the operation on the main thread.
        del env["STRETTO_SELECTION_ALLREDUCE"]
    ended = mpi.run_under_stretto(
        mpi.program("beside"), case, ranks=ranks, env=env, timeout_s=HANGS_AFTER_S
    )
    assert not ended.timed_out, ended.stderr
    assert "beside ok" in ended.stdout, ended.stderr
    assert ended.ok or case == "fails", ended.stderr
    assert "thread stretto" not in ended.stdout
