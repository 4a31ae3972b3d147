"""Many runs of the same benchmark as a history: what changed, and in which run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl

from stretto.data.bench_folder import BenchFolder, BenchRecord
from stretto.data.bench_plan import COMPUTE
from stretto.errors import InputError, StrettoError
from stretto.report.bench import BenchRow, rows_of_run
from stretto.report.bench_pairs import HiddenInRun, hidden_in, is_as_much, plain_cell, planned_cell
from stretto.report.cell_words import cell_words
from stretto.report.unlike_runs import unlike
from stretto.stats.difference import adjusted, can_differ, difference, launches_needed, shift
from stretto.stats.estimate import LEVEL, Interval, estimate

_Read = TypeVar("_Read")
SHARE = "share"
# Of each line the rows, and of which run each is.
Found = dict[tuple[object, ...], list[tuple[int, BenchRow]]]
# The same of what was hidden.
Shares = dict[tuple[object, ...], list[tuple[int, HiddenInRun]]]


@dataclass(frozen=True)
class HistoryRun:
    """One run, and what its rows say."""

    path: Path
    record: BenchRecord
    rows: list[BenchRow]
    launches: pl.DataFrame = field(compare=False)  # as `of_launches` has them

    @property
    def label(self) -> str:
        """When it was, and at which commit."""
        when = self.record.provenance.started_at[:16].replace("T", " ")
        return " ".join(filter(None, (when, self.record.provenance.git)))

    @property
    def mpi(self) -> str:
        """The MPI, as its ranks know it."""
        facts = (it.facts.mpi for it in self.record.launches if it.facts)
        return " ".join(next(facts, "").partition(",")[0].split())

    @property
    def plan(self) -> tuple[str, int]:
        """What runs must have in common to be of one history: the plan's name, and the ranks."""
        return self.record.plan.name, self.record.plan.ranks


@dataclass(frozen=True)
class HistoryPoint:
    """What one run says of one thing, in the unit of its line."""

    run: int  # which of the runs
    median: float
    low: float
    high: float
    # Of the run before that has it: how many times as long this one took, and of the changes on
    # the page those that are no chance.
    factor: float | None = None
    interval: Interval | None = None
    p: float | None = None
    shift: float | None = None  # of a share instead of the factor: by how much it is more now

    @property
    def changed(self) -> bool:
        """It took longer or less than in the run before, beyond chance."""
        return self.p is not None and self.p <= 1 - LEVEL


@dataclass(frozen=True)
class HistoryLine:
    """One operation of one size on the ranks of one class, by one implementation.

    Where work beside it is as many times what it takes alone in all runs, and not as long, times
    have that difference in them: it is a share then, of what could be hidden that was (IMB).
    """

    plan: str
    name: str
    what: str
    rank_class: str
    implementation: str
    points: list[HistoryPoint]
    unit: str = "ns"  # or SHARE


@dataclass(frozen=True)
class BenchHistory:
    """All runs, the oldest first."""

    runs: list[HistoryRun]
    lines: list[HistoryLine]
    warnings: list[str]

    @property
    def changes(self) -> list[tuple[HistoryLine, HistoryPoint]]:
        """The newest first, and of a run the largest."""
        found = [(line, it) for line in self.lines for it in line.points if it.changed]
        return sorted(found, key=lambda each: (-each[1].run, -_size(each[1])))


def _size(point: HistoryPoint) -> float:
    factor = point.factor or 1.0
    return max(factor, 1 / factor) if point.shift is None else 1 + abs(point.shift)


