"""The first hour with Stretto: each verb on three small programs (C, Fortran's mpi_f08, mpi4py),
first as it is meant, then with what goes wrong, each held against what the documentation promises.

A line is what a user types, in a folder of its own or, where it goes on from another one, in that
one's. Exit code 3 where one ends otherwise than promised. Example: make first-hour, or

    .venv/bin/python tools/first_hour.py --only profile --language C
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from first_hour_bench import BENCH
from first_hour_promises import LANGUAGES, Step, broken_promises
from first_hour_user import Program, User, page, programs, why_not
from first_hour_verbs import VERBS
from first_hour_wrong import WRONG
from first_hour_wrong_runs import WRONG_RUNS

STEPS: Sequence[Step] = (*VERBS, *BENCH, *WRONG, *WRONG_RUNS)


def walk(program: Program, steps: Sequence[Step], scratch: Path) -> tuple[int, int]:
    """How many steps there were, and how many ended otherwise than promised; prints a line each."""
    user = User(program, scratch / f"{program.mpi.name}-{program.language}")
    print(f"\n{program.language} on {program.mpi.product}", flush=True)
    if why := user.compile():
        print(f"  skipped: {why}", flush=True)
        return 0, 0
    failed = done = 0
    for number, step in enumerate(steps, 1):
        where = f"{number}/{len(steps)}"
        if why := why_not(step):
            print(f"  skipped  {where:>7}  {step.name}: {why}", flush=True)
            continue
        begun = time.monotonic()
        ended = user.types(step)
        broken = broken_promises(step, ended, page)
        took = time.monotonic() - begun
        done += 1
        failed += bool(broken)
        print(
            f"  {'FAILED' if broken else 'ok':7}  {where:>7}  {took:5.1f} s  {step.name}: "
            f"{user.shown(step)}",
            flush=True,
        )
        for line in broken:
            print(f"           {line}", flush=True)
        if broken:
            for line in [*ended.stdout.splitlines(), *ended.stderr.splitlines()][-40:]:
                print(f"           | {line}", flush=True)
    return done, failed


def chosen_steps(program: Program, words: Iterable[str], *, is_first: bool) -> list[Step]:
    """Those of this program whose name or line has one of these words, and what they go on from.

    `is_first`: of those on an MPI.
    """
    mine = {
        step.name: step
        for step in STEPS
        if program.language in step.languages and (program.mpi.is_first or step.every_mpi)
    }

    def starts_it(step: Step) -> bool:
        own = "$APP" in step.line + step.before
        return own or any(starts_it(mine[name]) for name in step.after if name in mine)

    if not is_first:
        mine = {name: step for name, step in mine.items() if starts_it(step)}
    words = list(words)
    wanted = {
        name
        for name, step in mine.items()
        if not words or any(word in f"{name} {step.line}" for word in words)
    }
    todo = list(wanted)
    while todo:
        for name in mine[todo.pop()].after:
            if name not in wanted:
                wanted.add(name)
                todo.append(name)
    return [step for name, step in mine.items() if name in wanted]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD",
        help="steps with that in their name or line, and what they go on from; repeatable",
    )  # fmt: skip
    parser.add_argument("--language", choices=LANGUAGES, help="only this program")
    parser.add_argument("--mpi", metavar="NAME", help="only this MPI: openmpi, mpich")
    chosen = parser.parse_args(arguments)
    # What a shell starts in the background ignores it, and so would all that is started from here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.monotonic()
    done = failed = 0
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="stretto-first-hour-") as scratch:
        for program in programs():
            if chosen.language not in (None, program.language):
                continue
            if chosen.mpi not in (None, program.mpi.name):
                continue
            is_first = program.mpi.name not in seen
            seen.add(program.mpi.name)
            steps = chosen_steps(program, chosen.only, is_first=is_first)
            its_done, its_failed = walk(program, steps, Path(scratch)) if steps else (0, 0)
            done += its_done
            failed += its_failed
    took = time.monotonic() - begun
    if not done:
        print("first-hour: no such step, or no MPI to walk it with", file=sys.stderr)
        return 2
    print(f"\n{done} steps in {took / 60:.1f} min: {failed} ended otherwise than promised")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
