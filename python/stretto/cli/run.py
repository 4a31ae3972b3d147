"""stretto run: an unmodified program under Stretto."""

import shlex
from typing import Annotated

import typer

from stretto.cli.options import (
    Algorithms,
    DryRun,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    Progress,
    RankCount,
    Timeout,
)
from stretto.cli.tuned_rules import RulesOption, rules_for_ranks
from stretto.launch.base import Start
from stretto.launch.environment import parse_selection, rank_environment
from stretto.launch.failure import require_success
from stretto.launch.job import prepare
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.long_messages import at_once
from stretto.native.schedules import known_algorithms


def run(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    timeout: Timeout = None,
    algorithm: Algorithms = None,
    progress: Progress = False,
    rules: RulesOption = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", help="Print at the end what Stretto handled, and what it passed."
        ),
    ] = False,
    dry_run: DryRun = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
) -> None:
    """Run PROGRAM with its collectives handled by Stretto.

    Example: stretto run -n 4 ./jacobi3d 192 20
    """
    selection = parse_selection(algorithm, known_algorithms()) if algorithm else {}
    job = prepare(program, launcher, launcher_args, may_be_several=True)
    environment = rank_environment(
        job.drop_in,
        selection,
        verbose=verbose,
        progress=progress,
        rules=rules_for_ranks(rules, job, ranks),
        asan=job.program.asan,
    ) | (at_once(job.abi, job.launcher.extra) if progress else {})
    start = Start(ranks, job.program.argv, environment)
    if dry_run:
        print(shlex.join(job.launcher.command(start)))
        return
    outcome = launch_ranks(job.launcher, start, timeout_s=timeout)
    require_success(program[0], outcome, timeout)
