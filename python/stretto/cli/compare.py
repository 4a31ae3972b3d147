"""stretto compare: a program on its own MPI against the same program under Stretto."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.cli.options import (
    Algorithms,
    AsJson,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    Progress,
    RankCount,
    Timeout,
)
from stretto.cli.output import launches_bar, print_json, print_result
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.tuned_rules import RulesOption, rules_for_ranks
from stretto.data.host import load_average
from stretto.data.run_folder import (
    PROGRESS,
    Plan,
    RunFolder,
    create,
    default_path,
    resumable,
    resume,
)
from stretto.data.samples import CHECKSUM_PATTERN, TIME_PATTERN, Side, compiled
from stretto.launch.comparison import Comparison
from stretto.launch.comparison import run as run_comparison
from stretto.launch.environment import parse_selection, rank_environment
from stretto.launch.job import Job, prepare, provenance_of
from stretto.launch.long_messages import at_once
from stretto.native.schedules import known_algorithms
from stretto.report.comparison import Answers, summarise
from stretto.report.page import write_report

RUNS = Path("stretto-runs")
EXIT_DIFFERENT_ANSWERS = 3


RunsOption = Annotated[
    int, typer.Option(min=1, help="Pairs of launches; below 5 the spread means little.")
]
ReportOption = Annotated[Path, typer.Option(metavar="FILE", help="Where the report goes.")]
OutputOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-<number>."),
]
NameOption = Annotated[
    str | None, typer.Option(help="What to call it; otherwise the program's file name.")
]
TimePatternOption = Annotated[
    str, typer.Option(metavar="REGEX", help="Finds the program's own time, in seconds.")
]
ChecksumPatternOption = Annotated[
    str, typer.Option(metavar="REGEX", help="Finds what both sides must agree on.")
]


def compare(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    runs: RunsOption = 5,
    rig: OnRig = None,
    timeout: Timeout = None,
    algorithm: Algorithms = None,
    progress: Progress = False,
    rules: RulesOption = None,
    report: ReportOption = Path("report.html"),
    output: OutputOption = None,
    name: NameOption = None,
    time_pattern: TimePatternOption = TIME_PATTERN,
    checksum_pattern: ChecksumPatternOption = CHECKSUM_PATTERN,
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
    patterns = (
        compiled("--time-pattern", time_pattern),
        compiled("--checksum-pattern", checksum_pattern),
    )
    job = prepare(program, launcher, launcher_args)
    tuned = rules_for_ranks(rules, job, ranks)
    env = rank_environment(
        job.drop_in,
        selection,
        verbose=False,
        progress=progress,
        rules=tuned,
        asan=job.program.asan,
    )
    messages = at_once(job.abi, job.launcher.extra) if progress else {}
    with launcher_on(job.launcher, rig) as where:
        comparison = Comparison(job.program, where, ranks, runs, timeout, env | messages, *patterns)
        settings = selection | ({PROGRESS: "messages"} | messages if progress else {})
        settings |= {"rules": tuned} if tuned else {}
        plan = _plan(name or Path(program[0]).name, rig, settings, comparison)
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


def _plan(name: str, rig: str | None, settings: dict[str, str], comparison: Comparison) -> Plan:
    """What a run must have in common with the one that it resumes."""
    return Plan(
        name=name,
        program=list(comparison.program.argv),
        ranks=comparison.ranks,
        runs=comparison.runs,
        rig=rig,
        timeout_s=comparison.timeout_s,
        settings=settings,
        launcher=comparison.launcher.name,
        time_pattern=comparison.time_pattern.pattern,
        checksum_pattern=comparison.checksum_pattern.pattern,
    )


def _folder(path: Path, plan: Plan, job: Job, comparison: Comparison) -> RunFolder:
    if resumable(path, plan):
        note(f"Resuming {path}")
        return resume(path)
    commands = (comparison.command(side) for side in (Side.NATIVE, Side.STRETTO))
    return create(path, plan, provenance_of(job, *commands))
