"""A benchmark's run folder: begun, cut short, gone on with, finished."""

from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from bench_runs import all_samples

from stretto.data.bench_folder import (
    BenchFolder,
    BenchRecord,
    LaunchedBy,
    begin,
    begun_as,
    complete_as,
    resume,
    resume_newest,
)
from stretto.data.bench_plan import BenchCell, BenchPlan, Settings
from stretto.data.bench_rows import _ROW, CellState, LaunchFacts
from stretto.data.provenance import collect
from stretto.errors import EnvironmentUnusable, InputError

CELLS = [BenchCell(0, "barrier"), BenchCell(1, "bcast", bytes=8)]
PLAN = BenchPlan("bench", ["native", "stretto"], 1, 2, 1, Settings(), CELLS, "an MPI")
FACTS = LaunchFacts("Some MPI", 1, 1, False, "shared", 0, 0, 0, [0])


BY = LaunchedBy("mpirun", [], "libmpi.so")


def record(plan: BenchPlan = PLAN) -> BenchRecord:
    return BenchRecord(plan, collect(argv=["stretto"]), {}, BY)


def begun(path: Path, plan: BenchPlan = PLAN) -> BenchFolder:
    path.mkdir(parents=True)
    return begin(path, record(plan))


def measure(folder: BenchFolder, launch: int, way: int, progress: str) -> None:
    """As one part of a launch does, that takes as many ns as the number of its cell."""
    part = folder.new_part(launch, way)
    (part / "launch.json").write_bytes(msgspec.json.encode(FACTS))
    (part / "progress").write_text(progress)
    rows = np.zeros(len(CELLS), _ROW)
    rows["cell"] = rows["leave_ns"] = [cell.number for cell in CELLS]
    (part / "rank-0.rows").write_bytes(rows.tobytes())


