from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import polars
import pytest
from stand_ins import PLAN

from stretto.data.provenance import collect
from stretto.data.run_folder import (
    RunFolder,
    create,
    create_next,
    make_numbered,
    resumable,
    resume,
    resume_newest,
)
from stretto.data.samples import Sample, Side
from stretto.errors import EnvironmentUnusable, InputError

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
    del folder  # as of a process that is gone
    for cut in range(len(whole)):
        journal.write_bytes(whole + whole[:cut])
        assert resumable(journal.parent, PLAN)
        again = resume(journal.parent)
        assert again is not None
        assert again.samples() == [sample(0)]
        again.append(sample(1))
        assert again.samples() == [sample(0), sample(1)]
        del again


def test_only_the_same_plan_resumes(tmp_path: Path) -> None:
    folder = create(tmp_path / "run", PLAN, PROVENANCE)
    other = msgspec.structs.replace(PLAN, ranks=3)
    assert resumable(folder.path, PLAN)
    assert not resumable(folder.path, other)
    folder.append(sample(0))
    folder.finish(0)
    assert not resumable(folder.path, PLAN)
    assert not resumable(tmp_path / "nothing", PLAN)


def test_numbers_count_up_and_an_unfinished_run_is_found_again(tmp_path: Path) -> None:
    assert resume_newest(tmp_path, PLAN) is None
    first = create_next(tmp_path, PLAN, PROVENANCE)
    assert first.path.name == "app-1"
    del first
    # Another run made meanwhile does not hide it.
    other = create_next(tmp_path, msgspec.structs.replace(PLAN, ranks=3), PROVENANCE)
    assert other.path.name == "app-2"
    found = resume_newest(tmp_path, PLAN)
    assert found is not None
    assert found.path.name == "app-1"
    found.append(sample(0))
    found.finish(0)
    assert resume_newest(tmp_path, PLAN) is None
    assert create_next(tmp_path, PLAN, PROVENANCE).path.name == "app-3"


def test_a_run_that_is_being_made_is_nobody_elses(tmp_path: Path) -> None:
    folder = create_next(tmp_path, PLAN, PROVENANCE)
    assert resume_newest(tmp_path, PLAN) is None
    second = create_next(tmp_path, PLAN, PROVENANCE)
    assert second.path != folder.path
    with pytest.raises(InputError, match="another stretto compare"):
        create(folder.path, PLAN, PROVENANCE)
    folder.append(sample(0))
    assert folder.samples() == [sample(0)]


def test_folders_made_at_once_are_different_ones(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: make_numbered(tmp_path, "app", 1), range(40)))
    assert len(set(made)) == 40


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = create(tmp_path / "run", PLAN, PROVENANCE)
    for damaged in (b"nonsense\n", b'{"checksum": "\xff"}\n'):
        (folder.path / "samples.jsonl").write_bytes(damaged)
        with pytest.raises(EnvironmentUnusable, match=r"samples.jsonl cannot be read"):
            folder.samples()
    (folder.path / "samples.parquet").write_text("nonsense")
    with pytest.raises(EnvironmentUnusable, match=r"samples.parquet cannot be read"):
        folder.samples()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        create_next(tmp_path / "file", PLAN, PROVENANCE)


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
    for damaged in (b'{"plan": 1}', b'{"plan": {"name": "\xff"}}'):
        (tmp_path / "run.json").write_bytes(damaged)
        with pytest.raises(InputError, match="cannot be read"):
            RunFolder(tmp_path).record()
