"""The MPI that a benchmark was made with is found again, or one line says what is gone."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.data.bench_folder import LaunchedBy
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.bench import same_mpi


@pytest.fixture
def made_by(house: Path) -> LaunchedBy:
    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    library = house / "libmpi.so.40"
    library.touch()
    return LaunchedBy(str(house / "bin" / "mpirun"), ["--oversubscribe"], str(library))


def test_the_same_launcher_with_the_same_options(made_by: LaunchedBy) -> None:
    found = same_mpi(made_by)
    assert str(found.launcher.path) == made_by.launcher
    assert found.launcher.extra == ("--oversubscribe",)
    assert (found.abi, found.libmpi) == (Abi.OPENMPI, made_by.libmpi)


@pytest.mark.parametrize("gone", ["launcher", "libmpi"])
def test_what_is_gone_is_named(made_by: LaunchedBy, gone: str) -> None:
    path = Path(getattr(made_by, gone))
    path.unlink()
    with pytest.raises(EnvironmentUnusable) as refused:
        same_mpi(made_by)
    assert str(refused.value).startswith(f"{path}, by which the run was made, is no longer here")
