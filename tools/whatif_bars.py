"""How near virtual time is to real time, and what it costs: rows of bars.py."""

from __future__ import annotations

import re
import statistics
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path

from interleaved import measure, test_program
from rich.table import Table
from whatif_study import APPS, ask, of, stretto

from stretto import native
from stretto.launch.environment import SCENARIOS
from stretto.launch.registry import InstalledLauncher
from stretto.model.machine import read_machine
from stretto.model.scenarios import usual_scenarios
from stretto.report.words import percent, seconds

RIG = "4x1@200mbit"
# As it is by default, and about as long as the others: real runs of 30 ms are at times slower by a
# quarter from their beginning to their end.
AS_LONG = {"alltoall": ["1048576", "1000"]}
# So that 16 ranks compute for longer: in a few milliseconds one interruption shows.
LONGER = {
    "ft": ["128", "60"],
    "is": ["4194304", "60"],
    "mg": ["128", "60"],
    "alltoall": ["1048576", "100"],
    "abinit_like": ["32", "8192", "100"],
    "jacobi3d": ["128", "1000"],
    "transpose": ["2048", "20"],
}


def accuracy(runs: int, abi: str) -> Table:
    """sim against normal, where both are to be had; and on one core against on two."""
    table = Table(
        "2 ranks", "normal", "sim", "off by", "bar", "zero saves", "virtual/real run",
        "1 core/2", "bar", "8 B, calibrated", "real",
        title=f"What if, {abi}: 2 ranks on 2 cores, interleaved; sim on one core against on two",
    )  # fmt: skip
    for app in APPS:
        with tempfile.TemporaryDirectory() as folder:
            # Anew for each: virtual machines' cores are near each other or far apart by the minute.
            machine = measured(folder, abi)
            options = ("--runs", str(runs), "--machine", machine)
            words = AS_LONG.get(app)
            two = ask("whatif", app, 2, *options, abi=abi, arguments=words)
            one = ask("whatif", app, 2, *options, abi=abi, one_core=True, arguments=words)
        whole = two["scenarios_s"]["sim"]["median"]
        pace = two["short_exchange_s"]
        table.add_row(
            app,
            of(two["normal_s"]),
            of(two["scenarios_s"]["sim"]),
            percent(two["gap"]),
            "5 %",
            percent(two["gain"]["median"]),
            f"{two['virtual_wall_s']['median'] / two['normal_s']['median']:.2f}",
            percent(abs(one["scenarios_s"]["sim"]["median"] / whole - 1)),
            "10 %",
            seconds(pace["calibrated"]),
            f"{seconds(pace['real']['least'])} to {seconds(pace['real']['most'])}",
        )
    return table


def rig_check(mpi: InstalledLauncher, runs: int) -> Table:
    """Collectives in virtual time against real ones on a network that costs no CPU."""
    table = Table(
        "collective", "bytes", "real us", "virtual us", "off by", "bar",
        title=f"What if, {mpi.abi}: rig {RIG}, after calibration on it",
    )  # fmt: skip
    program = str(native.native_dir() / "apps" / mpi.abi / "latency")
    on_rig = options_on_rig(mpi)
    with tempfile.TemporaryDirectory() as folder:
        machine = measured(folder, mpi.abi, *on_rig, ranks=4)
        for collective, bytes_ in product(("bcast", "allreduce", "alltoall"), (8, 4096, 262144)):
            run = Path(folder) / f"{collective}-{bytes_}"
            words = ["-n", "4", *on_rig, "--runs", str(runs), "--output", str(run)]
            # Short ones often enough that the network's token buckets run dry.
            call = [program, collective, str(bytes_), "50" if bytes_ <= 4096 else "3"]
            answer = stretto("whatif", "--json", "--machine", machine, *words, *call)
            real = statistics.median(
                latency_us(file.read_text()) for file in run.glob("normal-*/stdout.txt")
            )
            virtual = latency_us(answer.stderr)
            table.add_row(
                collective, f"{bytes_:,}", f"{real:.1f}", f"{virtual:.1f}",
                percent(abs(virtual / real - 1)), "20 %",
            )  # fmt: skip
    return table


def patient(mpi: InstalledLauncher) -> InstalledLauncher:
    """The rig's hosts share this one's cores, of which Open MPI knows nothing: a rank that waits
    must leave its core to the one that it waits for."""
    return (
        replace(mpi, extra=("--mca", "mpi_yield_when_idle", "1")) if mpi.abi == "openmpi" else mpi
    )


def options_on_rig(mpi: InstalledLauncher, rig: str = RIG) -> list[str]:
    """The same for a verb."""
    words = patient(mpi).extra
    return ["--rig", rig, *(["--launcher-args", " ".join(words)] if words else [])]


def measured(folder: str, abi: str, *options: str, ranks: int = 2) -> str:
    """The file of a machine that was measured now."""
    machine = f"{folder}/machine.toml"
    program = str(native.native_dir() / "apps" / abi / "ft")
    stretto("calibrate", "-n", str(ranks), "-o", machine, *options, program)
    return machine


def latency_us(output: str) -> float:
    """The time of a call that `latency` prints."""
    match = re.search(r"(?m)^latency_us ([\d.]+)$", output)
    assert match, output
    return float(match[1])


def spread(runs: int, abi: str) -> Table:
    """How far runs with many more ranks than cores differ; and, in turn with them, how far real
    runs of 2 ranks do, each with a core: no virtual time is steadier than the machine."""
    table = Table(
        "16 ranks", "sim", "range", "bar", "2 ranks, normal", "range",
        title=f"What if, {abi}: {runs} runs",
    )  # fmt: skip
    for app in APPS:
        many, few = (
            ask("whatif", app, ranks, "--runs", str(runs), abi=abi, arguments=LONGER[app])
            for ranks in (16, 2)
        )
        sim, normal = many["scenarios_s"]["sim"], few["normal_s"]
        table.add_row(app, of(sim), range_of(sim), "5 %", of(normal), range_of(normal))
    return table


def range_of(times: dict[str, float]) -> str:
    return percent((times["most"] - times["least"]) / times["median"])


def cost_of_calls(mpi: InstalledLauncher, _apps: Path, runs: int) -> Table:
    """What virtual time costs a short call, with the three usual scenarios."""
    table = Table(
        "8 B",
        "native us",
        "in virtual time us",
        "more",
        "bar",
        title=f"{mpi.name}, one host, 2 pinned ranks: CPU time of a call",
    )
    with tempfile.TemporaryDirectory() as folder:
        scenarios = Path(folder) / "scenarios.txt"
        usual = usual_scenarios(read_machine("infiniband-100g"), ["alltoall"])
        scenarios.write_text("".join(each.for_the_library() for each in usual))
        env = {SCENARIOS: str(scenarios)}
        got = measure(mpi, 2, [test_program(mpi, "calls"), "100000"], runs, "whatif", env)
    for figure, bar in (("blocking_us", "0.5"), ("nonblocking_us", "0.5"), ("alltoall_us", "")):
        table.add_row(figure.removesuffix("_us"), *got.sides(figure), got.added(figure), bar)
    return table
