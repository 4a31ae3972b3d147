"""Measures what `stretto bench` promises of itself, beside what there is to compare with.

Prints each figure beside its bar; asserts nothing, since other work on the machine moves all of
them. Example: make bench-bars, or

    .venv/bin/python tools/bench_bars.py --only skew
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interleaved import run_once, shown
from mpi_runs import EVERY_MPI, MPIS, Mpi
from rich.console import Console
from rich.table import Table

from stretto.data.bench_folder import BenchFolder
from stretto.stats.suite_figures import suite_figures

STRETTO = Path(sys.executable).with_name("stretto")
PINNED = {"openmpi": "--bind-to core", "mpich": "-bind-to core"}
SKEW_US = 50
IMB_OPERATIONS = ("bcast", "allreduce", "allgather", "alltoall", "reduce")
IMB_SCHEMES = ("barrier", "dissemination")
IMB_SIZES = [8 << power for power in range(0, 18, 3)]


def bench(
    mpi: Mpi, ranks: int, *words: str, pinned: bool = False, output: str = ""
) -> dict[str, Any]:
    """A run's answer; its folder goes with it, unless `output` names one."""
    with tempfile.TemporaryDirectory() as place:
        folder = output or f"{place}/run"
        command = [STRETTO, "bench", *words, "-n", ranks, "--json", "-o", folder]
        command += ["--launcher", mpi.launcher.path]
        if pinned:
            command += ["--launcher-args", PINNED[mpi.abi]]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if not ended.stdout:
            raise SystemExit(f"bench_bars: {ended.stderr}")
        answer: dict[str, Any] = json.loads(ended.stdout)
        return answer


def skew() -> Table:
    """An injected entry skew, as it is reported."""
    table = Table("MPI", "scheme", "reported, us", "without, us", "bar", title="entry skew")
    for mpi in MPIS.values():
        for scheme in ("barrier", "dissemination", "round-time"):
            words = ["allreduce", "--sizes", "8", "--launches", "5", "--sync", scheme]
            # Times that are agreed on are missed by a rank that is late, and nothing is valid.
            injects = scheme != "round-time"
            injected = _skews(bench(mpi, 2, *words, "--skew", str(SKEW_US))) if injects else "-"
            without = _skews(bench(mpi, 2, *words))
            bar = f"{SKEW_US} +- 5" if injects else ""
            table.add_row(mpi.name, scheme, injected, without, bar)
    return table


def _skews(answer: dict[str, Any]) -> str:
    return ", ".join(f"{row['skew_median'] / 1e3:.2f}" for row in answer["rows"])


def valid() -> Table:
    """The valid share where ranks share cores, by default and by the window scheme."""
    table = Table("MPI", "scheme", "least valid", "median", "bar", title="4 ranks, valid samples")
    for mpi in MPIS.values():
        for scheme in ("auto", "window"):
            words = ["bcast", "allreduce", "--sizes", "8,4K,256K", "--launches", "5"]
            answer = bench(mpi, 4, *words, "--sync", scheme)
            # A cell without any has no row.
            shares = [row["valid"] for row in answer["rows"]] + [0.0] * len(answer["not_measured"])
            table.add_row(
                mpi.name,
                scheme,
                f"{min(shares):.1%}",
                f"{statistics.median(shares):.1%}",
                ">= 95 %" if scheme == "auto" else "~0",
            )
    return table


def overhead(rounds: int = 7) -> Table:
    """Against the least loop that times calls, in turn: back to back, with one pair of buffers."""
    table = Table(
        "MPI", "operation", "bare loop, ns", "stretto bench, ns", "ratio", "bar",
        title="2 pinned ranks, 8 B: medians of the slower rank",
    )  # fmt: skip
    for mpi in MPIS.values():
        for operation in ("allreduce", "barrier"):
            bare, ours = [], []
            for _ in range(rounds):
                bare.append(_bare(mpi, operation))
                words = [operation, "--sizes", "8", "--launches", "1", "--sync", "none"]
                rows = bench(mpi, 2, *words, "--buffers", "same", "--no-check", pinned=True)["rows"]
                ours.append(max(row["maximum"] for row in rows))
            ratios = [one / other for one, other in zip(ours, bare, strict=True)]
            figures = map(shown, (bare, ours, ratios))
            table.add_row(mpi.name, operation, *figures, "<= 1.05")
    return table


def _bare(mpi: Mpi, operation: str) -> float:
    words = mpi.launcher.__class__(
        mpi.launcher.path, mpi.launcher.version, tuple(PINNED[mpi.abi].split())
    )
    argv = [str(mpi.program("bare_loop")), operation, "8", "1000"]
    said = run_once(words, 2, argv, mpi.environment)
    return max(float(figure) for figure in re.findall(r"rank \d+ (\d+)", said))


