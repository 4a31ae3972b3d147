"""stretto bench calls: what the first calls cost, and from which on they are all alike."""

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.table import Table

from stretto.cli import bench_options as options
from stretto.cli.bench_running import launched, plan_of
from stretto.cli.bench_series import opened
from stretto.cli.consoles import note, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell, BenchPlan
from stretto.data.bench_spec import LAUNCHES
from stretto.launch.bench import find_mpi
from stretto.launch.job import split_words
from stretto.report.bench import BenchResult
from stretto.report.bench_calls import CallCurve, LostCalls, call_curves, lost_calls
from stretto.report.words import seconds, significant, size
from stretto.stats.call_index import SHOWN
from stretto.stats.estimate import Estimate

_SIZE = "8"
_CALLS = SHOWN[-1]


def calls(
    operations: options.Operations = None,
    ranks: options.Ranks = None,
    sizes: options.Sizes = None,
    impl: options.Implementations = None,
    launches: options.Launches = None,
    sync: options.Sync = None,
    like: options.Like = None,
    rig: OnRig = None,
    output: options.Output = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Measure the first calls of OPERATIONs: in a fresh process, and on a fresh communicator.

    Each operation and size has processes of its own, ten launches of them; fewer say little, and a
    line says so. What MPI_Comm_dup takes is measured behind them. Where an MPI changes its
    way after some calls, it is said from which call on all are alike: a warm-up has to be longer.
    Where a call hangs, what would have followed it in its process is not measured in another one.
    The same command resumes what was cut short.

    Example: stretto bench calls allreduce bcast -n 2
    """
    given: dict[str, Any] = {
        "operations": operations,
        "ranks": ranks,
        "sizes": options.sizes_of(sizes or _SIZE),
        "implementations": options.implementations_of(impl) if impl else None,
        "launches": launches,
        "synchronisation": sync,
        "fresh": True,
        # All calls are of interest, and there is nothing to warm up for.
        "warmup": 0,
        "at_least": _CALLS,
        "at_most": _CALLS,
    }
    spec = options.spec_of(None, given)
    if spec.launches < LAUNCHES:
        note(
            f"stretto: --launches {spec.launches}: fewer than {LAUNCHES} fresh processes "
            "say little of first calls"
        )
    mpi = find_mpi(like, launcher, split_words("--launcher-args", launcher_args))
    series = opened("calls", {"spec": msgspec.to_builtins(spec)}, mpi, rig, output)
    found: list[CallCurve] = []
    lost: list[LostCalls] = []
    makings: list[tuple[str, Estimate]] = []
    with launcher_on(mpi.launcher, rig) as where:
        plan = plan_of(spec, mpi, rig, {})
        # What is named twice is measured once.
        runs = {own.name: own for own in (_of_one(plan, cell) for cell in plan.cells)}
        for own in runs.values():
            result, path = launched(own, mpi, where, series.path / own.name, is_part=True)
            curves = call_curves(BenchFolder(path), own.cells)
            found += sorted(curves, key=lambda it: spec.implementations.index(it.implementation))
            lost += lost_calls(result.record)
            makings += _makings(result)
    series.finish(found)
    tables = [_table(found), _making_table(makings), *([_lost_table(lost)] if lost else [])]
    export_tables(map(plain_table, tables), export_csv, export_markdown)
    if as_json:
        shown = {"calls": found, "not_measured": lost}
        print_plain_json({"folder": str(series.path), **msgspec.to_builtins(shown)})
        return
    for table in tables:
        show_table(table, out)
    for line in _sentences(found):
        out.print(line, markup=False, soft_wrap=True)
    note(f"Run folder: {series.path}")


def _of_one(plan: BenchPlan, cell: BenchCell) -> BenchPlan:
    """The operation first in its process, then again, and what making a communicator takes."""
    first = msgspec.structs.replace(cell, number=0)
    again = msgspec.structs.replace(cell, number=1)
    making = BenchCell(2, "comm_dup")
    return msgspec.structs.replace(
        plan, name=f"{cell.name}-{cell.bytes}", cells=[first, again, making], in_order=True
    )


def _makings(result: BenchResult) -> list[tuple[str, Estimate]]:
    return [
        (row.implementation, row.time) for row in result.rows if row.cell.operation == "comm_dup"
    ]


def _table(found: Sequence[CallCurve]) -> Table:
    table = Table(title="What a call costs", title_justify="left", title_style="bold")
    for heading in ("operation", "bytes", "by", "first"):
        table.add_column(heading, no_wrap=heading != "first")
    for call in SHOWN:
        table.add_column(f"call {call}", justify="right", no_wrap=True)
    table.add_column("later", justify="right", no_wrap=True)
    table.add_column("steady from", justify="right")
    for each in found:
        times = [each.calls.get(call) for call in SHOWN]
        table.add_row(
            each.operation,
            size(each.bytes),
            each.implementation,
            each.first_of,
            *(seconds(time.median * 1e-9) if time else "" for time in times),
            seconds(each.later.median * 1e-9),
            "not seen" if each.steady_from is None else f"call {each.steady_from}",
        )
    return table


def _making_table(makings: Sequence[tuple[str, Estimate]]) -> Table:
    table = Table(title="MPI_Comm_dup", title_justify="left", title_style="bold")
    table.add_column("by", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    for implementation, time in makings:
        ends = time.interval.low, time.interval.high
        table.add_row(
            implementation,
            seconds(time.median * 1e-9),
            "-".join(seconds(end * 1e-9) for end in ends),
        )
    return table


def _lost_table(lost: Sequence[LostCalls]) -> Table:
    """In how many launches there are no such calls, and why."""
    table = Table(title="Not measured, or wrong", title_justify="left", title_style="bold")
    for heading in ("operation", "bytes", "by", "first", "launches", "why"):
        table.add_column(heading, overflow="fold")
    for each in lost:
        table.add_row(
            each.operation,
            size(each.bytes),
            each.implementation,
            each.first_of,
            f"{each.launches} of {each.of_launches}",
            f"{each.state}: {each.why}" if each.why else each.state,
        )
    return table


def _sentences(found: Sequence[CallCurve]) -> list[str]:
    lines = []
    for each in found:
        first = each.calls.get(1)
        if first is None or each.later.median <= 0:
            continue
        ratio = first.median / each.later.median
        line = (
            f"{each.operation} of {size(each.bytes)} by {each.implementation}: its first call "
            f"{each.first_of} costs {significant(ratio)} times what later ones do"
        )
        if each.steady_from is not None and each.steady_from > 1:
            line += f"; all are alike from call {each.steady_from} on"
        lines.append(line)
    return lines
