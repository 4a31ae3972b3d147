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
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from stretto import native
from stretto.launch.base import Abi
from stretto.launch.cores import usable_cores
from stretto.launch.yielding import yielding
from stretto.report.words import percent, seconds

STRETTO = Path(sys.executable).with_name("stretto")
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
    arguments: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What `stretto whatif` or `profile` of a program says, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        if app in REAL:
            program, make_input = REAL[app]
            name, text = make_input(ranks)
            Path(folder, name).write_text(text)
        else:
            words_of_app = APPS[app] if arguments is None else arguments
            program = [str(native.native_dir() / "apps" / abi / app), *words_of_app]
        words = ["-n", str(ranks), "--json", "--output", f"{folder}/run", *options]
        pin = []
        if one_core:
            # The real runs, which no one asks for here, would spin for minutes otherwise.
            pin = ["env", *(f"{key}={value}" for key, value in yielding(Abi(abi)).items())]
            pin += ["taskset", "-c", "0"]
            if abi == "openmpi":  # whose launcher would bind the ranks to two cores all the same
                words += ["--launcher-args", "--bind-to none"]
        answer = stretto(verb, *words, *program, before=pin, folder=folder)
    found = dict(json.loads(answer.stdout))
    if one_core and not found["is_crowded"]:
        raise SystemExit(f"{app}, {abi}: the ranks do not share a core, as they should")
    return found


def of(times: dict[str, float]) -> str:
    return f"{seconds(times['median'])} ({seconds(times['least'])}-{seconds(times['most'])})"


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
