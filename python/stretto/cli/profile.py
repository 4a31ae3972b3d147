"""stretto profile: where an unmodified program spends its time in MPI."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from stretto.cli import profile_tables as tables
from stretto.cli.consoles import note, out
from stretto.cli.json_text import as_text
from stretto.cli.options import (
    AsJson,
    DryRun,
    LauncherArgs,
    LauncherPath,
    RankCount,
    Timeout,
)
from stretto.cli.profile_json import plain
from stretto.cli.profile_trace import trace_line, traced_by_default, write_trace_of
from stretto.cli.run_folders import make_folder, planned_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.places import Lines, places_of
from stretto.data.profile_record import ProfileRecord, is_profile, read_record, write_record
from stretto.data.profiles import Profile, has_record, read_profile
from stretto.data.rank_files import recorded_in
from stretto.data.symbols import lines_of
from stretto.errors import ApplicationFailed, InputError
from stretto.launch.base import Start
from stretto.launch.failure import require_success
from stretto.launch.job import prepare, provenance_of
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.profile import parse_every, profiled
from stretto.launch.program import name_of
from stretto.report.profile import ProfileSummary, summarise


@dataclass(frozen=True)
class Shown:
    """How a profile is shown."""

    as_json: bool
    matrix: bool
    csv: Path | None
    markdown: Path | None


ProfiledProgram = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROGRAM", help="The program, unmodified, and its arguments."),
]
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
MatrixOption = Annotated[
    bool,
    typer.Option(
        "--matrix", help="Also show which ranks send how much to which: the heaviest pairs."
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
DepthOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        max=64,
        help="Also tell apart who called the function that calls MPI, N places of the stack deep. "
        "Beyond 1 each call costs microseconds.",
    ),
]
EveryOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Have each rank write what it has recorded until then in this rhythm, as 60s or 5m: "
        "of a program that is killed so much is kept, and --attach shows it meanwhile.",
    ),
]
AttachOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Start nothing: show what is on record in the run folder of a program that runs "
        "under profile --every, or was killed.",
    ),
]


def profile(
    program: ProfiledProgram = None,
    ranks: RankCount = 2,
    timeout: Timeout = None,
    output: OutputOption = None,
    trace: TraceOption = False,
    trace_calls: TraceCallsOption = None,
    matrix: MatrixOption = False,
    depth: DepthOption = 1,
    every: EveryOption = None,
    attach: AttachOption = None,
    dry_run: DryRun = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM on its own MPI and show where its time in MPI goes, call site by call site.

    Of a program that crashes, hangs or is killed what was recorded until then is shown.

    Example: stretto profile -n 4 ./jacobi3d 192 20
    """
    shown = Shown(as_json, matrix, export_csv, export_markdown)
    if attach is not None:
        _show_what_there_is(attach, program, shown)
        return
    if not program:
        raise InputError("no PROGRAM is named, nor a run folder with --attach")
    traced = (trace_calls or traced_by_default(ranks)) if trace or trace_calls else 0
    every_s = parse_every(every) if every is not None else 0
    job = prepare(program, launcher, launcher_args, mode="profile")
    place = planned_folder if dry_run else make_folder
    folder = place(output, f"{Path(name_of(program)).stem}-profile")
    start = profiled(job, ranks, folder, traced, depth=depth, every_s=every_s)
    command = job.launcher.command(start)
    if dry_run:
        print(shlex.join(command))
        return
    native = job.launcher.command(Start(ranks, job.program.argv))
    provenance = provenance_of(job, native, command)
    # What the program prints must not get into what other programs read.
    stdout = sys.stderr.buffer if as_json else None
    # For who looks at it while it runs, or when it and this process have been killed.
    record = ProfileRecord(Path(program[0]).name, ranks, job.launcher.name, provenance, [])
    write_record(record, folder)
    outcome = launch_ranks(job.launcher, start, timeout_s=timeout, stdout=stdout)
    try:
        require_success(program[0], outcome, timeout)
    except ApplicationFailed:
        if has_record(folder):
            _show(record, read_profile(folder, ranks, unfinished=True), folder, shown)
        raise
    with recorded_in(folder):
        recorded = read_profile(folder, ranks)
    lines = _show(record, recorded, folder, shown)
    if traced:
        note(trace_line(write_trace_of(folder, recorded, lines), recorded))


def _show_what_there_is(folder: Path, program: Sequence[str] | None, shown: Shown) -> None:
    """Of a program that another process runs, or ran."""
    if program:
        raise InputError(f"--attach {folder} shows a run that there is: leave {program[0]} out")
    if not is_profile(folder):
        raise InputError(f"--attach {folder}: it is no run folder of stretto profile")
    record = read_record(folder)
    if not has_record(folder):
        raise InputError(
            f"--attach {folder}: nothing is on record yet (stretto profile --every 60s has "
            "ranks write what they have so far)"
        )
    recorded = read_profile(folder, record.ranks, unfinished=True)
    _show(record, recorded, folder, shown, keeps=False)


def _show(
    record: ProfileRecord, recorded: Profile, folder: Path, shown: Shown, *, keeps: bool = True
) -> Lines:
    """Print it, export it and, unless its own process does so, keep where its lines are."""
    summary = summarise(recorded)
    lines = record.lines or lines_of(summary.places)
    if keeps:
        write_record(replace(record, places=places_of(lines)), folder)
    export_tables(tables.whole(summary, lines), shown.csv, shown.markdown)
    if shown.as_json:
        print(as_text(plain(summary, lines)))
    else:
        _print(summary, lines, folder, shown.matrix)
    return lines


def _print(summary: ProfileSummary, lines: Lines, folder: Path, matrix: bool) -> None:
    *above, last = tables.page(summary, lines, out)
    above += tables.matrix(summary, out) if matrix else []
    for part in above:
        out.print(part, markup=False, soft_wrap=isinstance(part, str))
    out.print(last, markup=False, soft_wrap=True, style="bold")
    note(f"Run folder: {folder}   `stretto report {folder}` shows it")
