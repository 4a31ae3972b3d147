"""Where a benchmark goes, and when its launches are enough."""

from pathlib import Path
from typing import ClassVar

import msgspec
import polars as pl
import pytest
from bench_runs import all_samples
from benched import LAUNCHES, WAYS, benched

from stretto.cli import bench_series
from stretto.cli.bench_running import _Width
from stretto.cli.run_folders import make_folder
from stretto.data.bench_folder import BenchFolder, LaunchedBy
from stretto.errors import InputError
from stretto.launch.base import Abi
from stretto.launch.bench import MeasuredMpi


class _Counting(BenchFolder):
    """Says how often each launch was read."""

    asked: ClassVar[list[tuple[int, int]]] = []

    def samples_so_far(self, launch: int, implementation: int) -> pl.DataFrame:
        self.asked.append((launch, implementation))
        return all_samples(self.path).filter(launch=launch, implementation=[*WAYS][implementation])


def test_each_launch_is_read_once(tmp_path: Path) -> None:
    folder = _Counting(benched(tmp_path / "run"))
    plan = msgspec.structs.replace(folder.record().plan, launches=6, width=1e-9, most_launches=50)
    width = _Width(plan, folder)
    assert not width.is_enough(5)
    assert folder.asked == []
    assert not any(width.is_enough(launches) for launches in range(6, LAUNCHES + 1))
    assert folder.asked == [(launch, way) for launch in range(LAUNCHES) for way in range(len(WAYS))]
    wide = _Width(msgspec.structs.replace(plan, width=0.5), folder)
    assert wide.is_enough(LAUNCHES)


def test_a_kill_before_a_search_had_said_what_it_is_of_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_series, "launched_by", lambda _: LaunchedBy("mpirun", [], ""))
    monkeypatch.setattr(bench_series, "mpi_version", lambda _: "")
    mpi = MeasuredMpi(None, Abi.OPENMPI, "libmpi.so.40", tmp_path)  # type: ignore[arg-type]
    for place, left in (("a", "lock"), ("b", "series.partial")):
        (tmp_path / place).mkdir()
        (tmp_path / place / left).touch()
        found = bench_series.opened("cliffs", {}, mpi, None, tmp_path / place)
        assert not found.has_runs
        assert (tmp_path / place / "series.json").exists()


def test_a_folder_in_which_a_kill_left_a_run_that_had_not_begun_is_empty(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "series.partial").write_text("{")
    assert make_folder(tmp_path, "cliffs") == tmp_path
    (tmp_path / "bench.json").touch()
    with pytest.raises(InputError, match="is not empty"):
        make_folder(tmp_path, "cliffs")
