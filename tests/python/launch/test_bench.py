"""The MPI that a benchmark was made with is found again, or one line says what is gone."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.data.bench_folder import LaunchedBy
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.bench import _refuse_unwritten, same_mpi
from stretto.launch.outcome import Outcome


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


def test_what_ranks_say_of_a_full_disk_may_not_fit_there_either(tmp_path: Path) -> None:
    full = "No space left on device"
    said = Outcome(1, 1.0, False, f"x\nstretto: cannot write {tmp_path}/progress: {full}\ny\n")
    with pytest.raises(EnvironmentUnusable, match=f"^cannot write .*progress: {full}$"):
        _refuse_unwritten(tmp_path, said)
    with pytest.raises(EnvironmentUnusable, match=full):
        _refuse_unwritten(tmp_path, Outcome(5, 1.0, False, "", unwritten=full))
    _refuse_unwritten(tmp_path, Outcome(5, 1.0, False, "stretto: libmpi.so: no such file\n"))
