"""Fixtures of all tests, and how they share the machine (README.md)."""

from collections.abc import Generator

import pytest
from mpi_runs import EVERY_MPI, MPIS, Mpi, NoFortran


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest: what begins last ends last, alone on a core."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """What needs a program in Fortran is skipped where there is none."""
    try:
        yield
    except NoFortran as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=MPIS.values(), ids=MPIS.keys())
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Of each ABI one MPI, in turn: what most tests take, for the time it takes."""
    mpi: Mpi = request.param
    return mpi


@pytest.fixture(params=EVERY_MPI.values(), ids=EVERY_MPI.keys())
def any_mpi(request: pytest.FixtureRequest) -> Mpi:
    """Every MPI with every interface it has, in turn."""
    mpi: Mpi = request.param
    return mpi
