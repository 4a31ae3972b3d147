"""Ranks of a host share memory, where the kernel lets them and where it does not."""

import errno

import pytest
from mpi_runs import NO_READS_OF_MEMORY, Mpi

OURS = {"STRETTO_SELECTION": "stretto", "STRETTO_PROGRESS_THREAD": "on"}

REFUSED = "the kernel "  # either line begins so


def run(mpi: Mpi, *arguments: object, env: dict[str, str] | None = None) -> str:
    """What it says on stderr, where all its data were right."""
    ended = mpi.run_under_stretto(
        mpi.program("kernel_refuses"),
        *arguments,
        ranks=4,
        env=OURS | NO_READS_OF_MEMORY | (env or {}),
    )
    if "seccomp" in ended.stderr:
        pytest.skip("system calls cannot be filtered here")
    assert "kernel_refuses ok" in ended.stdout, ended.stdout + ended.stderr
    assert ended.ok, ended.stderr
    return ended.stderr


@pytest.mark.parametrize(
    "error", [errno.EPERM, errno.ENOSYS, errno.EFAULT], ids=errno.errorcode.get
)
@pytest.mark.parametrize("who", [-1, 2])
def test_who_is_refused_from_the_start_gets_its_data_all_the_same(
    mpi: Mpi, who: int, error: int
) -> None:
    assert run(mpi, "start", who, error).count(REFUSED) == 1


@pytest.mark.parametrize("error", [errno.EPERM, errno.EFAULT], ids=errno.errorcode.get)
@pytest.mark.parametrize("who", [-1, 2])
def test_who_is_refused_in_the_middle_gets_its_data_all_the_same(
    mpi: Mpi, who: int, error: int
) -> None:
    said = run(mpi, "middle", who, error).count(REFUSED)
    assert said <= 4  # each rank that was refused says so once, if it has read memory at all


def test_nothing_is_said_where_nothing_is_refused(mpi: Mpi) -> None:
    assert REFUSED not in run(mpi, "never")


def test_it_can_be_switched_off(mpi: Mpi) -> None:
    off = {"STRETTO_SHARED_MEMORY": "off"}
    assert REFUSED not in run(mpi, "start", -1, errno.EPERM, env=off)
