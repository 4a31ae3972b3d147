"""Messages of the program's own that the MPI is to send at once (decision 34)."""

from collections.abc import Mapping

import pytest
from mpi_runs import Mpi

from stretto.launch.base import Abi
from stretto.launch.environment import PROGRESS

NAME = "btl_tcp_eager_limit"
LIMIT = 1 << 20


def limit(mpi: Mpi, env: Mapping[str, str]) -> int:
    """In a running program, as Open MPI itself says."""
    if mpi.abi is not Abi.OPENMPI:
        pytest.skip(f"{mpi.name} has no such limit")
    ended = mpi.run_under_stretto(mpi.program("control_variable"), NAME, ranks=2, env=env)
    assert ended.ok, ended.stderr
    name, value = ended.stdout.split()
    assert name == NAME
    return int(value)


def test_open_mpi_sends_longer_messages_at_once_where_it_is_asked_to(mpi: Mpi) -> None:
    assert limit(mpi, {PROGRESS: "on"}) == LIMIT


def test_otherwise_its_limit_is_its_own(mpi: Mpi) -> None:
    assert limit(mpi, {}) < LIMIT


def test_what_the_user_has_set_stays(mpi: Mpi) -> None:
    assert limit(mpi, {PROGRESS: "on", f"OMPI_MCA_{NAME}": "100000"}) == 100_000
