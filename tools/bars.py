"""Measures the speed Stretto promises, against the MPI's own, in interleaved runs.

Prints each figure beside its bar; asserts nothing, since other work on the machine moves
all of them. Example: make bars, or

    .venv/bin/python tools/bars.py --only overlap --runs 9

The programs are those of apps/ and tests/mpi; on a rig where a bar is about a network, which
needs root.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

import crowded_bars
import late_bars
import program_bars
from gather_bars import ordered_gather
from interleaved import figures, measure, on_rig, run_once, shown, test_program
from live_bars import simulator_live
from replay_bars import replays
from rich.console import Console
from rich.progress import track
from rich.table import Table
from same_bars import same
from simulator_bars import simulator
from tolerance_bars import tolerance
from whatif_bars import accuracy, cost_of_calls, rig_check, spread

from stretto import native
from stretto.errors import StrettoError
from stretto.launch.environment import ALL_RANKS
from stretto.launch.registry import InstalledLauncher, known_launchers
from stretto.launch.rig import Rig, parse_rig
from stretto.launch.rig.plan import host_address

OVERLAP_RIG = "2x1@200mbit,pin"
LATENCY_RIG = "4x2@1gbit"
VECTORS = ("bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
SIZES = (8, 4096, 262144, 4194304)


def overlap(mpi: InstalledLauncher, apps: Path, runs: int) -> Table:
    """Nonblocking collectives behind computation, with no MPI_Test."""
    table = Table(
        "128 KiB",
        "native",
        "Stretto",
        "bar",
        "slow-down",
        "bar",
        title=(f"{mpi.name}, {OVERLAP_RIG}: total / max(compute, communication)"),
    )
    with on_rig(mpi, OVERLAP_RIG) as launcher:
        for name in track(("iallreduce", "ibcast"), "overlap", transient=True):
            got = measure(launcher, 2, [str(apps / "overlap"), name, "131072", "40"], runs)
            slowdown = got.spread("stretto", "slowdown")
            table.add_row(name, *got.sides("ratio"), "1.25", slowdown, "1.10")
    return table


def wire(_mpi: InstalledLauncher, _apps: Path, runs: int) -> Table:
    """What the rig takes by itself from a computation: the least any MPI can be charged."""
    table = Table(
        "128 KiB each way",
        "slow-down",
        title=f"{OVERLAP_RIG}: computing while the kernel alone moves data, no MPI",
    )
    script = str(Path(__file__).with_name("wire.py"))
    slowdowns = []
    with Rig(parse_rig(OVERLAP_RIG)) as rig:
        for _ in track(range(runs), "wire", transient=True):
            argv = [sys.executable, script]
            ends = [
                subprocess.Popen(
                    rig.enter(f"host{rank}", [*argv, str(rank), host_address(0), "131072"]),
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for rank in (0, 1)
            ]
            slowdowns += [figures(end.communicate()[0])["slowdown"] for end in ends]
    table.add_row("both hosts", shown(slowdowns))
    return table


def crowded(mpi: InstalledLauncher, apps: Path, runs: int) -> Table:
    """Small collectives with four times as many ranks as cores."""
    table = Table(
        "8 B",
        "native us",
        "Stretto us",
        "times faster",
        "bar",
        title=(f"{mpi.name}, {LATENCY_RIG}: blocking, more ranks than cores"),
    )
    with on_rig(mpi, LATENCY_RIG) as launcher:
        for name in track(("allreduce", "bcast", "barrier"), "crowded", transient=True):
            got = measure(launcher, 8, [str(apps / "latency"), name, "8", "20"], runs)
            bar = "10" if name == "allreduce" else ""
            table.add_row(name, *got.sides("latency_us"), got.speedup("latency_us"), bar)
    return table


def one_host(
    mpi: InstalledLauncher, apps: Path, runs: int, ranks: int = 2, only: Collection[str] = ()
) -> Table:
    """Pinned ranks, each collective, and started and waited for: what the drop-in costs."""
    table = Table(
        "collective",
        "bytes",
        "native us",
        "Stretto us",
        "Stretto / native",
        "bar",
        title=f"{mpi.name}, one host, {ranks} pinned ranks",
    )
    names = [*VECTORS, *(f"i{name}" for name in VECTORS)]
    cases = [("barrier", 0), *((name, size) for name in names for size in SIZES)]
    if only:
        cells = (cell.split(":") for cell in only)
        cases = [(name, int(size)) for name, size in cells]
    for name, size in track(cases, "one host", transient=True):
        calls = 5000 if size <= 4096 else 200 if size <= 262144 else 20
        # Where a process happens to lie in memory moves short times by a third.
        launches = 3 * runs if size <= 4096 else runs
        argv = [str(apps / "latency"), name, str(size), str(calls)]
        got = measure(mpi, ranks, argv, launches)
        slowdown = got.slowdown("latency_us")
        bar = "1.05" if size <= 8 else "1.02"
        table.add_row(name, str(size), *got.sides("latency_us"), slowdown, bar)
    return table


def nonblocking_start(mpi: InstalledLauncher, _apps: Path, runs: int) -> Table:
    """Short nonblocking collectives by Stretto's own path: what their start takes, and the wait."""
    table = Table(
        "8 B",
        "ranks",
        "native start ns",
        "Stretto start ns",
        "bar",
        "native wait ns",
        "Stretto wait ns",
        title=f"{mpi.name}, one host: no collective is the MPI's (STRETTO_SELECTION=stretto)",
    )
    env = {"STRETTO_SELECTION": "stretto", "STRETTO_PROGRESS_THREAD": "on"}
    names = ("ibarrier", "ibcast", "iallreduce", "iallgather")
    cases = [(name, ranks) for name in names for ranks in (2, 3, 4)]
    for name, ranks in track(cases, "nonblocking start", transient=True):
        # Two ranks have a core each.
        launcher = pinned(mpi) if ranks == 2 else mpi
        argv = [test_program(mpi, "starts"), name, "8", "20000"]
        got = measure(launcher, ranks, argv, runs, env=env)
        table.add_row(name, str(ranks), *got.sides("start_ns"), "300", *got.sides("wait_ns"))
    return table


