"""stretto report: runs made earlier, in one page."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.output import note
from stretto.data.run_folder import RunFolder
from stretto.report.comparison import summarise
from stretto.report.page import write_report


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the report goes.")
    ] = Path("report.html"),
) -> None:
    """Write one report over several runs of `stretto compare`.

    Example: stretto report stretto-runs/transpose-1 stretto-runs/jacobi3d-1 -o report.html
    """
    write_report([summarise(RunFolder(run)) for run in runs], output)
    note(f"Report: {output}")
