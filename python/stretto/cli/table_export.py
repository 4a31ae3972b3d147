"""A verb's tables as files: CSV for other programs, Markdown for notes and merge requests."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.data.whole_file import write_whole
from stretto.report.markdown import plain_words, table_lines
from stretto.report.plain_table import PlainTable

# What figures of tables have behind them, and what one of it is: seconds, bytes or a share.
_UNITS = {
    "s": 1.0,
    "ms": 1e-3,
    "µs": 1e-6,
    "ns": 1e-9,
    "B": 1.0,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
    "GiB": 1024.0**3,
    "%": 0.01,
    "x": 1.0,
    "": 1.0,
}
_FIGURE = re.compile(r"(-?\d{1,3}(?:,\d{3})+|-?\d+)(\.\d+)? ?(\S*)")


def _in_a_folder(path: Path | None) -> Path | None:
    """Before the launches, not after an hour of them."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"{path}: {path.absolute().parent} is not a folder")
    if path is not None and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder")
    return path


ExportCsv = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=_in_a_folder,
        help="Write the tables, whole, as CSV, too; in seconds, bytes and shares of 1.",
    ),
]
ExportMarkdown = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", callback=_in_a_folder, help="Write the tables, whole, as Markdown, too."
    ),
]


def export_tables(
    tables: Iterable[PlainTable], as_csv: Path | None, as_markdown: Path | None
) -> None:
    """Write them where the options say. Raises EnvironmentUnusable where that cannot be."""
    if as_csv is None and as_markdown is None:
        return  # tables may be long
    tables = list(tables)
    for path, text in ((as_csv, csv_of), (as_markdown, markdown_of)):
        if path is not None:
            write_whole(path, text(tables).encode(errors="backslashreplace"))
            note(f"Tables: {path}")


def csv_of(tables: Iterable[PlainTable]) -> str:
    """Each table with its heads, an empty line between two; the first column names the table.

    Figures are as exact as in the table, less their units.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            file.write("\n")
        writer.writerow(["table", *table.heads])
        for row in table.rows:
            writer.writerow([table.title, *map(figure, row)])
    return file.getvalue()


def markdown_of(tables: Iterable[PlainTable]) -> str:
    """Each table under its title, as it is shown."""
    lines = [
        line
        for table in tables
        for line in (f"### {plain_words(table.title)}", "", *_lines(table), "")
    ]
    return "\n".join(lines)


def _lines(table: PlainTable) -> Iterator[str]:
    return table_lines(table.heads, table.rows)


def figure(cell: str) -> str:
    """A figure without separators and its unit: "12.3 ms" is 0.0123; other cells as they are."""
    found = _FIGURE.fullmatch(cell)
    if found is None or found[3] not in _UNITS:
        return cell
    number = (found[1] + (found[2] or "")).replace(",", "")
    unit = _UNITS[found[3]]
    return number if unit == 1 else f"{float(number) * unit:.12g}"
