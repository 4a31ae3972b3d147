"""The simulator's times of the library's algorithms against the live engine's: a row of bars.py."""

from __future__ import annotations

import json
import statistics
import tempfile
from itertools import product

from interleaved import figures, on_rig, run_once
from rich.progress import track
from rich.table import Table
from whatif_bars import RIG, measured, options_on_rig, patient
from whatif_study import stretto

from stretto import native
from stretto.launch.base import Launcher
from stretto.launch.environment import rank_environment
from stretto.launch.registry import InstalledLauncher
from stretto.report.words import percent

COLLECTIVES = ("bcast", "allreduce", "alltoall")
SIZES = (8, 4096, 262144)


def simulated(collective: str, bytes_: int, ranks: int, machine: str) -> dict[str, float]:
    """Each algorithm's time, us."""
    words = ["-n", str(ranks), "--bytes", str(bytes_), "--machine", machine, "--no-scaling"]
    answer = json.loads(stretto("simulate", "--json", collective, *words).stdout)
    return {each["algorithm"]: each["end_ns"] / 1e3 for each in answer}


def live(
    launcher: Launcher, collective: str, algorithm: str, bytes_: int, ranks: int, runs: int
) -> float:
    """The median of the runs, us."""
    program = str(native.native_dir() / "apps" / launcher.abi / "latency")
    # One call at a time, after a barrier, as the simulator has them: more would overlap.
    call = [program, collective, str(bytes_), "1"]
    env = rank_environment(native.drop_in(launcher.abi), {collective: algorithm}, verbose=False)
    outputs = [run_once(launcher, ranks, call, env) for _ in range(runs)]
    return statistics.median(figures(each)["latency_us"] for each in outputs)


def simulator_live(mpi: InstalledLauncher, runs: int) -> Table:
    """On one host, where each rank has a core, and on the rig; each machine measured first."""
    table = Table(
        "on", "collective", "algorithm", "bytes", "live us", "simulated us", "off by",
        title=f"{mpi.name}: stretto simulate against the live engine, after calibration",
    )  # fmt: skip
    add_rows(table, "one host", 2, mpi, runs)
    with on_rig(patient(mpi), RIG) as launcher:
        add_rows(table, RIG, 4, launcher, runs, *options_on_rig(mpi))
    return table


def add_rows(
    table: Table, place: str, ranks: int, launcher: Launcher, runs: int, *options: str
) -> None:
    cases = list(product(COLLECTIVES, SIZES))
    with tempfile.TemporaryDirectory() as folder:
        machine = measured(folder, launcher.abi, *options, ranks=ranks)
        for collective, bytes_ in track(cases, place, transient=True):
            for algorithm, foretold in simulated(collective, bytes_, ranks, machine).items():
                real = live(launcher, collective, algorithm, bytes_, ranks, runs)
                table.add_row(
                    place, collective, algorithm, f"{bytes_:,}", f"{real:.1f}",
                    f"{foretold:.1f}", percent(abs(foretold / real - 1)),
                )  # fmt: skip
