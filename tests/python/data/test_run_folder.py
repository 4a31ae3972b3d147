from pathlib import Path

import msgspec
import polars
import pytest
from stand_ins import PLAN

from stretto.data.provenance import collect
from stretto.data.run_folder import (
    RunFolder,
    create,
    default_path,
    resumable,
    resume,
)
from stretto.data.samples import Sample, Side
from stretto.errors import InputError

PROVENANCE = collect(
    argv=["stretto"],
    program=Path("/bin/true"),
    mpi_library=None,
    drop_in=Path("/lib/x.so"),
    native_command=[],
    stretto_command=[],
)


def sample(order: int, side: Side = Side.NATIVE, own: float | None = 0.5) -> Sample:
    return Sample(order, order // 2, side, "2026-01-01T00:00:00", own, 1.5, None, 0, False)


def test_samples_survive_until_the_parquet_file(tmp_path: Path) -> None:
    folder = create(tmp_path / "run", PLAN, PROVENANCE)
    samples = [sample(0, own=None), sample(1, Side.STRETTO)]
    for each in samples:
        folder.append(each)
    assert folder.samples() == samples
    assert not folder.complete
    folder.finish(load_after=0.25)
    assert folder.complete
    assert folder.samples() == samples
    assert folder.record().load_after == 0.25
    assert folder.record().plan == PLAN
    assert sorted(path.name for path in folder.path.iterdir()) == ["run.json", "samples.parquet"]
    rows = polars.read_parquet(folder.path / "samples.parquet")
    assert rows["own_time_s"].to_list() == [None, 0.5]


def test_a_kill_in_the_middle_of_a_write_loses_that_sample_only(tmp_path: Path) -> None:
    folder = create(tmp_path / "run", PLAN, PROVENANCE)
    folder.append(sample(0))
    journal = folder.path / "samples.jsonl"
    whole = journal.read_bytes()
    for cut in range(len(whole)):
        journal.write_bytes(whole + whole[:cut])
        assert resumable(folder.path, PLAN)
        again = resume(folder.path)
        assert again.samples() == [sample(0)]
        again.append(sample(1))
        assert again.samples() == [sample(0), sample(1)]


def test_only_the_same_plan_resumes(tmp_path: Path) -> None:
    folder = create(tmp_path / "run", PLAN, PROVENANCE)
    other = msgspec.structs.replace(PLAN, ranks=3)
    assert resumable(folder.path, PLAN)
    assert not resumable(folder.path, other)
    folder.append(sample(0))
    folder.finish(0)
    assert not resumable(folder.path, PLAN)
    assert not resumable(tmp_path / "nothing", PLAN)


def test_default_paths_count_up_and_return_to_an_unfinished_run(tmp_path: Path) -> None:
    first = default_path(tmp_path, PLAN)
    assert first.name == "app-1"
    folder = create(first, PLAN, PROVENANCE)
    assert default_path(tmp_path, PLAN) == first
    folder.append(sample(0))
    folder.finish(0)
    assert default_path(tmp_path, PLAN).name == "app-2"


def test_an_older_run_is_replaced_and_anything_else_is_not(tmp_path: Path) -> None:
    create(tmp_path / "run", PLAN, PROVENANCE).append(sample(0))
    assert create(tmp_path / "run", PLAN, PROVENANCE).samples() == []
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else"):
        create(mine, PLAN, PROVENANCE)
    assert (mine / "thesis.tex").exists()


def test_what_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run folder"):
        RunFolder(tmp_path).record()
    (tmp_path / "run.json").write_text('{"plan": 1}')
    with pytest.raises(InputError, match="cannot be read"):
        RunFolder(tmp_path).record()
