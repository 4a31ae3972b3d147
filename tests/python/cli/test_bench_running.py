"""Where a benchmark goes, and when its launches are enough."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import msgspec
import polars as pl
import pytest
from bench_runs import all_samples, make_run
from benched import LAUNCHES, WAYS, benched

from stretto.cli import bench_running, bench_series
from stretto.cli.bench_running import _plan, _Width, or_new, taken_alone
from stretto.cli.run_folders import make_folder
from stretto.data.bench_folder import BenchFolder, LaunchedBy
from stretto.data.bench_plan import BenchCell, BenchPlan, Form
from stretto.data.bench_rows import CellState
from stretto.data.bench_spec import Spec
from stretto.errors import InputError
from stretto.launch.base import Abi
from stretto.launch.bench import MeasuredMpi, OtherMpi
from stretto.report.bench import summarise


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


def test_what_is_given_up_asks_for_no_more_launches(tmp_path: Path) -> None:
    """It was measured in launches before, too few of them for an interval."""
    cells = [BenchCell(0, "bcast", bytes=8), BenchCell(1, "bcast", bytes=64)]
    run = make_run(tmp_path / "run", cells=cells, launches=9)
    kept = (pl.col("cell") == 0) | (pl.col("launch") < 3)
    all_samples(run).filter(kept).write_parquet(run / "samples.parquet")

    class Some(BenchFolder):
        given_up: ClassVar[list[CellState]] = []

        def samples_so_far(self, launch: int, implementation: int) -> pl.DataFrame:
            del implementation
            return all_samples(self.path).filter(launch=launch)

        def states(self, launch: int, implementation: int) -> dict[int, CellState]:
            del launch, implementation
            return {state.cell: state for state in self.given_up}

    folder = Some(run)
    plan = msgspec.structs.replace(folder.record().plan, launches=6, width=0.5, most_launches=50)
    assert not _Width(plan, folder).is_enough(9)
    # There was no memory for it then: the next launch may have it.
    Some.given_up = [CellState(1, "skipped", "needs 12.0 GiB of 8.0 GiB")]
    assert not _Width(plan, folder).is_enough(9)
    Some.given_up = [CellState(1, "skipped", "it has ended 2 launches: timeout")]
    assert _Width(plan, folder).is_enough(9)


def test_where_the_mpi_is_another_one_a_run_without_a_name_is_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (BenchFolder(make_run(tmp_path / name)) for name in ("old", "new"))

    class Launching:
        def __init__(self, _plan: object, folder: BenchFolder, *_: object) -> None:
            self._folder = folder

        def run(self, _enough: object) -> list[tuple[int, int]]:
            if self._folder == old:
                raise OtherMpi(f"{old.path} holds a run of another MPI: it was A, now B")
            return []

    by = LaunchedBy("mpirun", [], "")
    monkeypatch.setattr(bench_running, "launched_by", lambda _: by)
    monkeypatch.setattr(bench_running, "_folder", lambda *_, **__: old)
    monkeypatch.setattr(bench_running, "_new_folder", lambda *_, **__: new)
    monkeypatch.setattr(bench_running, "Bench", Launching)
    monkeypatch.setattr(BenchFolder, "finish", lambda *_: None)
    mpi = MeasuredMpi(None, Abi.OPENMPI, "libmpi.so.40", tmp_path)  # type: ignore[arg-type]
    plan = old.record().plan
    run = partial(bench_running.launched, plan, mpi, None)  # type: ignore[arg-type]
    _, path = or_new(partial(run, None), None)
    assert path == new.path
    said = " ".join(capsys.readouterr().err.split())
    assert "it was A, now B; this is a new run" in said
    with pytest.raises(InputError, match="now B; name another --output"):
        or_new(partial(run, old.path), old.path)


def test_a_new_run_by_another_mpi_has_a_pilot_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = Spec(operations=["ibcast"], sizes=[8], compute=[1.0])
    launcher = SimpleNamespace(name="mpirun")
    mpi = MeasuredMpi(launcher, Abi.OPENMPI, "libmpi.so.40", tmp_path)  # type: ignore[arg-type]
    begun = bench_running.plan_of(spec, mpi, None, {("ibcast", 8): 1000})
    seen: list[BenchPlan] = []

    def launched(plan: BenchPlan, *_: object, is_new: bool, **__: object) -> tuple[None, Path]:
        seen.append(plan)
        if not is_new:
            raise OtherMpi("it was A, now B")
        return None, tmp_path

    monkeypatch.setattr(bench_running, "launcher_on", lambda *_: nullcontext())
    monkeypatch.setattr(bench_running, "launched_by", lambda _: LaunchedBy("mpirun", [], ""))
    monkeypatch.setattr(bench_running, "implementation", lambda *_: None)
    monkeypatch.setattr(bench_running, "begun_as", lambda *_, **__: begun)
    monkeypatch.setattr(bench_running, "_pilot", lambda *_: {("ibcast", 8): 5000})
    monkeypatch.setattr(bench_running, "launched", launched)
    assert bench_running.measured(spec, mpi, None, None) == (None, tmp_path)
    works = [[cell.compute_ns for cell in plan.cells if cell.compute_ns] for plan in seen]
    assert [set(each) for each in works] == [{1000}, {5000}]


@pytest.mark.parametrize("is_new", [False, True])
def test_late_ranks_of_a_file_that_is_gone_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """A new run by another MPI has them, too, but not what a pilot found out of the old one."""
    mpi = MeasuredMpi(SimpleNamespace(name="mpirun"), Abi.OPENMPI, "", tmp_path)  # type: ignore[arg-type]
    begun = BenchFolder(make_run(tmp_path / "run")).record().plan
    monkeypatch.setattr(bench_running, "launched_by", lambda _: LaunchedBy("mpirun", [], ""))
    monkeypatch.setattr(bench_running, "begun_as", lambda *_: begun)
    for compute, found in (([], begun), ([1.0], None if is_new else begun)):
        late = Spec(operations=["ibcast"], sizes=[8], late=str(tmp_path / "gone"), compute=compute)
        arguments = (late, mpi, None, None, None)
        if found is None:
            with pytest.raises(InputError, match="gone"):
                _plan(*arguments, is_new=is_new)  # type: ignore[arg-type]
        else:
            assert _plan(*arguments, is_new=is_new) == found  # type: ignore[arg-type]


def test_what_a_pilot_has_no_figure_of_has_a_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [
        BenchCell(0, "bcast", Form.NONBLOCKING, bytes=8),
        BenchCell(1, "bcast", Form.NONBLOCKING, bytes=64),
        BenchCell(2, "reduce", Form.PERSISTENT, bytes=8),
        BenchCell(3, "gather", bytes=8),
        BenchCell(4, "scan", Form.NONBLOCKING, bytes=8),
    ]
    states = [
        CellState(0, "done", "barrier"),
        CellState(1, "timeout"),
        CellState(2, "skipped", "this MPI has no MPI_Reduce_init"),
        CellState(3, "timeout"),
        CellState(4, "done", "barrier"),
    ]
    path = make_run(
        tmp_path / "pilot",
        lambda _way, cell, _launch, _rank: 2.0 if cell.number == 0 else 0.0,
        cells=cells,
        launches=1,
        states=states,
    )
    result = summarise(BenchFolder(path))
    rows = [row for row in result.rows if row.cell.number in (0, 4)]
    found = taken_alone(replace(result, rows=rows))
    assert found == {("ibcast", 8): 2000, ("iscan", 8): 0}
    begin = "stretto: no work beside"
    middle = "as the pilot has not measured what it takes alone:"
    assert capsys.readouterr().err.splitlines() == [
        f"{begin} ibcast of 64 B, {middle} timeout",
        f"{begin} reduce_init of 8 B, {middle} skipped: this MPI has no MPI_Reduce_init",
        f"{begin} iscan of 8 B, {middle} it took 0 ns by the clock",
    ]
