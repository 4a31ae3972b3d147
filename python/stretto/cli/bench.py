"""stretto bench: what collectives cost here, on each rank."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from typer.core import TyperGroup

from stretto.cli import bench_options as options
from stretto.cli.bench_tables import not_measured_table, tables
from stretto.cli.consoles import err, note, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.run_folders import RUNS, make_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import (
    BenchFolder,
    BenchRecord,
    begin,
    discard,
    resume,
    resume_newest,
)
from stretto.data.bench_plan import BenchPlan
from stretto.data.bench_spec import Spec, cells_of
from stretto.data.provenance import collect
from stretto.launch.bench import Bench, Measured, find_mpi, implementation, start_of
from stretto.launch.job import split_words
from stretto.report.bench import TOO_FEW_VALID, BenchResult, rows_of, summarise
from stretto.stats.estimate import enough

EXIT_NOT_VALID = 3
_MOST_LAUNCHES = 50
_QUICK = {"launches": 3, "budget_ms": 10, "at_most": 200}


class RunByDefault(TyperGroup):
    """`stretto bench bcast` is `stretto bench run bcast`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=RunByDefault,
    help="Measure collectives per rank, with raw samples and honest statistics.\n\n"
    "Without a verb of its own it runs: stretto bench bcast allreduce -n 4",
)


