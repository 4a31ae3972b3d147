"""How much slower programs get on slower networks, as predicted from one trace and as they do on
rigs with that latency and bandwidth: a row of bars.py."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table
from whatif_bars import measured, options_on_rig
from whatif_study import of, stretto

from stretto import native
from stretto.launch.registry import InstalledLauncher
from stretto.model.machine import read_machine
from stretto.native.network_tolerance import TraceOnMachine, times_on
from stretto.report.words import percent, seconds

# Slow enough for TCP to cost the ranks little. All of them hold frames back, so that what that
# itself costs is in all of them.
RIG = "2x1@200mbit,delay=100us,pin"
# What is added to the latency, in ns, and how many times as long bytes take.
SLOWER_RIGS = {
    "2x1@200mbit,delay=200us,pin": (100e3, 1.0),
    "2x1@200mbit,delay=500us,pin": (400e3, 1.0),
    "2x1@200mbit,delay=2ms,pin": (1900e3, 1.0),
    "2x1@100mbit,delay=100us,pin": (0.0, 2.0),
    "2x1@50mbit,delay=100us,pin": (0.0, 4.0),
}
PROGRAMS = {
    "jacobi3d": ["96", "200"],
    "ft": ["64", "20"],
    "is": ["1048576", "20"],
}


def tolerance(mpi: InstalledLauncher, runs: int) -> Table:
    """Of each program a trace from the first rig, and its real times there and on slower ones."""
    table = Table(
        "program", "rig", "real runs", "slower, measured", "predicted", "1 % slower by",
        title=f"Network tolerance, {mpi.abi}: against rig {RIG}",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        machine = measured(folder, mpi.abi, *options_on_rig(mpi, RIG))
        for program in track(PROGRAMS, "tolerance", transient=True):
            run = Path(folder, program)
            options = ("--network-tolerance", "--output", str(run))
            here = _run(mpi, program, runs, RIG, machine, *options)
            whole = here["normal_s"]["median"]
            table.add_row(program, RIG, of(here["normal_s"]), "", "", _bears(here))
            trace = TraceOnMachine(
                run / "tolerance.trace", (run / "scenarios.txt").read_text(), read_machine(machine)
            )
            as_it_is, *predicted = times_on(trace, [(0.0, 1.0), *SLOWER_RIGS.values()])
            for rig, time in zip(SLOWER_RIGS, predicted, strict=True):
                real = _run(mpi, program, runs, rig, machine)["normal_s"]
                slower = percent(real["median"] / whole - 1)
                table.add_row("", rig, of(real), slower, percent(time / as_it_is - 1), "")
    return table


def _run(
    mpi: InstalledLauncher, program: str, runs: int, rig: str, machine: str, *more: str
) -> dict[str, Any]:
    argv = [str(native.native_dir() / "apps" / mpi.abi / program), *PROGRAMS[program]]
    words = ["-n", "2", "--runs", str(runs), "--json", "--machine", machine]
    with tempfile.TemporaryDirectory() as folder:
        answer = stretto("whatif", *words, *options_on_rig(mpi, rig), *more, *argv, folder=folder)
    return dict(json.loads(answer.stdout))


def _bears(answer: dict[str, Any]) -> str:
    first = answer["network_tolerance"]["bears"][0]
    latency, divisor = first["added_latency_ns"], first["bandwidth_divisor"]
    words = ("any latency" if latency is None else f"+{seconds(1e-9 * latency)}",)
    words += ("any bandwidth" if divisor is None else f"1/{divisor:.3g} of the bandwidth",)
    return ", ".join(words)
