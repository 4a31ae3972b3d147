"""Tables for a terminal as plain text, for the report and for files."""

from rich.table import Table

from stretto.cli.narrow import without_markup
from stretto.report.plain_table import PlainTable


def plain_table(table: Table, title: str = "") -> PlainTable:
    """Its cells without their markup, all of them; `title` where it has none of its own."""
    columns = [[without_markup(cell) for cell in column.cells] for column in table.columns]
    return PlainTable(
        without_markup(table.title) if table.title else title,
        [without_markup(column.header) for column in table.columns],
        [[*row] for row in zip(*columns, strict=True)],
    )
