"""stretto bench import: what files of other suites say."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from stretto.cli.consoles import err, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.imported import Imported
from stretto.data.importers.registry import imported_of, read_imported, title_of
from stretto.report.imported import lines_of_rows
from stretto.report.words import shortened, size

_MOST_UNKNOWN = 3
_MOST_CHARACTERS = 70


def import_(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="What a benchmark printed; - is standard input."),
    ],
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Read outputs of other suites: OSU, IMB, nccl-tests and others, known by what they say.

    --json has every value and every unknown line; the table has one line for raw values that are
    alike, with their median.

    Example: mpirun -n 4 osu_allreduce | stretto bench import -
    """
    found = [_read(file) for file in files]
    tables = [(each, table_of(each)) for each in found]
    export_tables((plain_table(table) for _, table in tables), export_csv, export_markdown)
    if as_json:
        # JSON has no nan, which suites print where nothing was measured: null.
        print_plain_json({"files": msgspec.json.decode(msgspec.json.encode(found))})
        return
    for each, table in tables:
        if each.rows:
            show_table(table, out)
        out.print(f"{len(each.rows)} values in {each.path}", markup=False, soft_wrap=True)
        say_unknown(each)


def _read(file: str) -> Imported:
    if file == "-":
        return imported_of(sys.stdin.buffer.read(), "standard input")
    return read_imported(Path(file))


def table_of(imported: Imported) -> Table:
    """A line a value."""
    title = f"{imported.path}: {title_of(imported)}"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("operation", overflow="fold")
    for heading in ("bytes", "ranks"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("of", "metric", "statistic"):
        table.add_column(heading, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    for line in lines_of_rows(imported.rows):
        row = line.row
        table.add_row(
            line.name,
            "" if row.bytes is None else size(row.bytes),
            "" if row.ranks is None else str(row.ranks),
            line.details,
            row.metric,
            line.statistic,
            line.words,
        )
    return table


def say_unknown(imported: Imported) -> None:
    """How many lines of a file nobody knows here, and the first of them."""
    unknown = imported.unknown
    if not unknown:
        return
    lines = "1 line is" if len(unknown) == 1 else f"{len(unknown)} lines are"
    first = "" if len(unknown) <= _MOST_UNKNOWN else ", the first ones"
    words = [f"Warning: {lines} unknown in {imported.path}{first}:"]
    for number, text in unknown[:_MOST_UNKNOWN]:
        words.append(f"  {number}: {shortened(text.strip(), _MOST_CHARACTERS)}")
    err.print("\n".join(words), style="yellow", markup=False, soft_wrap=True)
