"""Plants the faults of tests/mutation/faults.toml one at a time and sees which test catches each.

Works on a copy of the tree, in build/mutation. Exit code 3 where a fault survives that is not
expected to, or fewer than 95 % are caught. Example: make mutation, or

    .venv/bin/python tools/mutation.py --only src/api
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutation" / "tree"
ENOUGH = 0.95
TOO_LONG_S = 600.0
# The cheapest first: most faults of schedules need no MPI to be seen.
MPI_TESTS = ("tests/mpi/test_dropin.py", "tests/mpi/test_api.py", "tests/mpi/test_errors.py")
LATER_TESTS = ("tests/mpi/test_life_cycle.py", "tests/mpi/test_beside.py", "tests/differential")


@dataclass(frozen=True)
class Fault:
    """One edit, and what it does wrong."""

    file: str
    old: str
    new: str
    what: str
    survives: str = ""  # why no test can catch it

    def plant(self) -> None:
        """Edit the copy. Raises ValueError where `old` is not there exactly once."""
        path = COPY / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} does not have once: {self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def remove(self) -> None:
        shutil.copy(ROOT / self.file, COPY / self.file)


def faults() -> list[Fault]:
    table = tomllib.loads((ROOT / "tests/mutation/faults.toml").read_text(encoding="utf-8"))
    return [Fault(**each) for each in table["fault"]]


def copy_tree() -> None:
    """What git knows of, with the tools of this tree's .venv."""
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = COPY / name
        source = ROOT / name
        if not source.is_file():
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue  # so that it is not built again
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def environment() -> dict[str, str]:
    tools = ROOT / ".venv" / "bin"
    return {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(COPY / "python"),
        "STRETTO_NATIVE_DIR": str(COPY / "build" / "release"),
    }


def run(*command: str) -> tuple[int, str]:
    """Exit code, 124 where it took too long, and all it said."""
    try:
        ended = subprocess.run(
            command,
            cwd=COPY,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TOO_LONG_S,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return 124, str(late.stdout or "")
    return ended.returncode, ended.stdout


def build() -> str:
    """Empty, or what the compiler said."""
    # A fault may well leave something unused.
    configured, said = run(
        "cmake", "--preset", "release", "-DSTRETTO_VARIANTS=openmpi", "-DCMAKE_UNITY_BUILD=OFF"
    )
    if configured != 0:
        return said
    built, said = run("cmake", "--build", "build/release")
    return "" if built == 0 else said


def failing_unit_test() -> str:
    code, said = run("build/release/tests/stretto-unit", "--gtest_fail_fast", "--gtest_brief=1")
    if code == 0:
        return ""
    found = re.search(r"\[  FAILED  \] (\S+)", said)
    return found[1].rstrip(",") if found else "stretto-unit (crashed)"


def failing_test(paths: tuple[str, ...], *options: str) -> str:
    """The first to fail, by pytest's name for it; empty where none does."""
    python = str(ROOT / ".venv" / "bin" / "python")
    code, said = run(python, "-m", "pytest", "-x", "-q", "--no-header", *options, *paths)
    if code == 0:
        return ""
    found = re.search(r"(?m)^(?:FAILED|ERROR) (\S+)", said)
    return found[1] if found else f"pytest ended with exit code {code}"


def caught_by() -> str:
    openmpi = ("-k", "openmpi or Open")
    return (
        failing_unit_test()
        or failing_test(MPI_TESTS, *openmpi)
        or failing_test(LATER_TESTS, *openmpi)
        or failing_test(("tests/python/test_cost_comments.py",))
    )


def verdict(fault: Fault) -> str:
    """Which test catches it; empty where it survives."""
    fault.plant()
    try:
        if said := build():
            raise ValueError(f"{fault.file}: the fault does not compile:\n{said[-2000:]}")
        return caught_by()
    finally:
        fault.remove()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="faults in files whose path begins like this")
    chosen = parser.parse_args()
    console = Console(width=max(120, int(os.environ.get("COLUMNS", "120"))))
    wanted = [each for each in faults() if each.file.startswith(chosen.only or "")]
    copy_tree()
    if said := build():
        raise ValueError(f"the tree itself does not build:\n{said[-2000:]}")
    if test := caught_by():
        raise ValueError(f"{test} fails without any fault")
    caught = 0
    unexpected = 0
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("faults", total=len(wanted))
        for fault in wanted:
            test = verdict(fault)
            caught += bool(test)
            unexpected += not test and not fault.survives
            outcome = f"caught by {test}" if test else f"SURVIVES {fault.survives}".rstrip()
            progress.console.print(f"{fault.file}: {fault.what}\n    {outcome}", markup=False)
            progress.advance(task)
    print(f"{caught} of {len(wanted)} faults caught ({100 * caught / len(wanted):.0f} %)")
    return 0 if not unexpected and caught >= ENOUGH * len(wanted) else 3


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        print(f"mutation: {error}", file=sys.stderr)
        sys.exit(2)
