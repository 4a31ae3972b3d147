"""stretto compare: a program on its own MPI against the same program under Stretto."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.options import (
    Algorithms,
    AsJson,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    Progress,
    Ranks,
    Timeout,
)
from stretto.cli.output import launches_bar, note, print_json, print_result
from stretto.cli.rigs import OnRig, launcher_on
from stretto.data.machine import load_average
from stretto.data.provenance import collect
from stretto.data.run_folder import Plan, RunFolder, create, default_path, resumable, resume
from stretto.data.samples import CHECKSUM_PATTERN, TIME_PATTERN, Side, compiled
from stretto.launch.comparison import Comparison
from stretto.launch.comparison import run as run_comparison
from stretto.launch.dropin import parse_selection, rank_environment
from stretto.launch.job import Job, prepare
from stretto.native.schedules import known_algorithms
from stretto.report.comparison import Answers, summarise
from stretto.report.page import write_report

RUNS = Path("stretto-runs")
EXIT_DIFFERENT_ANSWERS = 3


def compare(
    program: ProgramAndArgs,
    ranks: Ranks = 2,
    runs: Annotated[
        int, typer.Option(min=1, help="Pairs of launches; below 5 the spread means little.")
    ] = 5,
    rig: OnRig = None,
    timeout: Timeout = None,
    algorithm: Algorithms = None,
    progress: Progress = False,
    report: Annotated[Path, typer.Option(metavar="FILE", help="Where the report goes.")] = Path(
        "report.html"
    ),
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-<number>."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What to call it; otherwise the program's file name.")
    ] = None,
    time_pattern: Annotated[
        str, typer.Option(metavar="REGEX", help="Finds the program's own time, in seconds.")
    ] = TIME_PATTERN,
    checksum_pattern: Annotated[
        str, typer.Option(metavar="REGEX", help="Finds what both sides must agree on.")
    ] = CHECKSUM_PATTERN,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM natively and under Stretto, in turn, and show what was gained.

    The same command resumes a run that was cut short. `stretto report` puts several
    runs into one report.

    Example: stretto compare -n 4 ./jacobi3d 192 20
    """
    selection = parse_selection(algorithm, known_algorithms()) if algorithm else {}
    job = prepare(program, launcher, launcher_args)
    with launcher_on(job.launcher, rig) as where:
        comparison = Comparison(
            program=job.program,
            launcher=where,
            ranks=ranks,
            runs=runs,
            timeout_s=timeout,
            stretto_env=rank_environment(
                job.drop_in, selection, verbose=False, progress=progress, asan=job.program.asan
            ),
            time_pattern=compiled("--time-pattern", time_pattern),
            checksum_pattern=compiled("--checksum-pattern", checksum_pattern),
        )
        plan = Plan(
            name=name or Path(program[0]).name,
            program=list(job.program.argv),
            ranks=ranks,
            runs=runs,
            rig=rig,
            timeout_s=timeout,
            settings=selection | ({"progress": "messages"} if progress else {}),
            launcher=where.name,
            time_pattern=time_pattern,
            checksum_pattern=checksum_pattern,
        )
        folder = _folder(output or default_path(RUNS, plan), plan, job, comparison)
        with launches_bar(plan.name, 2 * runs) as done:
            run_comparison(comparison, folder, done)
    folder.finish(load_average())
    result = summarise(folder)
    write_report([result], report)
    if as_json:
        print_json(result)
    else:
        print_result(result)
        note(f"Report: {report}   Run folder: {folder.path}")
    if result.answers is Answers.DIFFERENT:
        raise typer.Exit(EXIT_DIFFERENT_ANSWERS)


def _folder(path: Path, plan: Plan, job: Job, comparison: Comparison) -> RunFolder:
    if resumable(path, plan):
        note(f"Resuming {path}")
        return resume(path)
    provenance = collect(
        argv=sys.argv,
        program=Path(job.program.argv[0]),
        mpi_library=job.program.mpi.path if job.program.mpi else None,
        drop_in=job.drop_in,
        native_command=comparison.command(Side.NATIVE),
        stretto_command=comparison.command(Side.STRETTO),
    )
    return create(path, plan, provenance)
