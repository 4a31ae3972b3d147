"""What a search for cliffs has found, as it is shown: tables and sentences, or JSON."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer
from rich.table import Table

from stretto.cli.bench_shown import EXIT_NOT_VALID
from stretto.cli.consoles import err, note, out
from stretto.cli.narrow import show_table
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import export_tables
from stretto.report.bench_cliffs import Found, sentences
from stretto.report.words import seconds

NO_CLIFFS = "No cliffs: every size takes what the trend of the others has it."


def show_cliffs(
    answers: Sequence[Found],
    wrong: Sequence[str],
    folder: Path,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    as_json: bool,
) -> None:
    """Of a search that came to its end, in `folder`. Ends with 3 where results were `wrong`."""
    tables = cliff_tables(answers)
    export_tables(map(plain_table, tables), export_csv, export_markdown)
    if as_json:
        shown = {"cliffs": msgspec.to_builtins(answers), "wrong": [*wrong]}
        print_plain_json({"folder": str(folder), **shown})
    else:
        for table in tables:
            if table.row_count:
                show_table(table, out)
        for line in [*sentences(answers)] or [NO_CLIFFS]:
            out.print(line, markup=False, soft_wrap=True)
        note(f"Run folder: {folder}")
    for line in wrong:
        err.print(f"Wrong result, left out: {line}", style="red", markup=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(EXIT_NOT_VALID)


def cliff_tables(answers: Sequence[Found]) -> list[Table]:
    """The cliffs, and what became of them under other settings."""
    return [_cliffs_table(answers), _settings_table(answers)]


def _cliffs_table(answers: Sequence[Found]) -> Table:
    table = Table(title="Cliffs", title_justify="left", title_style="bold")
    for heading in ("operation", "ranks", "by", "between", "factor", "below", "above"):
        table.add_column(heading, no_wrap=True)
    for each in answers:
        cliff = each.cliff
        table.add_row(
            each.operation,
            each.rank_class,
            each.implementation,
            f"{cliff.low}-{cliff.high} B",
            f"{cliff.factor:.2f}x",
            seconds(each.below_ns * 1e-9),
            seconds(each.above_ns * 1e-9),
        )
    return table


def _settings_table(answers: Sequence[Found]) -> Table:
    table = Table(title="Under other settings", title_justify="left", title_style="bold")
    for heading in ("operation", "ranks", "setting", "the cliff"):
        table.add_column(heading, overflow="fold")
    for each in answers:
        for it in each.probes:
            where = f" to {it.now.low}-{it.now.high} B" if it.now and it.verdict == "moves" else ""
            table.add_row(each.operation, each.rank_class, it.what, it.verdict + where)
    return table
