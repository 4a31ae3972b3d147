"""Runs mpi4py's own tests of the collectives under Stretto, against the MPI alone.

First natively, then under the drop-in, then with every algorithm forced in its turn. What
passes natively must pass under Stretto, and counters tell which algorithm ran how often.
Exit code 3 where something fails under Stretto only. Example: make conformance, or

    .venv/bin/python tools/conformance.py --abi openmpi --ranks 3 --ranks 4

The tests are those of the mpi4py that is installed, from its released source.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from stretto import native
from stretto.data.counters import read_counters, summed
from stretto.errors import StrettoError
from stretto.launch.dropin import COUNTERS, rank_environment, selections_in_turn
from stretto.launch.process import launch
from stretto.launch.registry import Known, known_launchers
from stretto.launch.schedules import known_algorithms

RANKS = (1, 2, 3, 4, 5, 7)
FEWEST_CALLS = 100  # of each algorithm, for its conformance to mean something
TIMEOUT_S = 900.0
BUILD = Path(__file__).resolve().parents[1] / "build" / "conformance"


@dataclass
class Told:
    """What the ranks of one run said."""

    ran: int = 0
    skipped: int = 0  # of one rank
    failed: set[str] = field(default_factory=set)  # tests, on any rank
    ended_well: bool = False


def tests_of_mpi4py() -> Path:
    """The folder of its tests, fetched once."""
    release = version("mpi4py")
    folder = BUILD / f"mpi4py-{release}"
    if not folder.is_dir():
        BUILD.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        source = ["--no-binary", "mpi4py", f"mpi4py=={release}", "--dest", str(BUILD)]
        if subprocess.run([*pip, *source], check=False).returncode != 0:
            raise StrettoError(f"cannot fetch the source of mpi4py {release} from PyPI")
        with tarfile.open(next(BUILD.glob(f"mpi4py-{release}.tar.gz"))) as archive:
            archive.extractall(BUILD, filter="data")
    return folder / "test"


def understood(output: str) -> Told:
    """Read what unittest printed, of all ranks at once."""
    told = Told()
    told.ran = max(map(int, re.findall(r"Ran (\d+) tests", output)), default=0)
    told.skipped = max(map(int, re.findall(r"skipped=(\d+)", output)), default=0)
    told.failed = set(re.findall(r"(?m)^(?:ERROR|FAIL): (\S+ \(\S+\))", output))
    return told


def run(mpi: Known, ranks: int, tests: Path, env: Mapping[str, str]) -> Told:
    argv = [sys.executable, str(tests / "main.py"), "-q", "-i", "cco"]
    libraries = mpi.path.resolve().parents[1] / "lib"
    library = next(libraries.glob("libmpi.so.12"), "libmpi.so.40")
    env = {**env, "MPI4PY_LIBMPI": str(library)}
    with tempfile.TemporaryFile() as out:
        outcome = launch(mpi.command(ranks, argv, env), timeout_s=TIMEOUT_S, stdout=out, stderr=out)
        out.seek(0)
        told = understood(out.read().decode(errors="replace"))
    told.ended_well = outcome.ok or bool(told.failed)
    return told


def calls_by_algorithm(folder: Path) -> Counter[str]:
    """How often each ran on all ranks, named as `stretto schedule list` does."""
    calls: Counter[str] = Counter()
    for entry in summed(read_counters(folder)).handled:
        name = entry.call.removeprefix("MPI_").removeprefix("I").lower()
        collective = re.sub(r"(?<=gather)v$|(?<=scatter)v$|(?<=alltoall)[vw]$|_block$", "", name)
        calls[f"{collective} {entry.algorithm}"] += entry.calls
    return calls


def verdict(theirs: Told, ours: Told) -> str:
    """Empty where all is well."""
    only_ours = ours.failed - theirs.failed
    if only_ours:
        return "fails under Stretto only: " + ", ".join(sorted(only_ours))
    if not ours.ended_well or ours.ran < theirs.ran:
        return f"ended early: {ours.ran} of {theirs.ran} tests"
    return ""


def conform(mpi: Known, all_ranks: list[int], in_turn: bool, console: Console) -> bool:
    """One MPI; prints a line a run, as it ends."""
    tests = tests_of_mpi4py()
    turns = selections_in_turn(known_algorithms()) if in_turn else []
    calls: Counter[str] = Counter()
    conforms = True
    console.print(f"{mpi.name}: ranks, run, tests, skipped, failed", markup=False)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(mpi.name, total=len(all_ranks) * (2 + len(turns)))
        for ranks in all_ranks:
            theirs = run(mpi, ranks, tests, {})
            progress.console.print(line(ranks, "native", theirs, ""), markup=False)
            progress.advance(task)
            for turn, selection in enumerate([{}, *turns]):
                with tempfile.TemporaryDirectory() as folder:
                    env = rank_environment(native.drop_in(mpi.abi), selection, verbose=False)
                    env |= {COUNTERS: folder, "STRETTO_PROGRESS_THREAD": "on"}
                    ours = run(mpi, ranks, tests, env)
                    calls += calls_by_algorithm(Path(folder))
                wrong = verdict(theirs, ours)
                conforms = conforms and not wrong
                what = f"Stretto, algorithms {turn}" if turn else "Stretto"
                progress.console.print(line(ranks, what, ours, wrong or "ok"), markup=False)
                progress.advance(task)
    if in_turn:
        console.print(counted(calls))
    return conforms


def line(ranks: int, what: str, told: Told, said: str) -> str:
    return f"{ranks:3}  {what:22} {told.ran:5} {told.skipped:5} {len(told.failed):5}  {said}"


def counted(calls: Counter[str]) -> Table:
    table = Table("algorithm", "calls", title="Calls Stretto handled, all runs and ranks")
    for collective, names in known_algorithms().items():
        for name in names:
            number = calls[f"{collective} {name}"]
            few = "" if number >= FEWEST_CALLS else f"  (fewer than {FEWEST_CALLS})"
            table.add_row(f"{collective} {name}", f"{number:,}{few}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--abi", action="append", help="openmpi or mpich; repeatable, default all")
    parser.add_argument("--ranks", type=int, action="append", help="repeatable, default 1-5 and 7")
    parser.add_argument("--quick", action="store_true", help="without forcing the algorithms")
    chosen = parser.parse_args()
    console = Console(width=max(100, int(os.environ.get("COLUMNS", "100"))))
    conforms = True
    mpis = [mpi for mpi in known_launchers() if not chosen.abi or mpi.abi in chosen.abi]
    if not mpis:
        raise StrettoError("no launcher of such an MPI here")
    for mpi in {mpi.abi: mpi for mpi in reversed(mpis)}.values():
        conforms &= conform(mpi, chosen.ranks or list(RANKS), not chosen.quick, console)
    return 0 if conforms else 3


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"conformance: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
