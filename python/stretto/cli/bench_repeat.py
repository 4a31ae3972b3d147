"""stretto bench repeat: exactly what a run measured, once more."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from stretto.cli.bench_compare import plain_comparison, run_words, show_comparison
from stretto.cli.bench_running import repeated
from stretto.cli.bench_shown import (
    exported,
    plain_result,
    refuse_invalid,
    show_tables,
)
from stretto.cli.consoles import note
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.output import print_plain_json
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import BenchFolder
from stretto.data.provenance import changes, settings_of
from stretto.errors import InputError
from stretto.launch.bench import find_mpi, same_mpi
from stretto.launch.job import split_words
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_comparison import compare_runs

# Where an MPI is installed.
_INSTALLATION = ("I_MPI_ROOT", "MPI_HOME", "MPI_ROOT", "OPAL_PREFIX", "FI_PROVIDER_PATH")

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="The new run's folder.")
]


def repeat(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    output: Output = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Run again exactly what RUN measured, and compare both.

    The same cells and implementations in the same order, drawn by its seed, by the launcher of
    then, or another one that is named; under the variables that steered the MPI then, but for those
    that are set now.

    Example: stretto bench repeat stretto-runs/bench-1 -o after-the-update
    """
    before = summarise(BenchFolder(folder))
    result, path = run_again(folder, before, output, launcher, launcher_args)
    found = compare_runs(before, result)
    sides = [f"A: {run_words(folder, before)}", f"B: {run_words(path, result)}"]
    if as_json:
        export_tables(exported(result, path), export_csv, export_markdown)
        compared = plain_comparison(found, sides)
        print_plain_json(plain_result(result, path) | {"compared_with_before": compared})
    else:
        show_tables(result, path, export_csv, export_markdown)
        show_comparison(found, sides, as_json=False)
    refuse_invalid(result)


def run_again(
    folder: Path,
    before: BenchResult,
    output: Path | None,
    launcher: str | None,
    launcher_args: str,
) -> tuple[BenchResult, Path]:
    """Make a run anew, by the launcher of then where none is named. Raises where it is gone."""
    if output is not None and output.resolve() == folder.resolve():
        raise InputError(
            f"--output {output} is the run that is to be repeated: name another folder"
        )
    _restore_variables(before.record.provenance.environment, is_same_launcher=launcher is None)
    options = split_words("--launcher-args", launcher_args)
    if launcher is not None:
        mpi = find_mpi(None, launcher, options)
    else:
        by = before.record.by
        mpi = same_mpi(replace(by, options=options) if options else by)
    return repeated(before.record, mpi, output)


def _restore_variables(then: Mapping[str, str], *, is_same_launcher: bool) -> None:
    """Set what steered MPIs then and is not set now; a line of that, and of what is set otherwise.

    Not where libraries are found, and by another launcher not where its MPI is: they may be another
    installation's by now. A line says that they are not as they were.
    """
    kept = ("LD_",) if is_same_launcher else ("LD_", *_INSTALLATION)
    was, now = settings_of(then), settings_of(os.environ)
    again = {
        name: value for name, value in was.items() if name not in now and not name.startswith(kept)
    }
    os.environ.update(again)
    if again:
        words = ", ".join(f"{name}={value}" for name, value in sorted(again.items()))
        note(f"stretto: set again, as for the run: {words}")
    if others := [*changes(was, now | again)]:
        note(f"stretto: not as it was for the run: {'; '.join(others)}")
