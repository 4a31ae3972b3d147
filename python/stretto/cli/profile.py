"""stretto profile: where an unmodified program spends its time in MPI."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from stretto.cli import profile_tables as tables
from stretto.cli.json_text import as_text
from stretto.cli.options import (
    AsJson,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    Ranks,
    Timeout,
)
from stretto.cli.output import note
from stretto.cli.profile_json import plain
from stretto.cli.profile_trace import trace_line, traced_by_default, write_trace_of
from stretto.cli.run_folders import make_empty, run_folder
from stretto.data.places import Address, Line, Lines
from stretto.data.profile_record import ProfileRecord, write_record
from stretto.data.profiles import read_profile
from stretto.data.provenance import collect
from stretto.data.symbols import source_lines
from stretto.launch.dropin import PROFILE, TRACED, rank_environment
from stretto.launch.failure import require_success
from stretto.launch.job import prepare
from stretto.launch.lifelines import Lifelines
from stretto.launch.process import launch
from stretto.report.profile import Summary, summarise

_out = Console(highlight=False)


def profile(
    program: ProgramAndArgs,
    ranks: Ranks = 2,
    timeout: Timeout = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-profile-<number>."
        ),
    ] = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace", help="Also write trace.json.gz into the run folder, to open in Perfetto."
        ),
    ] = False,
    trace_calls: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="How many calls of each rank the trace has, the last ones, polls in a row being "
            "one; otherwise 100,000, and of all ranks together a million. Means --trace.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plain command that does the same.")
    ] = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM on its own MPI and show where its time in MPI goes, call site by call site.

    Example: stretto profile -n 4 ./jacobi3d 192 20
    """
    traced = (trace_calls or traced_by_default(ranks)) if trace or trace_calls else 0
    job = prepare(program, launcher, launcher_args, mode="profile")
    folder = run_folder(output, f"{Path(program[0]).stem}-profile")
    environment = rank_environment(job.drop_in, {}, verbose=False, asan=job.program.asan)
    environment |= {PROFILE: str(folder.absolute())}
    environment |= {TRACED: str(traced)} if traced else {}
    command = job.launcher.command(ranks, job.program.argv, environment)
    if dry_run:
        print(shlex.join(command))
        return
    make_empty(folder)
    provenance = collect(
        argv=sys.argv,
        program=Path(job.program.argv[0]),
        mpi_library=job.program.mpi.path if job.program.mpi else None,
        drop_in=job.drop_in,
        native_command=job.launcher.command(ranks, job.program.argv, {}),
        stretto_command=command,
    )
    # What the program prints must not get into what other programs read.
    stdout = sys.stderr.buffer if as_json else None
    with Lifelines() as lifelines:
        command = job.launcher.command(ranks, job.program.argv, environment, lifelines.environment)
        outcome = launch(
            command,
            timeout_s=timeout,
            stdout=stdout,
            lifelines=lifelines,
            reports_deaths=job.launcher.reports_deaths,
        )
    require_success(program[0], outcome, timeout)
    recorded = read_profile(folder, ranks)
    summary = summarise(recorded)
    lines = _lines(summary)
    record = ProfileRecord(Path(program[0]).name, ranks, job.launcher.name, provenance, lines)
    write_record(record, folder)
    trace_file = write_trace_of(folder, recorded, lines) if traced else None
    if trace_file:
        note(trace_line(trace_file, recorded))
    if as_json:
        print(as_text(plain(summary, lines)))
    else:
        _print(summary, lines, folder)


def _lines(summary: Summary) -> Lines:
    """Of the call sites: what debug information tells, and what Python told."""
    addresses = {Address(*site.place): site for site in summary.sites}
    known = {
        address: Line(site.symbol, address.object, address.offset)
        for address, site in addresses.items()
        if site.is_source
    }
    return known | source_lines(address for address in addresses if address not in known)


def _print(summary: Summary, lines: Lines, folder: Path) -> None:
    *above, last = tables.page(summary, lines, _out)
    for part in above:
        _out.print(part, markup=False, soft_wrap=isinstance(part, str))
    _out.print(last, markup=False, soft_wrap=True, style="bold")
    note(f"Run folder: {folder}   `stretto report {folder}` shows it")