def idle(mpi: InstalledLauncher, _apps: Path, runs: int) -> Table:
    """Wake-ups of a process that computes with nothing pending."""
    table = Table(
        "",
        "native",
        "Stretto",
        "bar",
        title=(f"{mpi.name}: voluntary context switches in 5 s of computing, nothing pending"),
    )
    got = measure(mpi, 2, [test_program(mpi, "idle"), "5"], min(runs, 3))
    table.add_row("most of any rank", *got.sides("voluntary_switches"), "5")
    return table


def communicators(mpi: InstalledLauncher, _apps: Path, _runs: int) -> Table:
    """Communicators made, used and freed: no failure, and memory stays flat."""
    cycles = 100_000
    table = Table(
        "cycles",
        "after a tenth, KiB",
        "at the end, KiB",
        "growth",
        "bar",
        title=f"{mpi.name}, one host, 2 ranks: memory of the largest rank under Stretto",
    )
    env = {
        ALL_RANKS: "trust",
        "LD_PRELOAD": str(native.drop_in(mpi.abi)),
        "STRETTO_PROGRESS_THREAD": "on",
        "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    }
    argv = [test_program(mpi, "many_communicators"), str(cycles)]
    # Open MPI alone crashes on a communicator that is freed while something runs on it.
    got = figures(run_once(mpi, 2, argv, env, timeout_s=1800))
    early, end = got["rss_kib_early"], got["rss_kib_end"]
    growth = f"{100 * (end - early) / early:.2f} %"
    table.add_row(str(cycles), f"{early:.0f}", f"{end:.0f}", growth, "1 %")
    return table


def profile(mpi: InstalledLauncher, _apps: Path, runs: int) -> Table:
    """What being profiled costs a program that calls MPI all the time."""
    table = Table(
        "",
        "calls a second, a rank",
        "native s",
        "profiled / native",
        "bar",
        title=f"{mpi.name}, one host, 2 pinned ranks: computing and calling MPI in turn",
    )
    got = measure(mpi, 2, [test_program(mpi, "steady"), "20000"], 3 * runs, mode="profile")
    native_figures = (got.spread("native", figure) for figure in ("calls_a_second", "time_s"))
    table.add_row("steady", *native_figures, got.slowdown("time_s"), "1.02")
    return table


def messages(mpi: InstalledLauncher, apps: Path, runs: int) -> Table:
    """Two pinned ranks, calls that Stretto has nothing to do with."""
    table = Table(
        "calls",
        "native ns",
        "Stretto ns",
        "more",
        title=f"{mpi.name}, one host, 2 pinned ranks: no collectives",
    )
    calls = {
        "test": "MPI_Test, pending",
        "lookup": "the same before each change of a table",
        "message": "MPI_Isend, MPI_Recv, MPI_Wait",
    }
    for name, what in calls.items():
        argv = [str(apps / "latency"), name, "8", "100000"]
        got = measure(mpi, 2, argv, runs)
        theirs, ours = (
            [1e3 * run["latency_us"] for run in side] for side in (got.native, got.stretto)
        )
        table.add_row(
            what,
            shown(theirs),
            shown(ours),
            shown([b - a for a, b in zip(theirs, ours, strict=True)]),
        )
    return table


BARS = {
    "wire": wire,
    "overlap": overlap,
    "crowded": crowded,
    "crowded-one-host": crowded_bars.one_host,
    "crowded-hosts": crowded_bars.between_hosts,
    "crowded-programs": program_bars.between_crowded_hosts,
    "programs": program_bars.programs,
    "one-host": one_host,
    "late": late_bars.one_host,
    "late-hosts": late_bars.between_hosts,
    "messages": messages,
    "nonblocking-start": nonblocking_start,
    "idle": idle,
    "communicators": communicators,
    "profile": profile,
    "whatif": lambda mpi, _apps, runs: accuracy(runs, mpi.abi),
    "whatif-call": cost_of_calls,
    "whatif-rig": lambda mpi, _apps, runs: rig_check(mpi, runs),
    "whatif-spread": lambda mpi, _apps, runs: spread(runs, mpi.abi),
    "same": same,
    "tolerance": lambda mpi, _apps, runs: tolerance(mpi, runs),
    "replay": lambda mpi, _apps, _runs: replays(mpi.abi),
    "ordered-gather": ordered_gather,
    "simulator": lambda _mpi, _apps, runs: simulator(runs),
    "simulator-live": lambda mpi, _apps, runs: simulator_live(mpi, runs),
}


def pinned(mpi: InstalledLauncher) -> InstalledLauncher:
    """The launcher, with the option that gives each rank a core."""
    return replace(
        mpi, extra=("--bind-to", "core") if mpi.abi == "openmpi" else ("-bind-to", "core")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=BARS, action="append", help="repeatable; default: all")
    parser.add_argument("--runs", type=int, default=5, help="of each side (default 5)")
    parser.add_argument(
        "--cell",
        action="append",
        default=[],
        help="of the crowded and the late rows and one-host, like scatter:8, "
        "of programs like ft, 'one host' or 'one host:ft'; repeatable",
    )
    parser.add_argument("--ranks", type=int, default=2, help="of one-host (default 2)")
    parser.add_argument("--abi", default="openmpi", help="openmpi (default) or mpich")
    chosen = parser.parse_args()
    mpi = next((found for found in known_launchers() if found.abi == chosen.abi), None)
    if mpi is None:
        raise SystemExit(f"bars: no launcher of the {chosen.abi} ABI here")
    apps = native.native_dir() / "apps" / chosen.abi
    console = Console(width=130)
    for name in chosen.only or BARS:
        on = (
            pinned(mpi)
            if name in ("one-host", "messages", "idle", "profile", "whatif-call")
            else mpi
        )
        bar = BARS[name]
        if name in ("crowded-one-host", "crowded-hosts", "late", "late-hosts", "programs"):
            bar = partial(bar, only=chosen.cell)
        if name == "one-host":
            bar = partial(one_host, ranks=chosen.ranks, only=chosen.cell)
        console.print(bar(on, apps, chosen.runs))


if __name__ == "__main__":
    try:
        main()
    except StrettoError as error:
        print(f"bars: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
