"""Rows of bars.py of whole programs: those that Stretto can do nothing for must not pay for it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from interleaved import Measured, measure, on_rig
from rich.progress import track
from rich.table import Table

from stretto.launch.registry import InstalledLauncher
from stretto.launch.yielding import yielding
from stretto.stats.ratio import paired_ratio


@dataclass(frozen=True)
class Place:
    """Where programs run, and how many ranks."""

    name: str
    ranks: int
    programs: tuple[str, ...]
    rig: str | None = None
    crowded: bool = False  # the MPI's ranks yield then, on both sides


# Programs that take a third of a second or more natively.
PLACES = (
    Place(
        "one host",
        2,
        (
            "transpose 1024 4",
            "jacobi3d 128 200 1",
            "relaxation 65536 150",
            "ft 128 12",
            "is 4194304 20",
            "mg 128 30",
            "abinit_like 32 8192 30",
        ),
    ),
    Place(
        "one crowded host",
        8,
        (
            "transpose 1024 4",
            "jacobi3d 96 600 1",
            "relaxation 65536 150",
            "ft 64 300",
            "is 4194304 30",
            "mg 64 150",
            "abinit_like 32 8192 30",
        ),
        crowded=True,
    ),
    Place(
        "2x1@200mbit,pin",
        2,
        (
            "transpose 1024 4",
            "jacobi3d 96 100 1",
            "jacobi3d 160 30 1",
            "relaxation 65536 80",
            "relaxation 131072 40",
            "ft 64 8",
            "is 1048576 4",
            "mg 64 30",
            "abinit_like 16 4096 10",
        ),
        rig="2x1@200mbit,pin",
    ),
)
CROWDED_HOSTS = Place(
    "4x2@1gbit",
    8,
    ("transpose", "jacobi3d", "relaxation", "abinit_like", "is 4194304 6"),
    rig="4x2@1gbit",
    crowded=True,
)


def programs(mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()) -> Table:
    """The sample applications wherever they are promised to be no slower.

    `only` names places, programs or both: `2x1@200mbit,pin:jacobi3d`, `ft`, `one host`; empty: all.
    """
    table = _table(f"{mpi.name}: programs that nothing was changed in")
    for place in PLACES:
        kept = tuple(program for program in place.programs if _asked(place, program, only))
        _add_rows(table, mpi, apps, runs, replace(place, programs=kept), "0.98")
    return table


def between_crowded_hosts(mpi: InstalledLauncher, apps: Path, runs: int) -> Table:
    """On more ranks than cores, of several hosts."""
    table = _table(f"{mpi.name}: programs on more ranks than cores; both sides yield")
    _add_rows(table, mpi, apps, runs, CROWDED_HOSTS, "0.97")
    return table


def _asked(place: Place, program: str, only: Collection[str]) -> bool:
    name = program.split(maxsplit=1)[0]
    return not only or not {place.name, name, f"{place.name}:{name}"}.isdisjoint(only)


def _table(title: str) -> Table:
    columns = ("where", "program", "native s", "Stretto s", "native / Stretto", "interval", "bar")
    return Table(*columns, title=title)


def _add_rows(
    table: Table, mpi: InstalledLauncher, apps: Path, runs: int, place: Place, bar: str
) -> None:
    both = yielding(mpi.abi) if place.crowded else {}
    with on_rig(mpi, place.rig) if place.rig else nullcontext(mpi) as launcher:
        for program in track(place.programs, place.name, transient=True):
            name, *arguments = program.split()
            argv = [str(apps / name), *arguments]
            got = measure(launcher, place.ranks, argv, runs, both=both)
            figures = (*got.sides("time"), got.speedup("time"), _interval(got))
            table.add_row(f"{place.name}, {place.ranks} ranks", program, *figures, bar)


def _interval(got: Measured) -> str:
    """Of the median of the pairs' ratios; where it is wholly below the bar a program pays."""
    times = ([run["time"] for run in side] for side in (got.native, got.stretto))
    interval = paired_ratio(*times).interval
    return f"{interval.low:.2f}-{interval.high:.2f}" if interval else ""
