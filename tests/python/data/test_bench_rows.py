"""The files of a launch's ranks, also of one that was killed."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from stretto.data.bench_rows import (
    _ROW,
    SCHEMA,
    CellState,
    as_schema,
    read_facts,
    read_samples,
    read_states,
)
from stretto.errors import InputError


def rows(cell: int, *times: int, flags: int = 0) -> np.ndarray:
    made = np.zeros(len(times), _ROW)
    made["cell"], made["flags"], made["root"] = cell, flags, -1
    made["repetition"] = np.arange(len(times))
    made["leave_ns"] = times
    for name in ("started_ns", "computed_ns", "after_ns"):
        made[name] = -1
    return made


def write(folder: Path, rank: int, *parts: np.ndarray, more: bytes = b"") -> None:
    file = folder / f"rank-{rank}.rows"
    file.write_bytes(b"".join(part.tobytes() for part in parts) + more)


def test_all_ranks_rows_of_the_cells_that_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path, 0, rows(3, 10, 20), rows(4, 30))
    write(tmp_path, 1, rows(3, 11, 21, flags=1 | 2 | 4))
    found = read_samples(tmp_path, 2, [3], 5, "native")
    assert found.schema == SCHEMA
    assert found["leave_ns"].to_list() == [10, 20, 11, 21]
    assert found["rank"].to_list() == [0, 0, 1, 1]
    assert set(found["launch"]) == {5}
    assert found["started_ns"].is_null().all()
    flagged = found.filter(rank=1).select("warmup", "valid", "wrong").unique()
    assert flagged.rows() == [(True, False, True)]


def test_warm_ups_are_said_by_the_rows_that_count(tmp_path: Path) -> None:
    warm, counted = rows(0, 1, flags=1), rows(0, 2, 3, flags=8)
    counted["warmup_calls"] = 80
    write(tmp_path, 0, warm, counted)
    found = read_samples(tmp_path, 1, [0], 0, "native")
    assert found["warmup_calls"].to_list() == [None, 80, 80]
    assert found["changing"].to_list() == [False, True, True]


def test_samples_of_an_earlier_version_lack_what_it_did_not_know(tmp_path: Path) -> None:
    write(tmp_path, 0, rows(0, 1))
    found = read_samples(tmp_path, 1, [0], 0, "native")
    earlier = as_schema(found.drop("warmup_calls", "changing"))
    assert earlier.schema == SCHEMA
    assert earlier.select("warmup_calls", "changing").rows() == [(None, None)]


def test_a_row_that_a_kill_has_cut_off_is_none(tmp_path: Path) -> None:
    write(tmp_path, 0, rows(0, 1, 2), more=b"\0" * 20)
    assert read_samples(tmp_path, 1, [0], 0, "native")["leave_ns"].to_list() == [1, 2]


def test_a_rank_without_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"rank-0\.rows cannot be read"):
        read_samples(tmp_path, 1, [0], 0, "native")


def test_no_cells_are_no_rows(tmp_path: Path) -> None:
    write(tmp_path, 0, rows(0, 1))
    assert read_samples(tmp_path, 1, [], 0, "native").is_empty()
    assert isinstance(read_samples(tmp_path, 0, [0], 0, "native"), pl.DataFrame)


def test_states_are_the_last_that_is_said_of_each_cell(tmp_path: Path) -> None:
    assert read_states(tmp_path) == []
    (tmp_path / "progress").write_text(
        "begin 4 \ndone 4 barrier\nbegin 2 \nskipped 2 this MPI has no MPI_X\nnonsense\n"
        "begin 7 \ntimeout 7\nbegin 9 \ndone 1"
    )
    assert read_states(tmp_path) == [
        CellState(4, "done", "barrier"),
        CellState(2, "skipped", "this MPI has no MPI_X"),
        CellState(7, "timeout"),
        CellState(9, "begun"),
    ]


def test_facts_that_are_damaged_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"launch\.json cannot be read"):
        read_facts(tmp_path)
    (tmp_path / "launch.json").write_text("{")
    with pytest.raises(InputError, match=r"launch\.json cannot be read"):
        read_facts(tmp_path)
