"""Launching ranks that may run Stretto: they ask whether all do, and are missed where they die."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO

from stretto.launch.base import Launcher, Start
from stretto.launch.lifelines import Lifelines
from stretto.launch.outcome import Outcome
from stretto.launch.process import launch


def launch_ranks(
    launcher: Launcher,
    start: Start,
    *,
    run_stretto: bool = True,
    timeout_s: float | None = None,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
    directory: Path | None = None,
) -> Outcome:
    """Run them to their end, as `launch` does; without Stretto as they would be run by hand."""
    with Lifelines() if run_stretto else nullcontext() as lifelines:
        named = tuple(lifelines.environment) if lifelines else ()
        return launch(
            launcher.command(replace(start, named=named)),
            timeout_s=timeout_s,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            directory=directory,
            lifelines=lifelines,
            reports_deaths=launcher.reports_deaths,
        )
