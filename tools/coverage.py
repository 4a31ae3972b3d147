"""Measures which lines of the MPI half the unit tests alone run.

Builds them into build/coverage, runs them and reads what gcov counts, for src/mpi, src/engine,
src/api and src/intercept. A line counts once, however many times it is compiled. Exit code 3
where fewer than 70 % of the lines of all four are run.

Example: make coverage, or, to see which lines of a folder are not run:

    .venv/bin/python tools/coverage.py --missing src/engine
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
FOLDERS = ("src/mpi", "src/engine", "src/api", "src/intercept")
BAR = 0.70
VIOLATED = 3

# By file, relative to the root: how often each of its lines has run.
Counts = dict[str, dict[int, int]]


def run(*command: str | Path) -> None:
    """In the root, with .venv's tools; ends this program where it fails."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        sys.exit(f"coverage: {Path(command[0]).name} failed")


def counted_by(notes: Path) -> Iterator[tuple[str, int, int]]:
    """File, line and count of one object's lines; 0 where nothing has linked it."""
    told = subprocess.run(
        ["gcov", "--json-format", "--stdout", notes],
        cwd=BUILD,
        capture_output=True,
        check=True,
    ).stdout
    for unit in filter(None, told.splitlines()):
        for file in json.loads(unit)["files"]:
            path = Path(os.path.normpath(BUILD / file["file"]))
            if not path.is_relative_to(ROOT):
                continue
            name = str(path.relative_to(ROOT))
            for line in file["lines"]:
                yield name, line["line_number"], line["count"]


def objects() -> list[Path]:
    """What the compiler noted of each object of the four folders.

    What it once noted of objects that no target has any more lies there, too.
    """
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    compiled = {BUILD / command["output"] for command in commands}
    targets = BUILD / "CMakeFiles"
    notes = [each for folder in FOLDERS for each in targets.glob(f"*/{folder}/**/*.gcno")]
    return [each for each in notes if each.with_suffix(".o") in compiled]


def count() -> Counts:
    counts: Counts = defaultdict(lambda: defaultdict(int))
    with ThreadPoolExecutor() as pool:
        for lines in pool.map(lambda notes: list(counted_by(notes)), objects()):
            for name, line, times in lines:
                if name.startswith(FOLDERS):
                    counts[name][line] += times
    return counts


def ranges(lines: Iterable[int]) -> str:
    """Line numbers, those in a row as first-last."""
    runs = (
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(lines)), lambda pair: pair[1] - pair[0])
    )
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def share(counts: Counts, folder: str) -> tuple[int, int]:
    """Lines of a folder that have run, and all."""
    times = [n for name, lines in counts.items() if name.startswith(folder) for n in lines.values()]
    return sum(n > 0 for n in times), len(times)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--missing", metavar="FOLDER", help="name its lines that are not run")
    options = parser.parse_args()
    run("cmake", "--preset", "coverage", "--log-level=WARNING")
    run("cmake", "--build", BUILD, "--target", "unit-tests")
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    for tests in sorted(BUILD.glob("tests/stretto-unit*")):
        run(tests, "--gtest_brief=1")

    counts = count()
    console = Console()
    if options.missing:
        for name, lines in sorted(counts.items()):
            missing = [line for line, times in lines.items() if times == 0]
            if name.startswith(options.missing) and missing:
                console.print(f"{name}: {ranges(missing)}", highlight=False, soft_wrap=True)
    table = Table("folder", "run", "lines", "share")
    ran = total = 0
    for folder in FOLDERS:
        here, all_here = share(counts, folder)
        ran, total = ran + here, total + all_here
        table.add_row(folder, str(here), str(all_here), f"{here / max(all_here, 1):.1%}")
    table.add_section()
    table.add_row("all four", str(ran), str(total), f"{ran / max(total, 1):.1%}")
    console.print(table)
    return VIOLATED if ran < BAR * total else 0


if __name__ == "__main__":
    sys.exit(main())
