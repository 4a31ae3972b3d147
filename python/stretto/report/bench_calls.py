"""What the first calls of an operation cost, in a fresh process and on a fresh communicator."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from stretto.data.bench_folder import BenchFolder, BenchRecord
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import CellState, over_launches
from stretto.report.bench import BenchResult, reason_of
from stretto.stats.call_index import SHOWN, calls_of, curve, steady_from
from stretto.stats.estimate import Estimate, estimate

# In the order in which a launch measures them.
IN_PROCESS, ON_COMMUNICATOR, MAKING = "in a fresh process", "on a fresh communicator", "making one"
_IN_ORDER = (IN_PROCESS, ON_COMMUNICATOR, MAKING)


@dataclass(frozen=True)
class CallCurve:
    """One operation by one implementation; times in ns, of the median rank."""

    operation: str
    bytes: int
    implementation: str
    first_of: str  # IN_PROCESS or ON_COMMUNICATOR
    calls: dict[int, Estimate]  # by call, from 1
    later: Estimate  # the median of the calls from `steady_from` on, or of the second half
    steady_from: int | None  # None: the calls that were made do not say


@dataclass(frozen=True)
class LostCalls:
    """What some launches of an operation by one implementation say nothing of, or is wrong."""

    operation: str
    bytes: int
    implementation: str
    first_of: str  # IN_PROCESS, ON_COMMUNICATOR or MAKING
    state: str  # skipped, wrong, timeout or failed
    why: str  # in the first of these launches
    launches: int  # in which it is so
    of_launches: int


@dataclass(frozen=True)
class FirstCalls:
    """All that a search for the costs of first calls has found."""

    calls: list[CallCurve]
    not_measured: list[LostCalls]
    makings: list[tuple[str, Estimate]]  # what MPI_Comm_dup takes, by implementation


def calls_found(
    runs: Iterable[tuple[BenchResult, BenchFolder]], shown: Sequence[int] = SHOWN
) -> FirstCalls:
    """What the runs of `stretto bench calls` say, one after the other; `shown` are the calls of
    which there are times."""
    found = FirstCalls([], [], [])
    for result, run in runs:
        plan = result.record.plan
        curves = call_curves(run, plan.cells, shown)
        found.calls.extend(
            sorted(curves, key=lambda it: plan.implementations.index(it.implementation))
        )
        found.not_measured.extend(lost_calls(result.record, result.not_measured))
        found.makings.extend(
            (row.implementation, row.time)
            for row in result.rows
            if row.cell.operation == "comm_dup"
        )
    return found


def lost_calls(
    record: BenchRecord, not_measured: Sequence[tuple[str, BenchCell, CellState]] = ()
) -> list[LostCalls]:
    """Of a run whose cells are what `call_curves` has and the making of a communicator.

    `not_measured` has words, by implementation, where its result has more than the record.
    """
    words = {
        (way, cell.number, it.state): it.why
        for way, cell, it in not_measured
        if it.state == "wrong"
    }
    cells = {cell.number: (cell, of) for cell, of in zip(record.plan.cells, _IN_ORDER, strict=True)}
    made = Counter(launched.implementation for launched in record.launches)
    lost: dict[tuple[str, int, str, str], list[str]] = {}
    for launched in record.launches:
        for state in launched.states:
            if state.state != "done":
                key = launched.implementation, state.cell, state.state, reason_of(state)
                lost.setdefault(key, []).append(state.why)
    return [
        LostCalls(
            operation=cells[number][0].name,
            bytes=cells[number][0].bytes,
            implementation=way,
            first_of=cells[number][1],
            state=state,
            why=words.get((way, number, state), reasons[0]),
            launches=len(reasons),
            of_launches=made[way],
        )
        for (way, number, state, _), reasons in lost.items()
    ]


def call_curves(
    folder: BenchFolder, cells: Sequence[BenchCell], shown: Sequence[int] = SHOWN
) -> list[CallCurve]:
    """Of a run whose first cell is the operation in a fresh process, the second on a communicator
    of its own."""
    return curves_of(folder, [*zip(cells, (IN_PROCESS, ON_COMMUNICATOR), strict=False)], shown)


def curves_of(
    folder: BenchFolder, cells: Sequence[tuple[BenchCell, str]], shown: Sequence[int] = SHOWN
) -> list[CallCurve]:
    """One cell after the other, each with what its first call is of, and of it each implementation,
    in the plan's order; without those of which no repetition is valid."""
    numbers = [cell.number for cell, _ in cells]
    (calls,) = over_launches(folder.samples_by_launch(numbers), calls_of)
    return [
        _curve(of_way, cell, way, first_of, shown)
        for cell, first_of in cells
        for way in folder.record().plan.implementations
        if not (of_way := calls.filter(cell=cell.number, implementation=way)).is_empty()
    ]


def _curve(
    calls: pl.DataFrame,
    cell: BenchCell,
    implementation: str,
    first_of: str,
    shown: Sequence[int],
) -> CallCurve:
    steady = steady_from(calls)
    last = int(calls["call"].max() or 0)  # type: ignore[arg-type]
    begin = steady or max(last // 2, 1)
    later = (
        calls.filter(pl.col("call") >= begin)
        .group_by("launch")
        .agg(pl.col("duration_ns").median())["duration_ns"]
    )
    times_of = {
        row["call"]: calls.filter(call=row["call"])["duration_ns"].to_list()
        for row in curve(calls, shown).iter_rows(named=True)
    }
    return CallCurve(
        operation=cell.name,
        bytes=cell.bytes,
        implementation=implementation,
        first_of=first_of,
        calls={call: estimate(times) for call, times in times_of.items()},
        later=estimate(later.to_list()),
        steady_from=steady,
    )
