"""How much slower programs get on slower networks, as predicted from one trace and as they do on
rigs with that latency and bandwidth: a row of bars.py."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
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

# All of them hold frames back, so that what that itself costs is in all of them.
RIG = "2x1@1gbit,delay=100us,pin"
SLOWER_RIGS = {
    "2x1@1gbit,delay=200us,pin": 1.0,
    "2x1@1gbit,delay=500us,pin": 1.0,
    "2x1@1gbit,delay=2ms,pin": 1.0,
    "2x1@500mbit,delay=100us,pin": 2.0,
    "2x1@250mbit,delay=100us,pin": 4.0,
}
PROGRAMS = {
    "jacobi3d": ["96", "200"],
    "ft": ["64", "20"],
    "is": ["1048576", "20"],
}


@dataclass(frozen=True)
class Network:
    """A rig, and what a calibration on it found of the shortest message."""

    options: list[str]
    latency_ns: float


def tolerance(mpi: InstalledLauncher, runs: int) -> Table:
    """Of each program a trace from the first rig, and its real times there and on slower ones."""
    table = Table(
        "program", "rig", "latency added", "bandwidth", "real runs", "slower, measured",
        "predicted", "from one trace, 1 % slower by",
        title=f"Network tolerance, {mpi.abi}: against rig {RIG}",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        networks = {rig: _network(mpi, rig, folder) for rig in (RIG, *SLOWER_RIGS)}
        for program in track(PROGRAMS, "tolerance", transient=True):
            here = _run(mpi, program, runs, networks[RIG], folder, "--network-tolerance")
            whole = here["normal_s"]["median"]
            first = here["network_tolerance"]["bears"][0]
            bears = f"+{_time(first['added_latency_ns'])}, 1/{first['bandwidth_divisor'] or 0:.2f}"
            table.add_row(program, RIG, "", "", of(here["normal_s"]), "", "", bears)
            for rig, divisor in SLOWER_RIGS.items():
                added = networks[rig].latency_ns - networks[RIG].latency_ns if divisor == 1 else 0.0
                real = _run(mpi, program, runs, networks[rig], folder)["normal_s"]
                table.add_row(
                    "",
                    rig,
                    seconds(1e-9 * added) if added else "",
                    f"1/{divisor:g}" if divisor > 1 else "",
                    of(real),
                    percent(real["median"] / whole - 1),
                    percent(_predicted(folder, program, added, divisor)),
                    "",
                )
    return table


def _network(mpi: InstalledLauncher, rig: str, folder: str) -> Network:
    options = options_on_rig(mpi, rig)
    machine = read_machine(measured(folder, mpi.abi, *options))
    if rig == RIG:
        Path(_machine(folder)).write_bytes(Path(folder, "machine.toml").read_bytes())
    return Network(options, machine.level[-1].message[0].latency_ns)


def _machine(folder: str) -> str:
    return f"{folder}/base.toml"


def _run(
    mpi: InstalledLauncher, program: str, runs: int, on: Network, folder: str, *more: str
) -> dict[str, Any]:
    argv = [str(native.native_dir() / "apps" / mpi.abi / program), *PROGRAMS[program]]
    words = ["-n", "2", "--runs", str(runs), "--json", "--machine", _machine(folder), *on.options]
    if more:
        words += ["--output", f"{folder}/{program}"]
    answer = stretto("whatif", *words, *more, *argv, folder=folder)
    return dict(json.loads(answer.stdout))


def _predicted(folder: str, program: str, added_ns: float, divisor: float) -> float:
    run = Path(folder, program)
    text = (run / "scenarios.txt").read_text()
    on = TraceOnMachine(run / "tolerance.trace", text, read_machine(_machine(folder)))
    as_it_is, slower = times_on(on, [(0.0, 1.0), (added_ns, divisor)])
    return slower / as_it_is - 1


def _time(ns: float | None) -> str:
    return "any" if ns is None else seconds(1e-9 * ns)
