"""A row of bars.py: what a gather whose senders take turns costs each rank."""

from __future__ import annotations

from pathlib import Path

from interleaved import measure, on_rig
from rich.progress import track
from rich.table import Table

from stretto.launch.environment import SELECTION
from stretto.launch.registry import InstalledLauncher

RIG = "4x1@1gbit"
SIZES = (65536, 1048576, 4194304)


def ordered_gather(mpi: InstalledLauncher, apps: Path, runs: int) -> Table:
    """One call at a time, after a barrier: until the last rank goes on, and a rank's mean."""
    table = Table(
        "bytes", "algorithm", "native: last us", "Stretto: last us", "native: mean us",
        "Stretto: mean us", "mean, times faster", "bar",
        title=f"{mpi.name}, {RIG}: gather",
    )  # fmt: skip
    with on_rig(mpi, RIG) as launcher:
        for size in track(SIZES, "ordered gather", transient=True):
            for algorithm in ("linear", "ordered"):
                argv = [str(apps / "latency"), "gather", str(size), "1"]
                env = {f"{SELECTION}GATHER": algorithm}
                got = measure(launcher, 4, argv, runs, env=env)
                table.add_row(
                    f"{size:,}", algorithm, *got.sides("latency_us"), *got.sides("mean_us"),
                    got.speedup("mean_us"), "1.3" if algorithm == "ordered" else "",
                )  # fmt: skip
    return table
