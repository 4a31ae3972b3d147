"""A run of stretto bench as it is shown: tables, what is to be doubted, or JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import typer
from rich.table import Table

from stretto.cli.bench_tables import not_measured_table, tables
from stretto.cli.consoles import err, note, out
from stretto.cli.narrow import show_table
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import export_tables
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
    """The tables, what is to be doubted, and where the samples are."""
    shown: Sequence[Table] = [*tables(result), *filter(None, [not_measured_table(result)])]
    export_tables(map(plain_table, shown), export_csv, export_markdown)
    if as_json:
        print_plain_json(_plain(result, folder))
    else:
        for table in shown:
            show_table(table, out)
        for warning in result.warnings:
            err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
        note(f"Run folder: {folder}")
    if result.least_valid < TOO_FEW_VALID:
        raise typer.Exit(EXIT_NOT_VALID)


def _plain(result: BenchResult, folder: Path) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "plan": msgspec.to_builtins(result.record.plan),
        "rows": msgspec.to_builtins(result.rows),
        "compared": msgspec.to_builtins(result.compared),
        "not_measured": msgspec.to_builtins(result.not_measured),
        "warnings": result.warnings,
    }