def read_history(folder: Path, most: int) -> BenchHistory:
    """The newest `most` complete runs in a folder. Raises InputError where there is none."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    inside = [BenchFolder(path.parent) for path in sorted(folder.glob("*/bench.json"))]
    warnings: list[str] = []
    complete = [
        (run, record)
        for run in inside
        if run.complete and (record := _readable(run.record, warnings)) is not None
    ]
    complete.sort(key=lambda each: each[1].provenance.started_at)
    runs = []
    for run, record in complete[-most:]:
        read = _readable(partial(rows_of_run, run, record.plan.cells), warnings)
        if read is not None:
            runs.append(HistoryRun(run.path, record, *read))
    if not runs:
        why = f": {warnings[0]}" if warnings else ""
        raise InputError(f"{folder} has no complete run of stretto bench in it{why}")
    unfinished = sum(not run.complete for run in inside)
    if unfinished:
        warnings.append(f"{unfinished} runs are not finished, and left out")
    if len(complete) > most:
        warnings.append(f"{len(complete) - most} older runs are left out")
    return history_of(runs, warnings)


def _readable(read: Callable[[], _Read], warnings: list[str]) -> _Read | None:
    """What is read, or None with a warning: one damaged run is not the end of a history."""
    try:
        return read()
    except StrettoError as error:
        warnings.append(f"{error}; it is left out")
        return None


def history_of(runs: Sequence[HistoryRun], warnings: Sequence[str] = ()) -> BenchHistory:
    """Runs, the oldest first, as lines, with the changes between each and the one before."""
    found: Found = {}
    for number, run in enumerate(runs):
        for row in run.rows:
            if row.cell.operation != COMPUTE:
                cell = msgspec.json.encode(planned_cell(row.cell))
                whose = (*run.plan, cell, row.rank_class, row.implementation)
                found.setdefault(whose, []).append((number, row))
    found, shares = _with_shares(runs, found)
    points = [
        point
        for key, rows in found.items()
        for point in (_share_points(shares[key]) if key in shares else _points(rows))
    ]
    tested = [it.p for it in points if it.p is not None]
    corrected = iter(adjusted(tested))
    known = [it if it.p is None else replace(it, p=next(corrected)) for it in points]
    lines, at = [], 0
    for key, rows in found.items():
        row = rows[-1][1]
        lines.append(
            HistoryLine(
                "{}, {} ranks".format(*runs[rows[0][0]].plan),
                row.cell.name,
                cell_words(row.cell),
                row.rank_class,
                row.implementation,
                known[at : at + len(rows)],
                SHARE if key in shares else "ns",
            )
        )
        at += len(rows)
    return BenchHistory([*runs], lines, [*warnings, *_doubts(runs, found, len(tested))])


def _with_shares(runs: Sequence[HistoryRun], found: Found) -> tuple[Found, Shares]:
    """Lines whose work is the same by plan alone, with the shares that were hidden; what has none,
    or work that is another experiment than in the newest run, is a line of its own."""
    lines: Found = {}
    shares: Shares = {}
    for key, rows in found.items():
        if len({msgspec.json.encode(plain_cell(row.cell)) for _, row in rows}) == 1:
            lines[key] = rows
            continue
        hidden = [
            hidden_in(runs[number].record.plan.cells, runs[number].launches, row)
            for number, row in rows
        ]
        newest = next((it for it in reversed(hidden) if it is not None), None)
        for (number, row), it in zip(rows, hidden, strict=True):
            if newest is not None and it is not None and is_as_much(it, newest):
                lines.setdefault(key, []).append((number, row))
                shares.setdefault(key, []).append((number, it))
            else:
                own = (*key, msgspec.json.encode(plain_cell(row.cell)))
                lines.setdefault(own, []).append((number, row))
    return lines, shares


def _share_points(rows: Sequence[tuple[int, HiddenInRun]]) -> Iterator[HistoryPoint]:
    before: HiddenInRun | None = None
    for number, hidden in rows:
        it = estimate(hidden.shares)
        values = (it.median, it.interval.low, it.interval.high)
        # Two may both be near the newest and yet far from each other.
        if before is None or not is_as_much(hidden, before):
            yield HistoryPoint(number, *values)
        else:
            made = shift(hidden.shares, before.shares)
            yield HistoryPoint(number, *values, None, made.interval, made.p, made.by)
        before = hidden


def _points(rows: Sequence[tuple[int, BenchRow]]) -> Iterator[HistoryPoint]:
    before: BenchRow | None = None
    for number, row in rows:
        time = row.time
        values = (time.median, time.interval.low, time.interval.high)
        if before is None or min(*before.launches, *row.launches) <= 0:
            yield HistoryPoint(number, *values)
        else:
            made = difference(row.launches, before.launches)
            yield HistoryPoint(number, *values, made.ratio, made.interval, made.p)
        before = row


def _doubts(
    runs: Sequence[HistoryRun],
    found: Found,
    tests: int,
) -> Iterator[str]:
    pairs = [
        (len(one.launches), len(other.launches))
        for rows in found.values()
        for (_, one), (_, other) in pairwise(rows)
    ]
    if tests and not any(can_differ(*pair, tests) for pair in pairs):
        yield (
            f"{tests} comparisons of so few launches can show no change, however large: launch "
            f"{launches_needed(tests)} each"
        )
    yield from unlike([run.record for run in runs])
    hosts = {run.record.provenance.machine.hostname for run in runs}
    if len(hosts) > 1:
        yield (
            f"the runs are of {len(hosts)} machines, and changes may be from one to another: "
            f"{', '.join(sorted(hosts))}"
        )
    mpis = {run.mpi for run in runs if run.mpi}
    if len(mpis) > 1:
        yield (
            f"the runs are of {len(mpis)} MPIs, and changes may be from one to another: "
            f"{', '.join(sorted(mpis))}"
        )
