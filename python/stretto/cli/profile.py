"""stretto profile: where an unmodified program spends its time in MPI."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli import profile_tables as tables
from stretto.cli.consoles import note, out
from stretto.cli.json_text import as_text
from stretto.cli.options import (
    AsJson,
    DryRun,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    RankCount,
    Timeout,
)
from stretto.cli.profile_json import plain
from stretto.cli.profile_trace import trace_line, traced_by_default, write_trace_of
from stretto.cli.run_folders import make_folder, planned_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.places import Lines, places_of
from stretto.data.profile_record import ProfileRecord, write_record
from stretto.data.profiles import read_profile
from stretto.data.rank_files import recorded_in
from stretto.data.symbols import lines_of
from stretto.launch.base import Start
from stretto.launch.failure import require_success
from stretto.launch.job import prepare, provenance_of
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.profile import profiled
from stretto.launch.program import name_of
from stretto.report.profile import ProfileSummary, summarise

OutputOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-profile-<number>."
    ),
]
TraceOption = Annotated[
    bool,
    typer.Option(
        "--trace", help="Also write trace.json.gz into the run folder, to open in Perfetto."
    ),
]
TraceCallsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=10_000_000,
        help="How many calls of each rank the trace has, the last ones, polls in a row being "
        "one; otherwise 100,000, and of all ranks together a million. Means --trace.",
    ),
]


def profile(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    timeout: Timeout = None,
    output: OutputOption = None,
    trace: TraceOption = False,
    trace_calls: TraceCallsOption = None,
    dry_run: DryRun = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM on its own MPI and show where its time in MPI goes, call site by call site.

    Example: stretto profile -n 4 ./jacobi3d 192 20
    """
    traced = (trace_calls or traced_by_default(ranks)) if trace or trace_calls else 0
    job = prepare(program, launcher, launcher_args, mode="profile")
    place = planned_folder if dry_run else make_folder
    folder = place(output, f"{Path(name_of(program)).stem}-profile")
    start = profiled(job, ranks, folder, traced)
    command = job.launcher.command(start)
    if dry_run:
        print(shlex.join(command))
        return
    native = job.launcher.command(Start(ranks, job.program.argv))
    provenance = provenance_of(job, native, command)
    # What the program prints must not get into what other programs read.
    stdout = sys.stderr.buffer if as_json else None
    outcome = launch_ranks(job.launcher, start, timeout_s=timeout, stdout=stdout)
    require_success(program[0], outcome, timeout)
    with recorded_in(folder):
        recorded = read_profile(folder, ranks)
    summary = summarise(recorded)
    lines = lines_of(summary.call_sites)
    name, places = Path(program[0]).name, places_of(lines)
    write_record(ProfileRecord(name, ranks, job.launcher.name, provenance, places), folder)
    if traced:
        note(trace_line(write_trace_of(folder, recorded, lines), recorded))
    export_tables(tables.whole(summary, lines), export_csv, export_markdown)
    if as_json:
        print(as_text(plain(summary, lines)))
    else:
        _print(summary, lines, folder)


def _print(summary: ProfileSummary, lines: Lines, folder: Path) -> None:
    *above, last = tables.page(summary, lines, out)
    for part in above:
        out.print(part, markup=False, soft_wrap=isinstance(part, str))
    out.print(last, markup=False, soft_wrap=True, style="bold")
    note(f"Run folder: {folder}   `stretto report {folder}` shows it")
