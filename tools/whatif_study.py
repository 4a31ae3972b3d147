"""What would free collectives gain? The study of 2006 (Riesen, Vaughan, Hoefler), run again.

Prints, for each sample application on 4 and 16 ranks, minimum, median and maximum of its time as
it is (normal), in virtual time (sim) and with free collectives (zero), and how often it uses each
collective. So it does for abinit and hpcc where they are installed for Open MPI (Debian's packages
abinit, abinit-data and hpcc). Usage: make whatif-study, or

    .venv/bin/python tools/whatif_study.py --ranks 4 --runs 5 --only ft
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from stretto import native
from stretto.launch.cores import usable_cores
from stretto.report.words import percent, seconds

STRETTO = Path(sys.executable).with_name("stretto")
RIG = "4x1@200mbit"
# Sizes that 1, 2, 4, 8 and 16 ranks divide.
APPS = {
    "ft": ["128", "10"],
    "is": ["4194304", "10"],
    "mg": ["128", "10"],
    "alltoall": ["1048576", "100"],
    "abinit_like": ["32", "8192", "10"],
    "jacobi3d": ["128", "50"],
    "transpose": [],
}
# So that 16 ranks compute for a second or so: in a few milliseconds one interruption shows.
LONGER = {
    "ft": ["128", "60"],
    "is": ["4194304", "60"],
    "mg": ["128", "60"],
    "alltoall": ["1048576", "100"],
    "abinit_like": ["32", "8192", "100"],
    "jacobi3d": ["128", "1000"],
    "transpose": ["2048", "20"],
}
INPUTS = Path(__file__).parent / "study"


def silicon(ranks: int, *, paral_kgb: bool) -> tuple[str, str]:
    """Input of abinit; with paral_kgb each k-point's bands are on two ranks."""
    text = (INPUTS / "si.abi").read_text()
    if paral_kgb:
        text += f"paral_kgb 1\nnp_spkpt {ranks // 2}\nnpband 2\nnpfft 1\n"
    return "si.abi", text


def linpack(ranks: int) -> tuple[str, str]:
    return "hpccinf.txt", (INPUTS / "hpccinf.txt").read_text().replace("RANKS", f"{ranks:<5}")


# Programs of others: what runs them, and the file that it reads in its folder.
REAL: dict[str, tuple[list[str], Callable[[int], tuple[str, str]]]] = {
    "abinit": (["abinit", "si.abi"], lambda ranks: silicon(ranks, paral_kgb=False)),
    "abinit paral_kgb": (["abinit", "si.abi"], lambda ranks: silicon(ranks, paral_kgb=True)),
    "hpcc": (["hpcc"], linpack),
}


def ask(
    verb: str,
    app: str,
    ranks: int,
    *options: str,
    abi: str = "openmpi",
    one_core: bool = False,
    longer: bool = False,
) -> dict[str, Any]:
    """What `stretto whatif` or `profile` of a program says, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        if app in REAL:
            program, make_input = REAL[app]
            name, text = make_input(ranks)
            Path(folder, name).write_text(text)
        else:
            program = [
                str(native.native_dir() / "apps" / abi / app),
                *(LONGER if longer else APPS)[app],
            ]
        words = ["-n", str(ranks), "--json", "--output", f"{folder}/run", *options]
        pin = ["taskset", "-c", "0"] if one_core else []
        answer = stretto(verb, *words, *program, before=pin, folder=folder)
    return dict(json.loads(answer.stdout))


def of(times: dict[str, float]) -> str:
    return f"{seconds(times['median'])} ({seconds(times['least'])}-{seconds(times['most'])})"


def accuracy(runs: int, abi: str) -> Table:
    """sim against normal, where both are to be had; and on one core against on two. A row of
    bars.py."""
    table = Table(
        "2 ranks", "normal", "sim", "off by", "bar", "zero saves", "virtual/real run",
        "1 core/2", "bar",
        title=f"What if, {abi}: 2 ranks on 2 cores, interleaved; sim on one core against on two",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        machine = measured(folder, abi)
        for app in APPS:
            options = ("--runs", str(runs), "--machine", machine)
            two = ask("whatif", app, 2, *options, abi=abi)
            one = ask("whatif", app, 2, *options, abi=abi, one_core=True)
            whole = two["scenarios_s"]["sim"]["median"]
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
            )
    return table


def rig_check(runs: int, abi: str) -> Table:
    """Collectives in virtual time against real ones on a network that costs no CPU."""
    table = Table(
        "collective", "bytes", "real us", "virtual us", "off by", "bar",
        title=f"What if, {abi}: rig {RIG}, after calibration on it",
    )  # fmt: skip
    program = str(native.native_dir() / "apps" / abi / "latency")
    # The rig's hosts share this one's cores, of which Open MPI knows nothing: a rank that waits
    # must leave its core to the one that it waits for.
    polite = ["--launcher-args", "--mca mpi_yield_when_idle 1"] if abi == "openmpi" else []
    with tempfile.TemporaryDirectory() as folder:
        machine = measured(folder, abi, "--rig", RIG, *polite, ranks=4)
        for collective, bytes_ in product(("bcast", "allreduce", "alltoall"), (8, 4096, 262144)):
            run = Path(folder) / f"{collective}-{bytes_}"
            words = ["-n", "4", "--rig", RIG, "--runs", str(runs), "--output", str(run)]
            # Short ones often enough that the network's token buckets run dry.
            call = [program, collective, str(bytes_), "50" if bytes_ <= 4096 else "3"]
            answer = stretto("whatif", "--json", "--machine", machine, *polite, *words, *call)
            real = statistics.median(
                told(file.read_text()) for file in run.glob("normal-*/stdout.txt")
            )
            virtual = told(answer.stderr)
            table.add_row(
                collective, f"{bytes_:,}", f"{real:.1f}", f"{virtual:.1f}",
                percent(abs(virtual / real - 1)), "20 %",
            )  # fmt: skip
    return table


def measured(folder: str, abi: str, *options: str, ranks: int = 2) -> str:
    """The file of a machine that was measured now."""
    machine = f"{folder}/machine.toml"
    program = str(native.native_dir() / "apps" / abi / "ft")
    stretto("calibrate", "-n", str(ranks), "-o", machine, *options, program)
    return machine


def stretto(
    *words: str, before: Sequence[str] = (), folder: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line; stops with what it said where it fails."""
    answer = subprocess.run(
        [*before, str(STRETTO), *words], capture_output=True, text=True, check=False, cwd=folder
    )
    if answer.returncode != 0:
        raise SystemExit(f"stretto {' '.join(words)}:\n{answer.stderr}")
    return answer


