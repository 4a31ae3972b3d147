"""Rows of bars.py where ranks share cores, against an MPI that yields them: its best setting."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from interleaved import measure, on_rig
from rich.progress import track
from rich.table import Table

from stretto.launch.base import Launcher
from stretto.launch.environment import SELECTED
from stretto.launch.registry import InstalledLauncher
from stretto.launch.yielding import yielding

RIG = "4x2@1gbit"
BLOCKING = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
SIZES = (8, 4096, 65536, 262144)


def one_host(mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()) -> Table:
    """Four ranks on the cores of one host; `only` cells like "scatter:8", where there are any."""
    return _cells(mpi, mpi, apps, runs, 4, "4 ranks on one host", 1000, only)


def between_hosts(
    mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()
) -> Table:
    """Eight ranks of four hosts that share this machine's cores."""
    with on_rig(mpi, RIG) as launcher:
        return _cells(launcher, mpi, apps, runs, 8, RIG, 10, only)


def _cells(
    launcher: Launcher,
    mpi: InstalledLauncher,
    apps: Path,
    runs: int,
    ranks: int,
    where: str,
    quick: int,
    only: Collection[str],
) -> Table:
    table = Table(
        "collective",
        "bytes",
        "native us",
        "Stretto us",
        "Stretto / native",
        "bar",
        "its own / native",
        title=f"{mpi.name}, {where}, more ranks than cores; both yield",
    )
    names = [*BLOCKING, *(f"i{name}" for name in BLOCKING)]
    cases = [(name, size) for name in names for size in SIZES if "barrier" not in name or size == 8]
    if only:
        cases = [(name, size) for name, size in cases if f"{name}:{size}" in only]
    for name, size in track(cases, where, transient=True):
        calls = quick if size <= 4096 else max(1, quick // 10)
        argv = [str(apps / "latency"), name, str(size), str(calls)]
        got = measure(launcher, ranks, argv, runs, both=yielding(mpi.abi))
        # What Stretto would take itself, where it leaves the call to the MPI.
        env = {SELECTED: "stretto"}
        own = measure(launcher, ranks, argv, runs, env=env, both=yielding(mpi.abi))
        table.add_row(
            name,
            str(size) if "barrier" not in name else "",
            *got.sides("latency_us"),
            got.slowdown("latency_us"),
            "1.10",
            own.slowdown("latency_us"),
        )
    return table
