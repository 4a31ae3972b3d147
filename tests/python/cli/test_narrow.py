"""Tables on narrow terminals: names and numbers are whole."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from stretto.cli.narrow import show_table

NAMES = ["Allreduce jacobi3d.c:144 on communicator 1", "Waitall lib.so+0x1a2b"]
FIGURES = ["1,000,000", "33.6 MiB", "42.0 %", "12.5 %", "", "0.0 %"]
HEADS = ["calls", "bytes", "of time", "waiting", "transfer", "overhead"]


def shown(width: int) -> list[str]:
    table = Table(box=None, pad_edge=False)
    table.add_column("call site", overflow="fold")
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for name in NAMES:
        table.add_row(name, *FIGURES)
    console = Console(file=io.StringIO(), width=width)
    show_table(table, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 70])
def test_figures_are_below_their_name_where_there_is_no_room(width: int) -> None:
    lines = shown(width)
    assert [line for line in lines if not line.startswith("  ")] == NAMES
    figures = " ".join(line.strip() for line in lines if line.startswith("  "))
    pairs = [f"{head} {figure}" for head, figure in zip(HEADS, FIGURES, strict=True) if figure]
    assert figures.replace(",  ", ", ").count(pairs[0]) == len(NAMES)
    for pair in pairs:
        assert sum(pair in line for line in lines) == len(NAMES)
    assert all(len(line) <= max(width, len(line) if line in NAMES else 0) for line in lines)


def test_a_table_that_fits_is_one() -> None:
    assert len(shown(120)) == 1 + len(NAMES)
    assert len(shown(80)) > 1 + len(NAMES)  # its names fold
    assert "calls" in shown(80)[0]


@pytest.mark.parametrize("width", [20, 120])
def test_what_stands_beneath_a_table_is_there_at_any_width(width: int) -> None:
    table = Table("call site", "calls", caption="all of it")
    table.add_row(NAMES[0], "1,000,000")
    console = Console(file=io.StringIO(), width=width)
    show_table(table, console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[-1].strip() == "all of it"