def told(output: str) -> float:
    """The time of a call that `latency` prints."""
    match = re.search(r"(?m)^latency_us ([\d.]+)$", output)
    assert match, output
    return float(match[1])


def spread(runs: int, abi: str) -> Table:
    """How far runs with many more ranks than cores differ. A row of bars.py."""
    table = Table("16 ranks", "sim", "range", "bar", title=f"What if, {abi}: {runs} runs")
    for app in APPS:
        found = ask("whatif", app, 16, "--runs", str(runs), abi=abi, longer=True)
        sim = found["scenarios_s"]["sim"]
        table.add_row(app, of(sim), percent((sim["most"] - sim["least"]) / sim["median"]), "5 %")
    return table


def study(ranks: Sequence[int], apps: Sequence[str], runs: int, abi: str) -> list[Table]:
    times = Table("application", "ranks", "normal", "sim", "zero", "gain", "sim off by")
    counts = Table("application", "ranks", "collectives used, a rank")
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("running", total=len(ranks) * len(apps))
        for app in apps:
            for n in ranks:
                found = ask("whatif", app, n, "--runs", str(runs), abi=abi)
                off = "ranks share cores" if n > usable_cores() else percent(found["gap"])
                times.add_row(
                    app,
                    str(n),
                    of(found["normal_s"]),
                    of(found["scenarios_s"]["sim"]),
                    of(found["scenarios_s"]["zero"]),
                    f"{percent(found['gain']['median'])} "
                    f"({percent(found['gain']['least'])}-{percent(found['gain']['most'])})",
                    off,
                )
                used = ask("profile", app, n, abi=abi)["collectives_a_rank"]
                words = (f"{name.removeprefix('MPI_')} {calls:g}" for name, calls in used.items())
                counts.add_row(app, str(n), ", ".join(words))
                progress.advance(task)
    return [times, counts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, action="append", help="repeatable, default 4 and 16")
    known = [*APPS, *REAL]
    parser.add_argument("--only", choices=known, action="append", help="repeatable, default all")
    parser.add_argument("--runs", type=int, default=3, help="of each (default 3)")
    parser.add_argument("--abi", default="openmpi", help="openmpi (default) or mpich")
    chosen = parser.parse_args()
    console = Console(width=130)
    here = [name for name, (command, _) in REAL.items() if shutil.which(command[0])]
    for name in REAL.keys() - here:
        console.print(f"{name}: not installed, left out")
    apps = chosen.only or [*APPS, *(here if chosen.abi == "openmpi" else [])]
    for table in study(chosen.ranks or [4, 16], apps, chosen.runs, chosen.abi):
        console.print(table)


if __name__ == "__main__":
    main()