def test_a_launch_in_two_parts_is_one(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    measure(folder, 0, 0, "begin 0 \ndone 0 barrier\nbegin 1 \n")
    assert folder.states(0, 0) == {0: CellState(0, "done", "barrier")}
    assert folder.samples_so_far(0, 0)["cell"].to_list() == [0]
    measure(folder, 0, 0, "begin 1 \nwrong 1 3\n")
    assert [state.state for state in folder.launched(0, 0).states] == ["done", "wrong"]
    assert sorted(folder.samples_so_far(0, 0)["cell"]) == [0, 1]
    assert not folder.complete
    folder.finish([(0, 0)])
    assert folder.complete
    assert sorted(all_samples(folder.path)["cell"]) == [0, 1]
    assert folder.record().launches == [folder.launched(0, 0)]
    assert not [*folder.path.glob("**/*.rows")]
    assert not [*folder.path.glob("*.partial")]


def test_the_files_of_the_ranks_of_a_launch_become_one(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    measure(folder, 0, 0, "done 0 barrier\n")
    measure(folder, 0, 0, "done 1 barrier\n")
    measure(folder, 1, 0, "done 0 barrier\n")
    before = folder.samples_so_far(0, 0)
    folder.gather(0, 0)
    of_first = folder.path / "launches" / "000-0"
    assert not [*of_first.glob("part-*/*.rows")]
    assert folder.samples_so_far(0, 0).equals(before)
    assert [*folder.states(0, 0)] == [0, 1]
    # A kill may come when the one is there, and before all of the others are gone.
    (of_first / "part-000" / "rank-0.rows").touch()
    folder.gather(0, 0)
    assert folder.samples_so_far(0, 0).equals(before)
    folder.finish([(0, 0), (1, 0)])
    assert all_samples(folder.path).filter(launch=0).equals(before)
    assert all_samples(folder.path)["launch"].to_list() == [0, 0, 1]
    assert not [*folder.path.glob("launches/**/*.parquet"), *folder.path.glob("launches/**/*.rows")]


def test_samples_of_a_launch_that_are_cut_off_are_said(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    measure(folder, 0, 0, "done 0 barrier\n")
    folder.gather(0, 0)
    (folder.path / "launches" / "000-0" / "samples.parquet").write_bytes(b"PAR1")
    with pytest.raises(EnvironmentUnusable, match="cannot be read, and may be cut off"):
        folder.samples_so_far(0, 0)


def test_a_path_may_have_any_characters(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run[1]*?")
    measure(folder, 0, 0, "done 0 barrier\n")
    folder.finish([(0, 0)])
    assert [each.height for each in folder.samples_by_launch()] == [1]


def test_samples_come_launch_by_launch(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    made = [(launch, way) for launch in range(2) for way in range(2)]
    for each in made:
        measure(folder, *each, "done 0 barrier\ndone 1 barrier\n")
    folder.finish(made)
    found = [*folder.samples_by_launch()]
    assert [(each["launch"][0], each["implementation"][0]) for each in found] == [
        (launch, PLAN.implementations[way]) for launch, way in made
    ]
    assert pl.concat(found).equals(all_samples(folder.path))
    of_one = list(folder.samples_by_launch([1]))
    assert [each["cell"].to_list() for each in of_one] == [[1]] * len(made)


def test_a_launch_of_which_nothing_was_measured_has_no_samples(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    measure(folder, 0, 1, "skipped 0 no\nskipped 1 no\n")
    folder.finish([(0, 1)])
    assert all_samples(folder.path).is_empty()
    assert not [*folder.samples_by_launch()]
    assert folder.launched(0, 1).implementation == "stretto"


def test_a_launch_that_is_forgotten_is_made_anew(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    for _ in range(2):  # also where a kill has left one of before
        measure(folder, 0, 0, "done 0 barrier\n")
        measure(folder, 0, 0, "begin 1 \n")
        left = folder.path / "launches" / "forgotten"
        left.mkdir(exist_ok=True)
        (left / "rank-0.rows").touch()
        folder.forget(0, 0)
        assert folder.parts(0, 0) == []
        assert folder.states(0, 0) == {}


def test_a_run_that_is_complete_is_known_by_its_plan_and_mpi(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    assert complete_as(folder.path, PLAN, BY) is None
    measure(folder, 0, 0, "done 0 barrier\n")
    folder.finish([(0, 0)])
    assert complete_as(folder.path, PLAN, BY) == BenchFolder(folder.path)
    assert complete_as(folder.path, msgspec.structs.replace(PLAN, seed=2), BY) is None
    assert complete_as(folder.path, PLAN, msgspec.structs.replace(BY, options=["-v"])) is None
    assert complete_as(tmp_path / "none", PLAN, BY) is None


def test_what_was_cut_short_is_resumed_as_it_was_begun_alone(tmp_path: Path) -> None:
    folder = begun(tmp_path / "bench-1")
    with pytest.raises(InputError, match="written by another"):
        resume(folder.path, PLAN, BY)  # this process makes it
    path = folder.path
    del folder
    other = msgspec.structs.replace(PLAN, seed=2)
    elsewhere = msgspec.structs.replace(BY, libmpi="libother.so")
    for plan, by in ((other, BY), (PLAN, elsewhere)):
        with pytest.raises(InputError, match="another plan or MPI"):
            resume(path, plan, by)
        assert resume_newest(tmp_path, plan, by) is None
    found = resume_newest(tmp_path, PLAN, BY)
    assert found is not None
    assert found.path == path
    found.finish([(0, 0)])
    del found
    with pytest.raises(InputError, match="complete"):
        resume(path, PLAN, BY)
    assert resume_newest(tmp_path, PLAN, BY) is None
    assert resume_newest(tmp_path / "none", PLAN, BY) is None
    assert resume(tmp_path / "none", PLAN, BY) is None


@pytest.mark.parametrize("name", ["OMPI_MCA_coll", "MPIR_CVAR_NOLOCAL", "I_MPI_FABRICS"])
def test_what_was_begun_under_other_variables_is_not_resumed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(tmp_path / "bench-1").path
    monkeypatch.setenv(name, "1")
    with pytest.raises(InputError, match=f"other variables: {name} was not set, now 1; name"):
        resume(path, PLAN, BY)
    assert resume_newest(tmp_path, PLAN, BY) is None
    assert begun_as(tmp_path, PLAN, BY) is None
    monkeypatch.delenv(name)
    monkeypatch.setenv("SLURM_JOB_ID", "2")  # another allocation is no other setting
    assert resume(path, PLAN, BY) is not None


def test_a_run_whose_work_was_measured_first_is_found_by_what_was_asked(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(PLAN, asked={"operations": ["ibcast"]})
    work = [*CELLS, BenchCell(2, "compute", compute_ns=1234)]
    with_work = msgspec.structs.replace(plan, cells=work)
    begun(tmp_path / "bench-1", with_work)
    assert begun_as(tmp_path, plan, BY) == with_work
    assert begun_as(tmp_path / "bench-1", plan, BY) == with_work
    assert begun_as(tmp_path, msgspec.structs.replace(plan, seed=2), BY) is None
    assert begun_as(tmp_path, plan, msgspec.structs.replace(BY, options=["-v"])) is None
    assert begun_as(tmp_path / "none", plan, BY) is None


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run folder of stretto bench"):
        BenchFolder(tmp_path).record()
    (tmp_path / "bench.json").write_text("{")
    with pytest.raises(InputError, match=r"bench\.json cannot be read"):
        BenchFolder(tmp_path).record()


def test_what_a_kill_left_beside_the_samples_is_removed(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    measure(folder, 0, 0, "done 0 barrier\ndone 1 barrier\n")
    folder.finish([(0, 0)])
    left = folder.path / "launches" / "000-0" / "samples.parquet"
    left.touch()
    assert complete_as(folder.path, PLAN, BY) is not None
    assert not left.exists()
    left.touch()
    with pytest.raises(InputError, match="complete"):
        resume(folder.path, PLAN, BY)
    assert not left.exists()
