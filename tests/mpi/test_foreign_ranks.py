"""Ranks of another MPI_COMM_WORLD, which need not run Stretto (foreign_ranks.c)."""

from mpi_runs import Mpi

OURS = {
    "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    "STRETTO_SELECTION_BARRIER": "dissemination",
}
# Intel MPI starts others only where it has a network; the sums of Open MPI 5's HAN are wrong on
# what is merged with ranks that were started, with and without Stretto.
THEIRS = {"I_MPI_FABRICS": "shm:ofi", "OMPI_MCA_coll": "^han"}


def test_a_group_that_has_not_heard_of_them_leaves_what_they_share_to_the_mpi(any_mpi: Mpi) -> None:
    program = any_mpi.program("foreign_ranks")
    ended = any_mpi.run_under_stretto(program, ranks=4, env=OURS | THEIRS, timeout_s=60)
    assert ended.ok, ended.stdout + ended.stderr
    assert "foreign ranks ok" in ended.stdout
