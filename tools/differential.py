"""Random sequences of collectives under Stretto against the MPI alone.

Exit code 3 where anything differs; then it prints the smallest sequence that still does, in
words, and the command that runs it again. Example: make differential, or

    .venv/bin/python tools/differential.py --abi mpich --ranks 3 --sequences 500 --seed 7

The sequences are those of tests/differential.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace

from mpi_runs import MPIS, Mpi, algorithms_in_turn
from sequence_runs import MOST_COMMUNICATORS, PROGRESS_THREAD, Batch, Compared, Simpler, compare
from sequence_shrink import shrink

from stretto.data.counters import summed
from stretto.errors import InputError, StrettoError
from stretto.launch.base import Abi

BATCH = 100
# MPICH's ranks spin where there are more than cores.
RANKS = {Abi.OPENMPI: (2, 3, 4, 5), Abi.MPICH: (2, 2, 3, 2, 2, 2, 4)}
HANGS_AFTER_S = 90.0  # a batch
MOST_FAILURES = 3  # of one MPI: then something is wrong with all of it


def settings_in_turn() -> list[dict[str, str]]:
    """Stretto's own choices, each algorithm forced, and without a progress thread."""
    on, off = {PROGRESS_THREAD: "on"}, {PROGRESS_THREAD: "off"}
    return [on, *({**forced, **on} for forced in algorithms_in_turn()), off]


def batches(mpi: Mpi, chosen: argparse.Namespace) -> Iterator[Batch]:
    all_ranks = chosen.ranks or RANKS[mpi.abi]
    turns = [dict(each.split("=", 1) for each in chosen.set)] if chosen.set else settings_in_turn()
    end = chosen.first + chosen.sequences
    for number, first in enumerate(range(chosen.first, end, BATCH)):
        yield Batch(
            mpi=mpi,
            # Not in step with the settings, so that all pairs occur.
            ranks=all_ranks[(number // len(turns) + number) % len(all_ranks)],
            seed=chosen.seed,
            first=first,
            count=min(BATCH, end - first),
            settings=turns[number % len(turns)],
            most_communicators=chosen.most_communicators,
            callbacks=chosen.callbacks,
            threads=chosen.threads,
            mpmd=chosen.mpmd,
            simpler=simpler(chosen),
        )


def simpler(chosen: argparse.Namespace) -> Simpler:
    keep = None if chosen.keep is None else tuple(map(int, chosen.keep.split(",")))
    return Simpler(keep, chosen.most_count, chosen.plain, chosen.prompt, chosen.in_turn)


def report(batch: Batch, outcome: Compared) -> None:
    """What failed, as small as it gets."""
    assert outcome.failure is not None
    print(f"  sequence {outcome.failure.sequence}: {outcome.failure.what}; shrinking", flush=True)
    smallest = shrink(batch, outcome.failure)
    if smallest is None:
        print("  it passes by itself; the whole batch:")
    else:
        batch, outcome = smallest
        assert outcome.failure is not None
        print(f"  on {batch.ranks} ranks: {outcome.failure.what}")
        print("\n".join(f"    {line}" for line in batch.in_words()))
    if outcome.last_words:
        print(outcome.last_words)
    print(f"  again: {batch.command()}", flush=True)


def around(batch: Batch, sequence: int) -> list[Batch]:
    """What is left of a batch without one sequence."""
    end = batch.first + batch.count
    parts = [(batch.first, sequence), (sequence + 1, end)]
    return [replace(batch, first=first, count=to - first) for first, to in parts if first < to]


def differ(mpi: Mpi, chosen: argparse.Namespace) -> int:
    """Sequences of one MPI; how many failures there were."""
    started = time.monotonic()
    calls: Counter[str] = Counter()
    failures = native_failures = done = 0
    persistent = "stand-ins"
    left = deque(batches(mpi, chosen))
    while left:
        batch = left.popleft()
        outcome = compare(batch, HANGS_AFTER_S)
        if outcome.failure is not None and outcome.failure.native:
            # Not Stretto's; those around it can still be compared.
            native_failures += 1
            print(f"  sequence {outcome.failure.sequence}: {outcome.failure.what}", flush=True)
            left.extendleft(around(batch, outcome.failure.sequence))
            continue
        done += batch.count
        counters = summed(outcome.counters)
        persistent = outcome.persistent or persistent
        calls["handled"] += counters.calls_handled
        calls["passed"] += counters.calls_passed
        for each in counters.handled:
            calls[f"{each.call} {each.algorithm}"] += each.calls
        if outcome.failure is not None:
            failures += 1
            report(batch, outcome)
            if failures == MOST_FAILURES:
                break
    print(
        f"{mpi.launcher.name}: {done:,} sequences, {failures} differences, "
        f"{native_failures} more that fail on the MPI alone, "
        f"{calls['handled']:,} calls handled by Stretto, {calls['passed']:,} passed to the MPI, "
        f"persistent {persistent}, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--abi", action="append", help="openmpi or mpich; repeatable, default all")
    parser.add_argument("--ranks", type=int, action="append", help="repeatable, default 2 to 5")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first sequence")
    parser.add_argument("--sequences", type=int, default=10_000, help="of each MPI")
    parser.add_argument("--set", action="append", metavar="NAME=VALUE", help="setting of Stretto's")
    parser.add_argument("--keep", metavar="IDS", help="only these actions of the sequences")
    parser.add_argument("--most-count", type=int, help="elements at most")
    parser.add_argument("--plain", action="store_true", help="only MPI_INT and MPI_SUM")
    parser.add_argument("--prompt", action="store_true", help="no rank is late")
    parser.add_argument("--in-turn", action="store_true", help="complete by MPI_Wait, in order")
    parser.add_argument("--callbacks", action="store_true", help="those of the program call MPI")
    parser.add_argument("--threads", action="store_true", help="two at a time make communicators")
    parser.add_argument("--mpmd", action="store_true", help="the last rank is a second program's")
    parser.add_argument("--most-communicators", type=int, default=MOST_COMMUNICATORS)
    chosen = parser.parse_args()
    mpis = [mpi for mpi in MPIS.values() if not chosen.abi or mpi.abi in chosen.abi]
    if not mpis:
        raise InputError("no launcher of such an MPI here, or programs were not built for it")
    return 3 if sum([differ(mpi, chosen) for mpi in mpis]) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"differential: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
