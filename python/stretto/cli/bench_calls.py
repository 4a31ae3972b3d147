"""stretto bench calls: what the first calls cost, and from which on they are all alike."""

from functools import partial
from typing import Any

import msgspec

from stretto.cli import bench_options as options
from stretto.cli.bench_calls_shown import show_calls
from stretto.cli.bench_running import launched, or_new, plan_of
from stretto.cli.bench_series import opened
from stretto.cli.consoles import note
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.table_export import ExportCsv, ExportMarkdown
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell, BenchPlan
from stretto.data.bench_spec import LAUNCHES
from stretto.launch.bench import find_mpi
from stretto.launch.job import split_words
from stretto.report.bench_calls import calls_found
from stretto.stats.call_index import SHOWN

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
    with launcher_on(mpi.launcher, rig) as where:
        plan = plan_of(spec, mpi, rig, {})
        # What is named twice is measured once.
        runs = {own.name: own for own in (_of_one(plan, cell) for cell in plan.cells)}
        made = []
        for name, own in runs.items():
            path = series.path / name
            made.append(or_new(partial(launched, own, mpi, where, path, is_part=True), path))
    found = calls_found((result, BenchFolder(path)) for result, path in made)
    series.finish(found.calls)
    show_calls(found, series.path, export_csv, export_markdown, as_json=as_json)


def _of_one(plan: BenchPlan, cell: BenchCell) -> BenchPlan:
    """The operation first in its process, then again, and what making a communicator takes."""
    first = msgspec.structs.replace(cell, number=0)
    again = msgspec.structs.replace(cell, number=1)
    making = BenchCell(2, "comm_dup")
    return msgspec.structs.replace(
        plan, name=f"{cell.name}-{cell.bytes}", cells=[first, again, making], in_order=True
    )
