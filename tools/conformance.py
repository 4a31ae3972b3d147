"""Runs mpi4py's own tests of the collectives under Stretto, against the MPI alone.

Under the drop-in, natively, then with every algorithm forced in its turn. What passes natively
must pass under Stretto, and counters tell which algorithm ran how often.
Exit code 3 where something fails under Stretto only. Example: make conformance, or

    .venv/bin/python tools/conformance.py --mpi "Intel MPI" --abi mpiabi --ranks 3 --ranks 4

Every MPI on PATH, in .venv and in .mpis (tools/mpis.sh) is taken, with each interface it has.
The tests are those of the mpi4py that is installed, from its released source; as its wheels
know nothing of the standard ABI, it is built from that source for it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from stretto import native
from stretto.data.counters import read_counters, summed
from stretto.errors import StrettoError
from stretto.launch.base import Abi, Start
from stretto.launch.environment import COUNTERS, SELECTED, rank_environment, selections_in_turn
from stretto.launch.libmpi import LABELS
from stretto.launch.process import launch
from stretto.launch.registry import identify, known_launchers
from stretto.launch.survey import MpiInterface, mpi_interfaces
from stretto.native.schedules import known_algorithms

RANKS = (1, 2, 3, 4, 5, 7)
RANKS_OF_FURTHER_MPIS = (1, 2, 3, 4)  # those of .mpis
FEWEST_CALLS = 100  # of each algorithm, for its conformance to mean something
TIMEOUT_S = 900.0
ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "conformance"
FURTHER_MPIS = ROOT / ".mpis"


@dataclass
class TestRun:
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
        shutil.unpack_archive(next(BUILD.glob(f"mpi4py-{release}.tar.gz")), BUILD)
    return folder / "test"


def understood(output: str) -> TestRun:
    """Read what unittest printed, of all ranks at once."""
    found = TestRun()
    found.ran = max(map(int, re.findall(r"Ran (\d+) tests", output)), default=0)
    found.skipped = max(map(int, re.findall(r"skipped=(\d+)", output)), default=0)
    found.failed = set(re.findall(r"(?m)^(?:ERROR|FAIL): (\S+ \(\S+\))", output))
    return found


def mpi4py_of_the_standard_abi() -> Path:
    """The folder of an mpi4py built for it, made once (minutes)."""
    release = version("mpi4py")
    folder = BUILD / f"mpi4py-{release}-mpiabi"
    if not folder.is_dir():
        tests_of_mpi4py()
        mpicc = Path(sys.prefix) / "bin" / "mpicc_abi"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        source = ["--target", str(folder), str(BUILD / f"mpi4py-{release}.tar.gz")]
        env = os.environ | {"MPICC": str(mpicc)}
        if subprocess.run([*pip, *source], env=env, check=False).returncode != 0:
            raise StrettoError(f"cannot build mpi4py {release} with {mpicc}")
    return folder


def environment(mpi: MpiInterface) -> dict[str, str]:
    """What makes mpi4py load this MPI."""
    if mpi.abi is not Abi.MPIABI:
        return {"MPI4PY_LIBMPI": str(mpi.libmpi or "libmpi.so.40")}
    assert mpi.libmpi is not None
    return {
        "PYTHONPATH": str(mpi4py_of_the_standard_abi()),
        "LD_LIBRARY_PATH": str(mpi.libmpi.parent),
    }


def left_out(mpi: MpiInterface) -> list[str]:
    """Tests that cannot run on an MPI, with Stretto or without."""
    if mpi.launcher.name.startswith("Intel MPI") and mpi.abi is Abi.MPIABI:
        # The standard ABI's library of 2021.19 heeds no MPI_ERRORS_RETURN: errors end the job.
        return ["-e", "cco_obj"]
    return []


def run(mpi: MpiInterface, ranks: int, tests: Path, env: Mapping[str, str]) -> TestRun:
    argv = [sys.executable, str(tests / "main.py"), "-q", "-i", "cco", *left_out(mpi)]
    command = mpi.launcher.command(Start(ranks, argv, {**env, **environment(mpi)}))
    with tempfile.TemporaryFile() as out:
        outcome = launch(command, timeout_s=TIMEOUT_S, stdout=out, stderr=out)
        out.seek(0)
        found = understood(out.read().decode(errors="replace"))
    found.ended_well = outcome.ok or bool(found.failed)
    return found


def calls_by_algorithm(folder: Path) -> Counter[str]:
    """How often each ran on all ranks, named as `stretto schedule list` does."""
    calls: Counter[str] = Counter()
    for entry in summed(read_counters(folder)).handled:
        name = entry.call.removeprefix("MPI_").removeprefix("I").removesuffix("_init").lower()
        collective = re.sub(r"(?<=gather)v$|(?<=scatter)v$|(?<=alltoall)[vw]$|_block$", "", name)
        calls[f"{collective} {entry.algorithm}"] += entry.calls
    return calls


def verdict(theirs: TestRun, ours: TestRun) -> str:
    """Empty where all is well."""
    only_ours = ours.failed - theirs.failed
    if only_ours:
        return "fails under Stretto only: " + ", ".join(sorted(only_ours))
    if not ours.ended_well or ours.ran < theirs.ran:
        return f"ended early: {ours.ran} of {theirs.ran} tests"
    return ""


def conform(mpi: MpiInterface, all_ranks: Sequence[int], in_turn: bool, console: Console) -> bool:
    """One MPI with one of its interfaces; prints a line a run, as it ends."""
    tests = tests_of_mpi4py()
    turns = selections_in_turn(known_algorithms()) if in_turn else []
    calls: Counter[str] = Counter()
    conforms = True
    name = f"{mpi.launcher.name}, {LABELS[mpi.abi]}"
    console.print(f"{name}: ranks, run, tests, skipped, failed", markup=False)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(name, total=len(all_ranks) * (1 + len(turns)))
        for ranks in all_ranks:
            theirs: TestRun | None = None
            for turn, selection in enumerate([{}, *turns]):
                with tempfile.TemporaryDirectory() as folder:
                    env = rank_environment(native.drop_in(mpi.abi), selection, verbose=False)
                    env |= {COUNTERS: folder, SELECTED: "stretto", "STRETTO_PROGRESS_THREAD": "on"}
                    ours = run(mpi, ranks, tests, env)
                    calls += calls_by_algorithm(Path(folder))
                if in_turn or ours.failed or not (ours.ran and ours.ended_well):
                    theirs = theirs or natively(mpi, ranks, tests, progress)
                wrong = verdict(theirs, ours) if theirs else ""
                conforms = conforms and not wrong
                what = f"Stretto, algorithms {turn}" if turn else "Stretto"
                progress.console.print(line(ranks, what, ours, wrong or "ok"), markup=False)
                progress.advance(task)
    if in_turn:
        console.print(counted(calls))
    return conforms


def natively(mpi: MpiInterface, ranks: int, tests: Path, progress: Progress) -> TestRun:
    found = run(mpi, ranks, tests, {})
    progress.console.print(line(ranks, "native", found, ""), markup=False)
    return found


def line(ranks: int, what: str, found: TestRun, said: str) -> str:
    return f"{ranks:3}  {what:22} {found.ran:5} {found.skipped:5} {len(found.failed):5}  {said}"


def counted(calls: Counter[str]) -> Table:
    table = Table("algorithm", "calls", title="Calls Stretto handled, all runs and ranks")
    for collective, names in known_algorithms().items():
        for name in names:
            number = calls[f"{collective} {name}"]
            few = "" if number >= FEWEST_CALLS else f"  (fewer than {FEWEST_CALLS})"
            table.add_row(f"{collective} {name}", f"{number:,}{few}")
    return table


def mpis_here() -> list[MpiInterface]:
    further = (identify(folder / "bin" / "mpirun") for folder in sorted(FURTHER_MPIS.glob("*")))
    launchers = [*known_launchers(), *filter(None, further)]
    return mpi_interfaces(dict.fromkeys(launchers))  # once each, though PATH may name them too


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="", help="part of its name, say 'MPI 5'; default: all")
    parser.add_argument("--abi", action="append", choices=list(Abi), help="repeatable, default all")
    parser.add_argument("--ranks", type=int, action="append", help="repeatable, default 1-5 and 7")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="without forcing the algorithms; natively only where a test fails",
    )
    chosen = parser.parse_args()
    console = Console(width=max(100, int(os.environ.get("COLUMNS", "100"))))
    conforms = True
    mpis = [
        mpi
        for mpi in mpis_here()
        if chosen.mpi in mpi.launcher.name and (not chosen.abi or mpi.abi in chosen.abi)
    ]
    if not mpis:
        raise StrettoError("no launcher of such an MPI here")
    for mpi in mpis:
        is_further = mpi.launcher.path.is_relative_to(FURTHER_MPIS)
        ranks = chosen.ranks or (RANKS_OF_FURTHER_MPIS if is_further else RANKS)
        conforms &= conform(mpi, ranks, not chosen.quick, console)
    return 0 if conforms else 3


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"conformance: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
