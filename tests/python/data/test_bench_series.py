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

RECORD = SeriesRecord(
    "cliffs", {"within": 64}, LaunchedBy("mpirun", [], "libmpi.so"), mpi="An MPI 1.0"
)


def begun(path: Path) -> Path:
    (path / "sizes").mkdir(parents=True)
    begin_series(path, RECORD)
    (path / "sizes" / "bench.json").touch()
    return path


def test_what_was_cut_short_is_found_by_what_was_asked(tmp_path: Path) -> None:
    path = begun(tmp_path / "cliffs-1")
    for other, said in (
        (replace(RECORD, asked={"within": 8}), "within was 64, now 8"),
        (
            replace(RECORD, by=LaunchedBy("other", [], "libmpi.so")),
            "launcher was mpirun, now other",
        ),
        (replace(RECORD, rig="2 hosts"), "rig was not set, now 2 hosts"),
        (
            replace(RECORD, variables={"OMPI_MCA_coll": "basic"}),
            "OMPI_MCA_coll was not set, now basic",
        ),
        (replace(RECORD, mpi="An MPI 1.1"), "the MPI was An MPI 1.0, now An MPI 1.1"),
    ):
        assert resume_newest_series(tmp_path, other) is None
        with pytest.raises(InputError, match=f"another stretto bench cliffs: {said}; name"):
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


@pytest.mark.parametrize("unknown", ["then", "now"])
def test_an_mpi_that_is_not_known_is_no_other(unknown: str, tmp_path: Path) -> None:
    nameless = replace(RECORD, mpi="")
    path = tmp_path / "cliffs-1"
    path.mkdir()
    begin_series(path, nameless if unknown == "then" else RECORD)
    (path / "sizes").mkdir()
    (path / "sizes" / "bench.json").touch()
    found = resume_series(path, RECORD if unknown == "then" else nameless)
    assert found is not None
    assert found.has_runs


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
