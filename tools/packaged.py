"""Packaged MPI programs under Stretto; it installs nothing, and runs those that are here.

In virtual time, recorded and replayed: does each end, and replay exactly? With --accuracy on the
machine as it is measured here: how far is the prediction off the real runs? Or, with --compare, as
they are, beside themselves under Stretto. Exit code 3 where one does not do well.

Example: .venv/bin/python tools/packaged.py --compare 5 --ranks 4 nwchem icoFoam
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from packaged_programs import PROGRAMS
from rich.console import Console
from rich.table import Table

from stretto.stats.summary import median

STRETTO = Path(sys.executable).with_name("stretto")
MACHINE = "ethernet-10g"
RANKS = (2, 4)
HANGS_AFTER_S = 300
MPIRUN = Path("/usr/bin/mpirun")
SLOWEST = 0.97  # of the speed without Stretto
FARTHEST = 0.15  # that a prediction may be off without a word of why


def stretto(folder: Path, *words: str) -> subprocess.CompletedProcess[str] | None:
    """None: it was not done in time."""
    env = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    try:
        return subprocess.run(
            [STRETTO, *words], cwd=folder, env=env, capture_output=True, text=True,
            timeout=HANGS_AFTER_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it says nothing"])[-1][:100]


def launch_options(ranks: int, runs: int) -> list[str]:
    return [
        *("-n", str(ranks), "--runs", str(runs), "--launcher", str(MPIRUN)),
        *("--timeout", "120", "--output", "run", "--json"),
    ]


def in_virtual_time(folder: Path, ranks: int, command: list[str]) -> tuple[bool, list[str]]:
    """Whether it ends and replays exactly, and the rest of its row."""
    options = [*launch_options(ranks, 1), "--machine", MACHINE, "--record", "a.trace"]
    run = stretto(folder, "whatif", *options, *command)
    if run is None or run.returncode != 0:
        return False, ["no", last_line("" if run is None else run.stderr), "", ""]
    times = json.loads(run.stdout)
    normal = float(times["normal_s"]["median"])
    sim = float(times["scenarios_s"]["sim"]["median"])
    again = stretto(folder, "replay", "a.trace", "--json")
    if again is None or again.returncode != 0:
        exact = last_line("" if again is None else again.stderr)
    else:
        off = json.loads(again.stdout)["off_ns"]
        exact = "yes" if off == 0 else f"{off} ns off"
    return exact == "yes", ["yes", exact, f"{normal:.2f}", f"{sim:.2f}"]


def beside_itself(runs: int) -> Callable[[Path, int, list[str]], tuple[bool, list[str]]]:
    """Whether it is as fast under Stretto, and the rest of its row."""

    def row(folder: Path, ranks: int, command: list[str]) -> tuple[bool, list[str]]:
        run = stretto(folder, "compare", *launch_options(ranks, runs), *command)
        if run is None or run.returncode != 0:
            return False, ["no", last_line("" if run is None else run.stderr), "", ""]
        wall = json.loads(run.stdout)["wall"]
        ratio = wall["ratio"]["spread"]
        return ratio["median"] >= SLOWEST, [
            "yes",
            *(f"{wall[side]['median']:.2f}" for side in ("native", "stretto")),
            f"{ratio['median']:.2f} ({ratio['minimum']:.2f} to {ratio['maximum']:.2f})",
        ]

    return row


def against_real_runs(
    runs: int, errors: list[float]
) -> Callable[[Path, int, list[str]], tuple[bool, list[str]]]:
    """How far the prediction is off, which goes into `errors`, and the rest of the row."""

    def row(folder: Path, ranks: int, command: list[str]) -> tuple[bool, list[str]]:
        options = [*launch_options(ranks, runs), "--fresh-dir", "--record", "a.trace"]
        run = stretto(folder, "whatif", *options, *command)
        if run is None or run.returncode != 0:
            return False, ["no", last_line("" if run is None else run.stderr), *[""] * 4]
        found = json.loads(run.stdout)
        normal, sim = found["normal_s"], found["scenarios_s"]["sim"]
        off = sim["median"] / normal["median"] - 1
        errors.append(abs(off))
        again = stretto(folder, "replay", "a.trace", "--json")
        exact = (
            again is not None and again.returncode == 0 and json.loads(again.stdout)["off_ns"] == 0
        )
        why = "; ".join([*found["warnings"], found["verdict"]]) if abs(off) > FARTHEST else ""
        times = [
            f"{it['median']:.2f} ({it['least']:.2f} to {it['most']:.2f})" for it in (normal, sim)
        ]
        well = exact and (abs(off) <= FARTHEST or bool(why))
        return well, ["yes", "yes" if exact else "no", *times, f"{100 * off:+.1f} %", why]

    return row


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compare", type=int, metavar="RUNS", help="pairs of launches")
    parser.add_argument("--accuracy", type=int, metavar="RUNS", help="real runs, and virtual ones")
    parser.add_argument("--ranks", type=int, action="append", help="repeatable, default 2 and 4")
    parser.add_argument("program", nargs="*", help="only these")
    chosen = parser.parse_args()
    errors: list[float] = []
    if chosen.accuracy:
        what, row_of = "predicted and run", against_real_runs(chosen.accuracy, errors)
        columns = ["ended", "replay exact", "normal s", "sim s", "off", "said"]
    elif chosen.compare:
        what, row_of = "beside themselves under Stretto", beside_itself(chosen.compare)
        columns = ["ended", "native s", "Stretto s", "native / Stretto"]
    else:
        what, row_of = f"in virtual time, machine {MACHINE}", in_virtual_time
        columns = ["ended", "replay exact", "normal s", "sim s"]
    table = Table("program", "what", "ranks", *columns, title=f"Packaged programs {what}")
    good = True
    missing = []
    for each in PROGRAMS:
        if chosen.program and each.name not in chosen.program:
            continue
        if not Path(each.needs).exists() or not MPIRUN.exists():
            missing.append(each.package)
            continue
        for ranks in chosen.ranks or RANKS:
            with tempfile.TemporaryDirectory(prefix="stretto-packaged-") as name:
                command = each.command(Path(name))
                if each.cut is not None:
                    each.cut(Path(name), ranks)
                well, cells = row_of(Path(name), ranks, command)
            good = good and well
            table.add_row(each.name, each.what, str(ranks), *cells)
            print(each.name, ranks, *cells, sep="  ", file=sys.stderr, flush=True)
    Console(width=160).print(table)
    if errors:
        print(f"the median error of {len(errors)} predictions is {100 * median(errors):.1f} %")
    if missing:
        print(f"not here (apt install): {' '.join(dict.fromkeys(missing))}")
    return 0 if good else 3


if __name__ == "__main__":
    sys.exit(main())
