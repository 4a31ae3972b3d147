"""stretto report: runs made earlier, in one page."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.data.profile_record import is_profile, read_record
from stretto.data.profiles import read_profile
from stretto.data.run_folder import RunFolder
from stretto.report import comparison, profile
from stretto.report.page import refuse_if_not_ours, write_report
from stretto.report.profile_section import ProfileSection, section


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the report goes.")
    ] = Path("report.html"),
) -> None:
    """Write one report over several runs of `stretto compare` and `stretto profile`.

    Example: stretto report stretto-runs/transpose-1 stretto-runs/jacobi3d-1 -o report.html
    """
    refuse_if_not_ours(output)
    profiles = [_profile(run) for run in runs if is_profile(run)]
    compared = [comparison.summarise(RunFolder(run)) for run in runs if not is_profile(run)]
    write_report(compared, output, profiles)
    note(f"Report: {output}")


def _profile(run: Path) -> ProfileSection:
    record = read_record(run)
    return section(record, profile.summarise(read_profile(run, record.ranks)))
