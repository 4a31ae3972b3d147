"""The raw samples that the ranks of a benchmark write, as one table."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import polars as pl

from stretto.data.rows import read_rows
from stretto.errors import InputError

# As src/bench/suite/rows.hpp has them.
_ROW = np.dtype(
    [
        ("cell", "<i4"),
        ("repetition", "<i4"),
        ("root", "<i4"),
        ("flags", "<u4"),
        ("group", "<i4"),
        ("warmup_calls", "<i4"),
        ("arrived_ns", "<i8"),
        ("enter_ns", "<i8"),
        ("started_ns", "<i8"),
        ("computed_ns", "<i8"),
        ("leave_ns", "<i8"),
        ("after_ns", "<i8"),
        ("in_tests_ns", "<i8"),
    ]
)
_WARMUP, _INVALID, _WRONG, _CHANGING = 1, 2, 4, 8
_NOT_TAKEN = -1

# The columns of samples.parquet. Times are ns of the launch's clock, null where a cell has none.
SCHEMA = pl.Schema(
    {
        "launch": pl.Int64(),
        "implementation": pl.String(),
        "cell": pl.Int64(),
        "rank": pl.Int64(),
        "repetition": pl.Int64(),
        "root": pl.Int64(),
        "group": pl.Int64(),  # of several that are measured at once
        "warmup": pl.Boolean(),
        "valid": pl.Boolean(),
        "wrong": pl.Boolean(),
        "warmup_calls": pl.Int64(),  # before those that count; null within the warm-up
        "changing": pl.Boolean(),  # these calls had not come to be alike
        "arrived_ns": pl.Int64(),
        "enter_ns": pl.Int64(),
        "started_ns": pl.Int64(),
        "computed_ns": pl.Int64(),
        "leave_ns": pl.Int64(),
        "after_ns": pl.Int64(),
        "in_tests_ns": pl.Int64(),
    }
)
# Columns that runs of earlier versions have not.
_ADDED = ("warmup_calls", "changing")


class LaunchFacts(msgspec.Struct, frozen=True):
    """launch.json: what rank 0 found out about where it runs."""

    mpi: str
    ranks: int
    hosts: int
    crowded: bool
    clock: str  # the least simple model of a rank's clock: shared, constant, linear
    clock_residual_ns: float
    clock_uncertainty_ns: float
    init_ns: int
    host_of_rank: list[int]
    clock_readings: int = 0  # not in runs of earlier versions


class CellState(msgspec.Struct, frozen=True):
    """How a cell ended in one launch."""

    cell: int
    state: str  # done, skipped, wrong, timeout, failed
    why: str = ""  # of done: the scheme by which ranks were synchronised


def read_facts(folder: Path) -> LaunchFacts:
    """Of a launch that came so far. Raises InputError."""
    file = folder / "launch.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=LaunchFacts)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}") from None


def read_states(folder: Path) -> list[CellState]:
    """What the progress of a launch says of its cells; the one that was cut short is "begun"."""
    states: dict[int, CellState] = {}
    try:
        lines = (folder / "progress").read_text(errors="replace").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    for line in lines:
        words = line.split(maxsplit=2)
        if not line.endswith("\n") or len(words) < 2 or not words[1].isdecimal():
            continue  # cut off by a kill
        cell = int(words[1])
        state = "begun" if words[0] == "begin" else words[0]
        states[cell] = CellState(cell, state, words[2].strip() if len(words) > 2 else "")
    return list(states.values())


def read_samples(
    folder: Path, ranks: int, cells: Collection[int], launch: int, implementation: str
) -> pl.DataFrame:
    """The rows of all ranks of a launch that are of `cells`, as SCHEMA has them."""
    wanted = np.array(sorted(cells), _ROW["cell"])
    parts = []
    for rank in range(ranks):
        rows = read_rows(_whole(folder / f"rank-{rank}.rows"), _ROW, {})
        parts.append(rows[np.isin(rows["cell"], wanted)])
    # One table of all: thousands of tables take longer than the rows that are in them.
    together = np.concatenate(parts) if parts else np.empty(0, _ROW)
    of_rank = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])
    return (
        _frame(together)
        .with_columns(
            launch=pl.lit(launch, pl.Int64),
            implementation=pl.lit(implementation, pl.String),
            rank=pl.Series(of_rank, dtype=pl.Int64),
        )
        .select(SCHEMA.names())
    )


def _whole(file: Path) -> Path:
    """A row that a kill has cut off is not one."""
    try:
        size = file.stat().st_size
        if rest := size % _ROW.itemsize:
            with file.open("r+b") as open_file:
                open_file.truncate(size - rest)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}") from None
    return file


def _frame(rows: np.ndarray) -> pl.DataFrame:
    flags = rows["flags"]
    frame = pl.DataFrame(
        {name: rows[name].astype(np.int64) for name in (_ROW.names or ()) if name != "flags"}
    )
    times = [name for name in frame.columns if name.endswith("_ns")]
    return frame.with_columns(
        pl.Series("warmup", flags & _WARMUP != 0),
        pl.Series("valid", flags & _INVALID == 0),
        pl.Series("wrong", flags & _WRONG != 0),
        pl.Series("changing", flags & _CHANGING != 0),
        pl.when(pl.Series(flags & _WARMUP == 0)).then("warmup_calls").alias("warmup_calls"),
        pl.col(times).replace(_NOT_TAKEN, None),
    )


_Samples = TypeVar("_Samples", pl.DataFrame, pl.LazyFrame)


def as_schema(samples: _Samples) -> _Samples:
    """Samples of a run of this version or an earlier one, which knew less: null there."""
    known = samples.collect_schema().names()
    missing = [name for name in _ADDED if name not in known]
    nothing = [pl.lit(None, SCHEMA[name]).alias(name) for name in missing]
    return samples.with_columns(nothing).select(SCHEMA.names())


def over_launches(
    launches: Iterable[pl.DataFrame], *figures: Callable[[pl.DataFrame], pl.DataFrame]
) -> list[pl.DataFrame]:
    """What each of `figures` makes of the samples of one launch, for all launches together.

    It is how everything of a run is worked out: of a large one only the samples of the launch that
    is looked at are in memory. Figures are of one launch each, as a rank's median in it is.
    """
    parts = [[figure(samples) for figure in figures] for samples in launches]
    if not parts:
        parts = [[figure(pl.DataFrame(schema=SCHEMA)) for figure in figures]]
    return [pl.concat(each) for each in zip(*parts, strict=True)]


def joined(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Several launches' rows as one table."""
    frames = list(parts)
    return pl.concat(frames) if frames else pl.DataFrame(schema=SCHEMA)


def require_all_ranks(samples: pl.DataFrame, folder: Path) -> None:
    """Raise InputError unless the ranks of each cell and group have as many rows as each other.

    Rank 0 says how many repetitions follow: what lacks has not arrived on this file system, say,
    and the files it is missing from must stay.
    """
    rows = samples.group_by("cell", "group", "rank").len()
    differ = rows.group_by("cell", "group").agg(pl.col("len").n_unique() > 1).filter("len")
    if differ.height:
        cell = differ["cell"].to_list()[0]
        raise InputError(f"{folder}: of cell {cell} some ranks have fewer rows than others")
