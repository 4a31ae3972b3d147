"""Fixtures of all tests."""

import pytest
from mpi_runs import MPIS, Mpi


@pytest.fixture(params=MPIS.values(), ids=MPIS.keys())
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    mpi: Mpi = request.param
    return mpi
