"""A row of bars.py: programs compared with themselves, of which nothing may be claimed."""

from __future__ import annotations

from pathlib import Path

from interleaved import figures, run_once
from rich.progress import track
from rich.table import Table

from stretto.launch.registry import InstalledLauncher
from stretto.report.comparison_verdict import Finding, judge_comparison
from stretto.stats.ratio import ENOUGH_PAIRS, paired_ratio

TRIES = 20
BAR = 0.05
PROGRAMS = ("transpose 256 4", "jacobi3d 32 20 1", "relaxation 8192 20")


def same(mpi: InstalledLauncher, apps: Path, _runs: int) -> Table:
    """Both sides the MPI's own, judged as `stretto compare` does where Stretto handled calls."""
    table = Table(
        "program", "comparisons", "pairs each", "a gain claimed", "a loss claimed", "bar",
        title=f"{mpi.name}, 2 ranks: programs compared with themselves",
    )  # fmt: skip
    for program in PROGRAMS:
        name, *arguments = program.split()
        argv = [str(apps / name), *arguments]
        findings = [_finding(mpi, argv) for _ in track(range(TRIES), program, transient=True)]
        claimed = (findings.count(Finding.GAIN), findings.count(Finding.LOSS))
        table.add_row(
            program, str(TRIES), str(ENOUGH_PAIRS), *map(str, claimed), f"{BAR * TRIES:g} together"
        )
    return table


def _finding(mpi: InstalledLauncher, argv: list[str]) -> Finding:
    times = [figures(run_once(mpi, 2, argv, {}))["time"] for _ in range(2 * ENOUGH_PAIRS)]
    # As compare has it, which side is first changes from pair to pair.
    pairs = [times[at : at + 2][:: 1 if at % 4 == 0 else -1] for at in range(0, len(times), 2)]
    ratio = paired_ratio([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return judge_comparison(ratio, "time", loaded=True, handled=True).finding
