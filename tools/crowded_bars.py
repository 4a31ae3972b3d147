"""Rows of bars.py where ranks share cores, against an MPI that yields them: its best setting."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from interleaved import measure, on_rig
from rich.progress import track
from rich.table import Table

from stretto.launch.base import Launcher
from stretto.launch.registry import InstalledLauncher
from stretto.launch.yielding import yielding

RANKS = 8
HOSTS = 4
RIG = f"{HOSTS}x{RANKS // HOSTS}@1gbit"
BYTES_PER_US = 125.0
BLOCKING = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
SIZES = (8, 4096, 262144, 4194304)
# Bytes that the busiest host must send, or receive, in units of a rank's (HOSTS hosts of two).
_FAR = RANKS - RANKS // HOSTS
_AT_LEAST = {
    "bcast": 1.0,
    "reduce": 1.0,
    "allreduce": 2 * (HOSTS - 1) / HOSTS,
    "gather": _FAR,
    "scatter": _FAR,
    "allgather": _FAR,
    "alltoall": _FAR * RANKS // HOSTS,
}


@dataclass(frozen=True)
class Place:
    """Where the ranks are, the bar of their ratio, and what the network takes at least."""

    name: str
    bar: str
    calls: int  # that take a second or so where they are short
    floor_us: Callable[[str, int], float] | None = None


def floor_us(name: str, size: int) -> float:
    """What the network between the hosts takes for it at least."""
    return _AT_LEAST.get(name.removeprefix("i"), 0.0) * size / BYTES_PER_US


def one_host(mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()) -> Table:
    """Eight ranks on the cores of one host; `only` cells like "scatter:8", where there are any."""
    return _cells(mpi, mpi, apps, runs, Place("one host", "1.00", 400), only)


def between_hosts(
    mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()
) -> Table:
    """Eight ranks of four hosts that share this machine's cores."""
    with on_rig(mpi, RIG) as launcher:
        return _cells(launcher, mpi, apps, runs, Place(RIG, "1.05", 100, floor_us), only)


def _cells(
    launcher: Launcher,
    mpi: InstalledLauncher,
    apps: Path,
    runs: int,
    place: Place,
    only: Collection[str],
) -> Table:
    table = Table(
        "collective",
        "bytes",
        "native us",
        "Stretto us",
        "Stretto / native",
        "bar",
        *(["floor us"] if place.floor_us else []),
        title=f"{mpi.name}, {RANKS} ranks, {place.name}, more ranks than cores; both yield",
    )
    names = [*BLOCKING, *(f"i{name}" for name in BLOCKING)]
    cases = [(name, size) for name in names for size in SIZES if "barrier" not in name or size == 8]
    if only:
        cases = [(name, size) for name, size in cases if f"{name}:{size}" in only]
    for name, size in track(cases, place.name, transient=True):
        calls = place.calls if size <= 4096 else max(2, place.calls * 4096 * 4 // size)
        argv = [str(apps / "latency"), name, str(size), str(calls)]
        got = measure(launcher, RANKS, argv, runs, both=yielding(mpi.abi))
        table.add_row(
            name,
            str(size) if "barrier" not in name else "",
            *got.sides("latency_us"),
            got.slowdown("latency_us"),
            place.bar,
            *([f"{place.floor_us(name, size):.0f}"] if place.floor_us else []),
        )
    return table
