"""stretto bench run, or stretto bench without a verb of its own: measure operations."""

from typing import Annotated, Any

import typer

from stretto.cli import bench_options as options
from stretto.cli.bench_asked import check_asked
from stretto.cli.bench_running import measured
from stretto.cli.bench_shown import show
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.rigs import OnRig
from stretto.cli.table_export import ExportCsv, ExportMarkdown
from stretto.launch.bench import find_mpi
from stretto.launch.job import split_words

_QUICK = {"launches": 3, "budget_ms": 10, "at_most": 200}


def run(
    operations: options.Operations = None,
    ranks: options.Ranks = None,
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
        bool, typer.Option("--after", help="As much work as --compute has, after the wait.")
    ] = False,
    late: options.Late = None,
    delay: options.Delay = None,
    skew: options.Skew = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare results with what they must be.")
    ] = False,
    seed: options.Seed = None,
    cell_timeout: Annotated[
        int | None,
        typer.Option(metavar="SECONDS", min=1, help="What takes longer is ended; otherwise 30."),
    ] = None,
    like: options.Like = None,
    rig: OnRig = None,
    output: options.Output = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print what would be measured or skipped, and the launches."
        ),
    ] = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Measure OPERATIONs on every rank: root and others apart, with intervals over launches.

    The same command resumes a run that was cut short. Exit code 3 where a result is wrong, or less
    than 20 % of the repetitions of something are valid.

    Example: stretto bench gather ibcast -n 4 --impl native,stretto --quick

    Example: stretto bench allreduce --sizes 8:4M --impl native,stretto:allreduce=ring --width 0.05

    Example: stretto bench iallreduce --compute 0.5,1,2 --tests 0,10,100 --after

    Example: stretto bench bcast -n 4 --late each --delay 1000

    Example: stretto bench --plan gather-cliff --impl native -o gather
    """
    given: dict[str, Any] = {
        "operations": operations,
        "ranks": ranks,
        "sizes": options.sizes_of(sizes) if sizes else None,
        "implementations": options.implementations_of(impl) if impl else None,
        "width": None if width is None else options.width_of(width),
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
        "skew_us": skew,
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
    check_asked(spec, {key for key, value in given.items() if value is not None})
    mpi = find_mpi(like, launcher, split_words("--launcher-args", launcher_args))
    result, folder = measured(spec, mpi, rig, output, dry_run=dry_run)
    if result is not None:
        show(result, folder, export_csv, export_markdown, as_json=as_json)
