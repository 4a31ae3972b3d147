"""A run of stretto bench as it is shown: tables, what is to be doubted, or JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import typer
from rich.table import Table

from stretto.cli.bench_tables import more_tables, not_measured_table, tables
from stretto.cli.consoles import err, note, out
from stretto.cli.narrow import show_table
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import export_tables
from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import TOO_FEW_VALID, BenchResult

EXIT_NOT_VALID = 3


def show(
    result: BenchResult,
    folder: Path,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    as_json: bool,
) -> None:
    """The tables, what is to be doubted, and where the samples are; or JSON."""
    if as_json:
        export_tables(map(plain_table, result_tables(result, folder)), export_csv, export_markdown)
        print_plain_json(plain_result(result, folder))
    else:
        show_tables(result, folder, export_csv, export_markdown)
    refuse_invalid(result)


def show_tables(
    result: BenchResult, folder: Path, export_csv: Path | None, export_markdown: Path | None
) -> None:
    """For people, and as files."""
    shown = result_tables(result, folder)
    export_tables(map(plain_table, shown), export_csv, export_markdown)
    for table in shown:
        show_table(table, out)
    for warning in result.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    note(f"Run folder: {folder}")


def refuse_invalid(result: BenchResult) -> None:
    """Exit where there are too few valid repetitions to say anything."""
    if result.least_valid < TOO_FEW_VALID:
        raise typer.Exit(EXIT_NOT_VALID)


def result_tables(result: BenchResult, folder: Path) -> Sequence[Table]:
    """One for each operation, of overlap and late ranks, and of what was not measured."""
    more = more_tables(result, BenchFolder(folder))
    return [*tables(result), *more, *filter(None, [not_measured_table(result)])]


def plain_result(result: BenchResult, folder: Path) -> dict[str, Any]:
    """Of plain types, for JSON."""
    return {
        "folder": str(folder),
        "plan": msgspec.to_builtins(result.record.plan),
        "rows": msgspec.to_builtins(result.rows),
        "compared": msgspec.to_builtins(result.compared),
        "not_measured": msgspec.to_builtins(result.not_measured),
        "warnings": result.warnings,
    }
