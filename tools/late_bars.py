"""Rows of bars.py about ranks that come late to a collective: whom do they keep waiting?"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from interleaved import measure, on_rig
from rich.progress import track
from rich.table import Table

from stretto.launch.base import Launcher
from stretto.launch.environment import SELECTION
from stretto.launch.registry import InstalledLauncher
from stretto.launch.yielding import yielding

RIG = "4x4@1gbit"
ONE_HOST_RANKS = 8
RIG_RANKS = 16
LATENESS_MS = 20
CALLS = 7
SIZES = (8, 4096, 65536, 1048576)
# In these nobody needs to pass anything on.
LINEAR = ("bcast", "scatter", "gather")
OTHERS = ("reduce", "allreduce", "allgather")
BAR = "5"


def one_host(mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()) -> Table:
    """More ranks than this machine may have cores; `only` cells like "bcast:65536"."""
    return _cells(mpi, mpi, ONE_HOST_RANKS, apps, runs, "one host", only)


def between_hosts(
    mpi: InstalledLauncher, apps: Path, runs: int, only: Collection[str] = ()
) -> Table:
    """Four hosts of four ranks each, on a network of their own."""
    with on_rig(mpi, RIG) as launcher:
        return _cells(launcher, mpi, RIG_RANKS, apps, runs, RIG, only)


def _cells(
    launcher: Launcher,
    mpi: InstalledLauncher,
    ranks: int,
    apps: Path,
    runs: int,
    place: str,
    only: Collection[str],
) -> Table:
    table = Table(
        "collective", "bytes", "algorithm", "native: worst", "Stretto: worst", "native: median",
        "Stretto: median", "bar of the worst",
        title=f"{mpi.name}, {ranks} ranks, {place}: needless waiting, % of {LATENESS_MS} ms",
    )  # fmt: skip
    cases = [
        (name, size, algorithm)
        for name in (*LINEAR, *OTHERS)
        for size in SIZES
        for algorithm in (("automatic", "linear") if name in LINEAR else ("automatic",))
        if not only or f"{name}:{size}" in only
    ]
    for name, size, algorithm in track(cases, place, transient=True):
        argv = [str(apps / "late"), name, str(size), str(LATENESS_MS), str(CALLS)]
        env = {} if algorithm == "automatic" else {f"{SELECTION}{name.upper()}": algorithm}
        got = measure(launcher, ranks, argv, runs, env=env, both=yielding(mpi.abi))
        table.add_row(
            name, f"{size:,}", algorithm, *got.sides("worst_percent"),
            *got.sides("median_percent"), BAR if name in LINEAR else "",
        )  # fmt: skip
    return table