@app.command()
def run(
    operations: options.Operations = None,
    ranks: Annotated[
        int | None, typer.Option("--ranks", "-n", "-np", min=1, help="How many; otherwise 2.")
    ] = None,
    plan: options.PlanFile = None,
    sizes: options.Sizes = None,
    impl: options.Implementations = None,
    launches: options.Launches = None,
    quick: options.Quick = False,
    width: options.Width = None,
    most_launches: options.MostLaunches = None,
    sync: options.Sync = None,
    buffers: options.BufferOption = None,
    root: options.Root = None,
    comm: options.CommOption = None,
    datatype: options.DatatypeOption = None,
    op: options.OpOption = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="With MPI_IN_PLACE.")] = False,
    counts: options.Counts = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="On a new communicator for each operation and size.")
    ] = False,
    compute: options.Compute = None,
    tests: options.Tests = None,
    after: Annotated[
        bool, typer.Option("--after", help="As much work again after the wait.")
    ] = False,
    late: options.Late = None,
    delay: options.Delay = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare results with what they must be.")
    ] = False,
    seed: options.Seed = None,
    cell_timeout: Annotated[
        int | None,
        typer.Option(metavar="SECONDS", min=1, help="What takes longer is ended; otherwise 30."),
    ] = None,
    like: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="Measure the MPI that this one loads.")
    ] = None,
    rig: OnRig = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The run folder."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be measured, and the launches.")
    ] = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Measure OPERATIONs on every rank: root and others apart, with intervals over launches.

    The same command resumes a run that was cut short. Exit code 3 where less than 20 % of the
    repetitions of something are valid.

    Example: stretto bench gather ibcast -n 4 --impl native,stretto --quick
    """
    given: dict[str, Any] = {
        "operations": operations,
        "ranks": ranks,
        "sizes": options.sizes_of(sizes) if sizes else None,
        "implementations": impl.split(",") if impl else None,
        "width": width,
        "most_launches": most_launches,
        "synchronisation": sync,
        "buffers": buffers,
        "comm": comm,
        "datatype": datatype,
        "op": op,
        "counts": options.counts_in(counts) if counts else None,
        "compute": options.numbers_of("--compute", compute) if compute else None,
        "tests": [int(it) for it in options.numbers_of("--tests", tests)] if tests else None,
        "late": late,
        "delay_us": delay,
        "seed": seed,
        "cell_timeout_s": cell_timeout,
        **(options.root_of(root) if root else {}),
        **(_QUICK if quick else {}),
        **({"launches": launches} if launches else {}),
        **{
            name: value
            for name, value, is_given in (
                ("in_place", True, in_place),
                ("fresh", True, fresh),
                ("after", True, after),
                ("checks", False, no_check),
            )
            if is_given
        },
    }
    spec = options.spec_of(plan, given)
    mpi = find_mpi(like, launcher, split_words("--launcher-args", launcher_args))
    result, folder = measured(spec, mpi, rig, output, dry_run=dry_run)
    if result is not None:
        show(result, folder, export_csv, export_markdown, as_json=as_json)


def measured(
    spec: Spec, mpi: Measured, rig: str | None, output: Path | None, *, dry_run: bool = False
) -> tuple[BenchResult | None, Path]:
    """Run a plan, or go on with it; None where it is only said what would be run."""
    for text in spec.implementations:
        implementation(text, mpi, spec.ranks)  # before the launches, not after some of them
    with launcher_on(mpi.launcher, rig) as where:
        unknown = dict[tuple[str, int], int]()
        if dry_run:
            _say_plan(spec, mpi, _plan_of(spec, mpi, rig, unknown))
            return None, Path()
        alone = _pilot(spec, mpi, rig, where) if spec.needs_pilot else unknown
        plan = _plan_of(spec, mpi, rig, alone)
        folder = _folder(plan, mpi, output)
        with _saying_how_to_resume(folder), _bar(plan) as done:
            bench = Bench(plan, folder, mpi, where, done)
            made = bench.run(lambda count: _is_enough(plan, folder, count))
        folder.finish(made)
    return summarise(folder), folder.path


def _plan_of(
    spec: Spec, mpi: Measured, rig: str | None, alone_ns: dict[tuple[str, int], int]
) -> BenchPlan:
    return BenchPlan(
        name=spec.name,
        implementations=spec.implementations,
        ranks=spec.ranks,
        launches=spec.launches,
        seed=spec.seed,
        settings=spec.settings(),
        cells=cells_of(spec, alone_ns),
        launcher=mpi.launcher.name,
        rig=rig,
        width=spec.width,
        most_launches=spec.most_launches or max(_MOST_LAUNCHES, spec.launches),
    )


def _is_enough(plan: BenchPlan, folder: BenchFolder, launches: int) -> bool:
    """Of so many launches; with a width, those of every row are asked."""
    if launches < plan.launches:
        return False
    if plan.width is None or launches >= plan.most_launches:
        return True
    for way, _ in enumerate(plan.implementations):
        frames = [folder.samples_so_far(launch, way) for launch in range(launches)]
        rows = [row for frame in frames for row in rows_of(frame, plan.cells)]
        medians: dict[tuple[int, str], list[float]] = {}
        for row in rows:
            medians.setdefault((row.cell.number, row.rank_class), []).extend(row.launches)
        if not all(enough(each, plan.width) for each in medians.values()):
            return False
    return True


def _pilot(spec: Spec, mpi: Measured, rig: str | None, where: Any) -> dict[tuple[str, int], int]:
    """What operations take alone, in ns, by one launch of the first implementation."""
    alone = msgspec.structs.replace(
        spec,
        name=f"{spec.name}-pilot",
        implementations=spec.implementations[:1],
        launches=1,
        compute=[],
        tests=[0],
        late="",
    )
    plan = _plan_of(alone, mpi, rig, {})
    folder = _folder(plan, mpi, None)
    with _bar(plan) as done:
        made = Bench(plan, folder, mpi, where, done).run(lambda count: count >= 1)
    folder.finish(made)
    found: dict[tuple[str, int], int] = {}
    for row in summarise(folder).rows:
        key = row.cell.name, row.cell.bytes
        found[key] = max(found.get(key, 0), round(row.maximum))
    return found


def _folder(plan: BenchPlan, mpi: Measured, output: Path | None) -> BenchFolder:
    """One that was cut short, or a new one."""
    found = resume(output, plan) if output else resume_newest(RUNS, plan)
    if found is not None:
        note(f"Resuming {found.path}")
        return found
    if output is not None:
        discard(output)
    path = make_folder(output, plan.name)
    ways = [implementation(each, mpi, plan.ranks) for each in plan.implementations]
    commands = {
        way.name: shlex.join(mpi.launcher.command(start_of(mpi, way, plan.ranks, path)))
        for way in ways
    }
    provenance = collect(
        argv=sys.argv,
        program=mpi.program,
        mpi_library=Path(mpi.library) if "/" in mpi.library else None,
    )
    return begin(path, BenchRecord(plan, provenance, commands))


@contextmanager
def _bar(plan: BenchPlan) -> Iterator[Any]:
    """Of cells over all launches, with the time that is left."""
    total = len(plan.cells) * len(plan.implementations) * plan.launches
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TextColumn("cells, left"), TimeRemainingColumn(), console=err) as bar:
        task = bar.add_task(plan.name, total=total)
        yield lambda count: bar.update(task, advance=count)


@contextmanager
def _saying_how_to_resume(folder: BenchFolder) -> Iterator[None]:
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        with suppress(OSError):
            note(
                f"Interrupted; what was measured is in {folder.path}, and the same command goes on"
            )
        raise


def _say_plan(spec: Spec, mpi: Measured, plan: BenchPlan) -> None:
    """What would be measured, without measuring it."""
    ways = [implementation(each, mpi, plan.ranks) for each in plan.implementations]
    print(f"{plan.launches} launches of each of {len(ways)}, {len(plan.cells)} cells in each")
    if spec.needs_pilot:
        print("one launch before, which finds out how much work is to be done beside operations")
    for way in ways:
        command = mpi.launcher.command(start_of(mpi, way, plan.ranks, RUNS / plan.name))
        print(f"{way.name}: {shlex.join(command)}")
    for name in dict.fromkeys(cell.name for cell in plan.cells):
        sizes = [str(cell.bytes) for cell in plan.cells if cell.name == name]
        print(f"{name}: {','.join(dict.fromkeys(sizes))} B")


def show(
    result: BenchResult,
    folder: Path,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    as_json: bool,
) -> None:
    """The tables, what is to be doubted, and where the samples are."""
    shown: Sequence[Table] = [*tables(result), *filter(None, [not_measured_table(result)])]
    export_tables(map(plain_table, shown), export_csv, export_markdown)
    if as_json:
        print_plain_json(_plain(result, folder))
    else:
        for table in shown:
            show_table(table, out)
        for warning in result.warnings:
            err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
        note(f"Run folder: {folder}")
    if result.least_valid < TOO_FEW_VALID:
        raise typer.Exit(EXIT_NOT_VALID)


def _plain(result: BenchResult, folder: Path) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "plan": msgspec.to_builtins(result.record.plan),
        "rows": msgspec.to_builtins(result.rows),
        "compared": msgspec.to_builtins(result.compared),
        "not_measured": msgspec.to_builtins(result.not_measured),
        "warnings": result.warnings,
    }


@app.command(name="show")
def show_(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Show a run that was made earlier, worked out anew from its samples.

    Example: stretto bench show stretto-runs/bench-1
    """
    show(summarise(BenchFolder(folder)), folder, export_csv, export_markdown, as_json=as_json)


@app.command()
def plans() -> None:
    """List the plans that come along, one for each of the field's puzzles.

    Example: stretto bench plans
    """
    table = Table(title="Plans", title_justify="left", title_style="bold")
    table.add_column("plan", no_wrap=True)
    table.add_column("about", overflow="fold")
    for name, spec in options.shipped_plans().items():
        table.add_row(name, spec.about)
    show_table(table, out)
