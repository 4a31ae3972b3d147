"""The simulator's speed, and its times where others have published theirs: rows of bars.py."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.progress import track
from rich.table import Table

from stretto.data.schedules import Simulated
from stretto.model.machine import read_machine
from stretto.native.schedules import simulate

DOUBLING = "allreduce recursive_doubling --count 1"
DISSEMINATION = "barrier dissemination --signal-bytes 8"
Figure = Callable[[Simulated], float]


def events_a_second(got: Simulated) -> float:
    return got.events / got.run_s * 1e-6


def messages_a_second(got: Simulated) -> float:
    return got.messages / got.run_s * 1e-6


def seconds_in_all(got: Simulated) -> float:
    return got.build_s + got.run_s


# What, how, the figure of it, its bar.
ROWS: list[tuple[str, str, Figure, str]] = [
    (
        "event engine, M events/s",
        f"{DOUBLING} --ranks 4096 --path events",
        events_a_second,
        ">= 10",
    ),
    ("the same", "alltoall linear --count 1 --ranks 512", events_a_second, ">= 10"),
    ("the same", f"{DOUBLING} --ranks 65536 --path events", events_a_second, ">= 10"),
    ("vector path, M messages/s", f"{DISSEMINATION} --ranks 16384", messages_a_second, ">= 500"),
    ("the same", "alltoall pairwise --count 1 --ranks 4096", messages_a_second, ">= 500"),
    ("the same", f"{DOUBLING} --ranks 1048576", messages_a_second, ">= 500"),
    ("all in all, s", f"{DOUBLING} --ranks 1048576", seconds_in_all, "< 1"),
    ("all in all, s", "alltoall linear --count 1 --ranks 1024", seconds_in_all, "< 5"),
    ("virtual time, ns", f"{DISSEMINATION} --ranks 65536", lambda got: got.end_ns, "= 88,672"),
    ("virtual time, ns", f"{DISSEMINATION} --ranks 262144", lambda got: got.end_ns, "= 99,756"),
]


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def simulator(runs: int) -> Table:
    """One core; the machine is LogGOPSim's defaults."""
    table = Table("what", "of", "median (min-max)", "bar", title="stretto simulate, 8 B messages")
    with tempfile.NamedTemporaryFile("w", prefix="stretto-", suffix=".machine") as machine:
        machine.write(read_machine("loggopsim").for_the_tool())
        machine.flush()
        for what, how, figure, bar in track(ROWS, "simulator", transient=True):
            values = [figure(run_once(how, Path(machine.name))) for _ in range(runs)]
            middle, least, most = statistics.median(values), min(values), max(values)
            table.add_row(what, how, f"{shown(middle)} ({shown(least)}-{shown(most)})", bar)
    return table


def run_once(how: str, machine: Path) -> Simulated:
    collective, algorithm, *options = how.split()
    return simulate(
        collective, algorithm, [*options, "--element-bytes", "8", "--machine", str(machine)]
    )
