"""A folder of several runs: begun, cut short, gone on with, complete."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from stretto.data.bench_folder import LaunchedBy
from stretto.data.bench_series import (
    SeriesRecord,
    begin_series,
    resume_newest_series,
    resume_series,
)
from stretto.errors import InputError

RECORD = SeriesRecord("cliffs", {"within": 64}, LaunchedBy("mpirun", [], "libmpi.so"))


def begun(path: Path) -> Path:
    (path / "sizes").mkdir(parents=True)
    begin_series(path, RECORD)
    (path / "sizes" / "bench.json").touch()
    return path


def test_what_was_cut_short_is_found_by_what_was_asked(tmp_path: Path) -> None:
    path = begun(tmp_path / "cliffs-1")
    for other in (
        replace(RECORD, asked={"within": 8}),
        replace(RECORD, by=LaunchedBy("other", [], "libmpi.so")),
        replace(RECORD, rig="2 hosts"),
        replace(RECORD, variables={"OMPI_MCA_coll": "basic"}),
    ):
        assert resume_newest_series(tmp_path, other) is None
        with pytest.raises(
            InputError, match="bench cliffs with other options, variables or another"
        ):
            resume_series(path, other)
    found = resume_newest_series(tmp_path, RECORD)
    assert found is not None
    assert found.path == path
    with pytest.raises(InputError, match="written by another"):
        resume_series(path, RECORD)  # this process makes it
    found.finish([])
    assert (path / "cliffs.json").read_text() == "[]\n"
    del found
    with pytest.raises(InputError, match="complete"):
        resume_series(path, RECORD)
    assert resume_newest_series(tmp_path, RECORD) is None


def test_what_was_refused_before_it_began_is_in_nobodys_way(tmp_path: Path) -> None:
    path = begun(tmp_path / "cliffs-1")
    (path / "sizes" / "bench.json").unlink()
    other = replace(RECORD, asked={"within": 8})
    found = resume_series(path, other)
    assert found is not None
    assert (found.record, found.has_runs) == (other, False)
    with pytest.raises(InputError, match="written by another"):
        resume_series(path, RECORD)
    del found
    again = resume_series(path, other)
    assert again is not None


def test_what_is_none_is_none_and_what_is_damaged_is_said(tmp_path: Path) -> None:
    assert resume_series(tmp_path / "none", RECORD) is None
    assert resume_newest_series(tmp_path / "none", RECORD) is None
    path = begun(tmp_path / "cliffs-1")
    (path / "series.json").write_text("{")
    with pytest.raises(InputError, match=r"series\.json cannot be read"):
        resume_series(path, RECORD)
    assert resume_newest_series(tmp_path, RECORD) is None
