"""stretto compare: a program on its own MPI against the same program under Stretto."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.cli.launch_input import input_of_launches
from stretto.cli.options import (
    Algorithms,
    AsJson,
    FreshDir,
    LauncherArgs,
    LauncherPath,
    Prepare,
    ProgramAndArgs,
    Progress,
    RankCount,
    Timeout,
    Warmup,
)
from stretto.cli.output import launches_bar, print_json, print_result
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.run_folders import RUNS
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.cli.tuned_rules import RulesOption, rules_for_ranks
from stretto.data.host import load_average
from stretto.data.run_folder import (
    PROGRESS,
    Plan,
    RunFolder,
    create,
    create_next,
    resumable,
    resume,
    resume_newest,
)
from stretto.data.samples import CHECKSUM_PATTERN, TIME_PATTERN, Side, compiled
from stretto.data.whole_file import write_whole
from stretto.launch.comparison import Comparison
from stretto.launch.comparison import run as run_comparison
from stretto.launch.environment import parse_selection, rank_environment
from stretto.launch.job import Job, prepare, provenance_of
from stretto.launch.long_messages import at_once
from stretto.launch.preparation import Preparation
from stretto.launch.program import name_of
from stretto.native.schedules import known_algorithms
from stretto.report.answers import Answers
from stretto.report.comparison import summarise
from stretto.report.comparison_markdown import markdown_of, plain_tables
from stretto.report.page import refuse_if_not_ours, write_report
from stretto.stats.ratio import ENOUGH_PAIRS

EXIT_DIFFERENT_ANSWERS = 3


RunsOption = Annotated[
    int, typer.Option(min=1, help="Pairs of launches; fewer than 6 show no gain or loss.")
]
ReportOption = Annotated[Path, typer.Option(metavar="FILE", help="Where the report goes.")]
OutputOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-<number>."),
]
NameOption = Annotated[
    str | None,
    typer.Option(help="What to call it; otherwise the program's or its script's file name."),
]
TimePatternOption = Annotated[
    str, typer.Option(metavar="REGEX", help="Finds the program's own time, in seconds.")
]
ChecksumPatternOption = Annotated[
    str, typer.Option(metavar="REGEX", help="Finds what both sides must agree on.")
]

ToleranceOption = Annotated[
    float,
    typer.Option(
        metavar="SHARE", min=0, help="Numbers there may differ by that share of them: 1e-12."
    ),
]


def compare(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    runs: RunsOption = ENOUGH_PAIRS,
    warmup: Warmup = 0,
    rig: OnRig = None,
    prepare_command: Prepare = None,
    fresh_dir: FreshDir = False,
    timeout: Timeout = None,
    algorithm: Algorithms = None,
    progress: Progress = False,
    rules: RulesOption = None,
    report: ReportOption = Path("report.html"),
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    output: OutputOption = None,
    name: NameOption = None,
    time_pattern: TimePatternOption = TIME_PATTERN,
    checksum_pattern: ChecksumPatternOption = CHECKSUM_PATTERN,
    tolerance: ToleranceOption = 0,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM natively and under Stretto, in turn, and show what was gained.

    The same command resumes a run that was cut short. Every launch reads the same standard
    input, none from a terminal. `stretto report` puts several runs into one report.

    Example: stretto compare -n 4 ./jacobi3d 192 20
    """
    refuse_if_not_ours(report)  # before the launches, not after an hour of them
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
    with input_of_launches() as stdin, launcher_on(job.launcher, rig) as where:
        comparison = Comparison(
            job.program,
            where,
            ranks,
            runs,
            timeout,
            env | messages,
            *patterns,
            stdin,
            Preparation(prepare_command, fresh_dir, tuple(filter(None, (RUNS, output)))),
            warmup,
        )
        settings = selection | ({PROGRESS: "messages"} | messages if progress else {})
        settings |= {"rules": tuned} if tuned else {}
        plan = _plan(name or name_of(program), rig, settings, comparison, tolerance)
        folder = _folder(output, plan, job, comparison)
        with (
            _saying_how_to_resume(folder),
            launches_bar(plan.name, 2 * (warmup + runs), 2 * warmup) as done,
        ):
            run_comparison(comparison, folder, done)
    folder.finish(load_average())
    result = summarise(folder)
    write_report([result], report)
    export_tables(plain_tables(result), export_csv, None)
    if export_markdown is not None:  # which has more than tables
        write_whole(export_markdown, markdown_of(result).encode(errors="backslashreplace"))
    if as_json:
        print_json(result)
    else:
        print_result(result)
        note(f"Report: {report}   Run folder: {folder.path}")
    if result.answers is Answers.DIFFERENT:
        raise typer.Exit(EXIT_DIFFERENT_ANSWERS)


def _plan(
    name: str,
    rig: str | None,
    settings: dict[str, str],
    comparison: Comparison,
    tolerance: float,
) -> Plan:
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
        tolerance=tolerance,
        prepare=comparison.preparation.command,
        fresh_dir=comparison.preparation.fresh,
        warmup=comparison.warmup,
        input=comparison.input.digest,
    )


def _folder(output: Path | None, plan: Plan, job: Job, comparison: Comparison) -> RunFolder:
    """One that was cut short, or a new one."""
    if output is None:
        found = resume_newest(RUNS, plan)
    else:
        found = resume(output) if resumable(output, plan) else None
    if found is not None:
        note(f"Resuming {found.path}")
        return found
    commands = (comparison.command(side) for side in (Side.NATIVE, Side.STRETTO))
    provenance = provenance_of(job, *commands)
    return create(output, plan, provenance) if output else create_next(RUNS, plan, provenance)


@contextmanager
def _saying_how_to_resume(folder: RunFolder) -> Iterator[None]:
    """Where a signal ends the launches: what was measured is not lost."""
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        done = sum(sample.ok for sample in folder.samples())
        with suppress(OSError):  # a terminal that is gone
            note(
                f"Interrupted after {done} launches, which are in {folder.path}; the same command "
                "makes the others"
            )
        raise
