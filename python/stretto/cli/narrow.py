"""Tables on terminals that are too narrow for them: nothing that is in them may be cut."""

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

_LEAST_NAME = 20  # characters of names that shall stand beside their figures
_INDENT = "  "


def show_table(table: Table, console: Console) -> None:
    """Print it, or `listed` where the console is too narrow."""
    words = listed(table, console.width)
    if words is None:
        console.print(table)
    else:
        console.print(words, markup=False, soft_wrap=True)


def listed(table: Table, width: int) -> str | None:
    """Each row as its name and, below, its figures with their columns' names.

    None where the table fits: its figures whole, and its names at least so far that they fold well.
    """
    heads = [without_markup(column.header) for column in table.columns]
    columns = [[without_markup(cell) for cell in column.cells] for column in table.columns]
    widths = [
        max(cell_len(part) for text in (head, *cells) for part in _parts(text, column))
        for head, cells, column in zip(heads, columns, table.columns, strict=True)
    ]
    figures = sum(widths[1:]) + (2 if table.box is None else 3) * len(widths)
    if figures + min(widths[0], _LEAST_NAME) <= width:
        return None
    title, caption = ([without_markup(it)] if it else [] for it in (table.title, table.caption))
    rows = [line for row in zip(*columns, strict=True) for line in _row(heads, row, width)]
    return "\n".join([*title, *rows, *caption])


def _row(heads: list[str], row: tuple[str, ...], width: int) -> list[str]:
    """A name, which the terminal may wrap, and lines of figures, none of which ends within one."""
    lines = [""]
    for head, figure in zip(heads[1:], row[1:], strict=True):
        if not figure:
            continue
        words = f"{head} {figure}".strip()
        if lines[-1] and cell_len(f"{_INDENT}{lines[-1]}, {words}") > width:
            lines.append("")
        lines[-1] += f", {words}" if lines[-1] else words
    return [row[0], *(_INDENT + line for line in lines if line)]


def _parts(text: str, column: Column) -> list[str]:
    """What of a cell must be on one line."""
    return [text] if column.no_wrap else text.split() or [""]


def without_markup(cell: object) -> str:
    """A cell without its markup."""
    return cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain
