"""Simulations of a collective: many cases on one machine, some at a time."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stretto.data.schedules import Algorithm, Simulated
from stretto.model.arrivals import Arrivals
from stretto.model.machine import Machine
from stretto.native.schedules import Unsuited, simulate


@dataclass(frozen=True)
class Noise:
    """What the system takes of each CPU."""

    period_ns: float
    lasts_ns: float


@dataclass(frozen=True)
class Conditions:
    """What all cases have in common; counts and segments are in elements."""

    element_bytes: int
    count: int
    signal_bytes: int | None  # what a signal of a barrier carries; None: it is no barrier
    segment: int
    radix: int
    root: int
    arrivals: Arrivals | None
    noise: Noise | None
    seed: int  # of random arrivals and of the noise
    path: str  # which engine


@dataclass(frozen=True)
class Case:
    """One simulation."""

    algorithm: Algorithm
    ranks: int


def simulate_all(
    machine: Machine, conditions: Conditions, cases: Sequence[Case], workers: int
) -> Iterator[tuple[Case, Simulated | Unsuited]]:
    """Answers as they come, or why there is none; not in the order of the cases."""
    ranks = {case.ranks for case in cases}
    with _files(machine, conditions, ranks) as files, ThreadPoolExecutor(workers) as pool:
        running = {
            pool.submit(
                simulate,
                case.algorithm.collective,
                case.algorithm.algorithm,
                _options(conditions, case) + files[case.ranks],
            ): case
            for case in cases
        }
        try:
            for future in as_completed(running):
                try:
                    yield running[future], future.result()
                except Unsuited as unsuited:
                    yield running[future], unsuited
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _files(
    machine: Machine, conditions: Conditions, all_ranks: Iterable[int]
) -> Iterator[dict[int, list[str]]]:
    """What the native simulator reads: its options that name files, by the number of ranks."""
    with tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        described = Path(folder) / "machine"
        described.write_text(machine.for_the_tool(), encoding="utf-8")
        found = {}
        for ranks in all_ranks:
            found[ranks] = ["--machine", str(described)]
            if conditions.arrivals is not None:
                times = conditions.arrivals.times(ranks, conditions.seed)
                file = Path(folder) / f"arrivals-{ranks}"
                file.write_text("\n".join(map(repr, times.tolist())), encoding="utf-8")
                found[ranks] += ["--arrivals", str(file)]
        yield found


def _options(conditions: Conditions, case: Case) -> list[str]:
    noise = conditions.noise
    options = {
        "--ranks": case.ranks,
        "--count": conditions.count,
        "--element-bytes": conditions.element_bytes,
        "--signal-bytes": conditions.signal_bytes,
        "--segment": conditions.segment if case.algorithm.uses_segment else None,
        "--radix": conditions.radix if case.algorithm.uses_radix else None,
        "--root": conditions.root or None,
        "--noise-period": noise and noise.period_ns,
        "--noise-lasts": noise and noise.lasts_ns,
        "--seed": conditions.seed,
        "--path": conditions.path,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return [str(word) for option in given.items() for word in option]