def imb(rounds: int = 5) -> Table:
    """Against the binaries that come with Intel MPI, in turn.

    IMB prints means over repetitions, whose mean over ranks it calls t_avg: ours is worked out
    alike. It has ranks begin behind a barrier of its own, and what a rank that leaves this one
    earlier waits for the other is in its times: by two ways to begin together one sees how much.
    """
    table = Table(
        "operation", "bytes", "IMB t_avg, us", *(f"{scheme}, us" for scheme in IMB_SCHEMES),
        *(f"{scheme} / IMB" for scheme in IMB_SCHEMES), "bar",
        title="Intel MPI, 2 pinned ranks: IMB-MPI1, and `stretto bench --buffers same` by --sync",
    )  # fmt: skip
    mpi = next((it for it in EVERY_MPI.values() if "Intel" in it.name and it.abi == "mpich"), None)
    program = mpi.launcher.path.with_name("IMB-MPI1") if mpi else None
    if mpi is None or program is None or not program.exists():
        table.caption = "no Intel MPI here that has IMB-MPI1: make mpis"
        return table
    for operation in IMB_OPERATIONS:
        theirs: dict[int, list[float]] = {}
        ours: dict[str, dict[int, list[float]]] = {scheme: {} for scheme in IMB_SCHEMES}
        for _ in range(rounds):
            for size, value in _imb_once(mpi, program, operation).items():
                theirs.setdefault(size, []).append(value)
            for scheme, found in ours.items():
                for size, value in _mean_of_means(mpi, operation, scheme).items():
                    found.setdefault(size, []).append(value)
        for size in IMB_SIZES:
            measured = [ours[scheme][size] for scheme in IMB_SCHEMES]
            usual = statistics.median(theirs[size])
            ratios = [statistics.median(each) / usual for each in measured]
            figures = (*map(shown, (theirs[size], *measured)), *(f"{it:.2f}" for it in ratios))
            table.add_row(operation, str(size), *figures, "0.9-1.1")
    return table


def _mean_of_means(mpi: Mpi, operation: str, scheme: str) -> dict[int, float]:
    """Over ranks, of their means over repetitions, in us by size: of one launch."""
    sizes = ",".join(map(str, IMB_SIZES))
    words = [operation, "--sizes", sizes, "--launches", "1", "--sync", scheme]
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/run"
        bench(mpi, 2, *words, "--buffers", "same", "--no-check", pinned=True, output=folder)
        run = BenchFolder(Path(folder))
        plan = run.record().plan
        of_cell = {cell.number: cell.bytes for cell in plan.cells}
        (samples,) = run.samples_by_launch()
        figures = suite_figures(samples)
    return {of_cell[row["cell"]]: row["ranks_mean"] / 1e3 for row in figures.to_dicts()}


def _imb_once(mpi: Mpi, program: Path, operation: str) -> dict[int, float]:
    launcher = mpi.launcher.__class__(
        mpi.launcher.path, mpi.launcher.version, tuple(PINNED[mpi.abi].split())
    )
    with tempfile.NamedTemporaryFile("w", suffix=".sizes") as sizes:
        sizes.write("\n".join(map(str, IMB_SIZES)) + "\n")
        sizes.flush()
        argv = [str(program), operation, "-npmin", "2", "-msglen", sizes.name]
        said = run_once(launcher, 2, argv, mpi.environment)
    rows = re.findall(r"(?m)^\s+(\d+)\s+\d+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s*$", said)
    return {int(size): float(value) for size, value in rows}


def quick() -> Table:
    """How long a first look takes."""
    table = Table("MPI", "s", "bar", title="--quick, 2 ranks: 8 collectives, native and stretto")
    for mpi in MPIS.values():
        begin = time.monotonic()
        bench(mpi, 2, "--quick", "--impl", "native,stretto")
        table.add_row(mpi.name, f"{time.monotonic() - begin:.0f}", "< 180")
    return table


def cliffs() -> Table:
    """Where MPI_Gather's cliffs are."""
    table = Table("MPI", "ranks", "class", "between, B", "factor", "bar", title="gather: cliffs")
    for abi, ranks, bar in (("openmpi", 4, "256-512, to 64 B"), ("mpich", 2, "4096-8192")):
        if abi not in MPIS:
            continue
        for each in bench(MPIS[abi], ranks, "cliffs", "gather", "--no-probes")["cliffs"]:
            cliff = each["cliff"]
            table.add_row(
                MPIS[abi].name,
                str(ranks),
                each["rank_class"],
                f"{cliff['low']}-{cliff['high']}",
                f"{cliff['factor']:.1f}",
                bar,
            )
    return table


BARS: dict[str, Callable[[], Table]] = {
    "skew": skew,
    "valid": valid,
    "overhead": overhead,
    "imb": imb,
    "quick": quick,
    "cliffs": cliffs,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=BARS, action="append", help="repeatable; default: all")
    chosen = parser.parse_args()
    console = Console(width=120)
    for name in chosen.only or BARS:
        console.print(BARS[name]())


if __name__ == "__main__":
    main()
