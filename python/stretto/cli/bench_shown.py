"""A run of stretto bench as it is shown: tables, what is to be doubted, or JSON."""

from collections.abc import Sequence
from math import isnan
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
from stretto.report.bench_late import DelayMatrix, delay_matrices
from stretto.report.bench_late_patterns import PatternDelays, pattern_delays
from stretto.report.bench_overlap import BesideWork, beside_work
from stretto.report.bench_roots import OfRoot, by_root
from stretto.report.plain_table import PlainTable

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
        if export_csv or export_markdown:
            export_tables(exported(result, folder), export_csv, export_markdown)
        print_plain_json(plain_result(result, folder))
    else:
        show_tables(result, folder, export_csv, export_markdown)
    refuse_invalid(result)


def show_tables(
    result: BenchResult, folder: Path, export_csv: Path | None, export_markdown: Path | None
) -> None:
    """For people, and as files."""
    if export_csv or export_markdown:
        export_tables(exported(result, folder), export_csv, export_markdown)
    for table in result_tables(result, folder):
        show_table(table, out)
    for warning in result.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    note(f"Run folder: {folder}")


def refuse_invalid(result: BenchResult) -> None:
    """Exit where there are too few valid repetitions to say anything, or results were wrong."""
    if result.is_wrong or result.least_valid < TOO_FEW_VALID:
        raise typer.Exit(EXIT_NOT_VALID)


def result_tables(result: BenchResult, folder: Path) -> Sequence[Table]:
    """One for each operation, of overlap, roots and late ranks, and of what was not measured."""
    more = more_tables(result, BenchFolder(folder))
    return [*tables(result), *more, *filter(None, [not_measured_table(result)])]


def exported(result: BenchResult, folder: Path) -> list[PlainTable]:
    """The same for files, which have room for outliers and entry skews, too."""
    more = more_tables(result, BenchFolder(folder))
    shown = [*tables(result, is_wide=True), *more, *filter(None, [not_measured_table(result)])]
    return [*map(plain_table, shown)]


def plain_result(result: BenchResult, folder: Path) -> dict[str, Any]:
    """Of plain types, for JSON."""
    run = BenchFolder(folder)
    return {
        "folder": str(folder),
        "plan": msgspec.to_builtins(result.record.plan),
        "rows": msgspec.to_builtins(result.rows),
        "compared": msgspec.to_builtins(result.compared),
        "not_measured": msgspec.to_builtins(result.not_measured),
        "overlap": [*map(_plain_overlap, beside_work(result, run))],
        "by_root": [*map(_plain_root, by_root(result, run))],
        "late": [*map(_plain_delays, delay_matrices(result, run))],
        "late_at_once": [*map(_plain_pattern, pattern_delays(result, run))],
        "warnings": result.warnings,
    }


def _plain_overlap(each: BesideWork) -> dict[str, Any]:
    """What a row of the tables of overlap is made of, in ns and shares of 1; null: not known."""
    osu, imb, over = each.shares or (None, None, None)
    parts = {
        "alone_ns": each.alone,
        "total_ns": each.row,
        "start_ns": each.start,
        "tests_ns": each.in_tests,
        "wait_ns": each.wait,
    }
    return {
        "cell": msgspec.to_builtins(each.row.cell),
        "operation": each.row.cell.name,
        "rank_class": each.row.rank_class,
        "implementation": each.row.implementation,
        "work_ns": each.work_ns,
        **{name: row.time.median if row else None for name, row in parts.items()},
        "hidden_osu": osu,
        "hidden_imb": imb,
        "over_ideal": over,
        "speed_during": each.speed_during,
        "speed_after": each.speed_after,
    }


def _plain_pattern(each: PatternDelays) -> dict[str, Any]:
    """What a table of several late ranks is made of, in ns."""
    words = {"cell": each.cell.number, "operation": each.cell.name, "bytes": each.cell.bytes}
    return words | {
        "implementation": each.implementation,
        "until": each.stage,
        "amplification": each.amplification,
        "ranks": [msgspec.to_builtins(it) | {"delay_ns": it.delay_ns} for it in each.ranks],
    }


def _plain_root(each: OfRoot) -> dict[str, Any]:
    """The cell by its number alone, as there may be as many of these as ranks, each with a cell of
    as many counts."""
    words = {"cell": each.cell.number, "operation": each.cell.name, "bytes": each.cell.bytes}
    names = ("implementation", "root", "root_ns", "others_ns", "slowest_ns")
    return words | {name: getattr(each, name) for name in names}


def _plain_delays(each: DelayMatrix) -> dict[str, Any]:
    """What a table of late ranks is made of: at [late rank, rank], null where nothing is known."""
    shares = [[None if isnan(it) else it for it in row] for row in each.shares.tolist()]
    return {
        "cell": msgspec.to_builtins(each.cell),
        "operation": each.operation,
        "bytes": each.cell.bytes,
        "implementation": each.implementation,
        "late_ns": each.late_ns,
        "until": each.stage,
        "late": each.row_names(),
        "delayed": each.column_names(),
        "amplification": shares,
        "not_by_chance": each.is_sure.tolist(),
    }
