"""How much slower the network may be: the option, the table and the sentence."""

from typing import Annotated

import typer
from rich.table import Table

from stretto.cli.consoles import out
from stretto.cli.narrow import show_table
from stretto.cli.plain_tables import plain_table
from stretto.data.network_tolerance import Bearable, NetworkTolerance
from stretto.report.network_tolerance import bandwidth, in_words, more, never_bandwidth
from stretto.report.plain_table import PlainTable
from stretto.report.words import percent, seconds

NetworkToleranceOption = Annotated[
    bool,
    typer.Option(
        "--network-tolerance",
        help="How much latency, and how much less bandwidth, until it is 1, 2 and 5 % slower.",
    ),
]

HEADINGS = ("slower by", "latency added", "that is", "bandwidth", "divided by")


def table(found: NetworkTolerance) -> Table:
    """A row for each share of time."""
    shown = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        shown.add_column(heading, justify="right", no_wrap=True)
    for each in found.bears:
        shown.add_row(percent(each.slower), *_latency(each, found), *_bandwidth(each, found))
    return shown


def whole(found: NetworkTolerance | None) -> list[PlainTable]:
    """The table as it is exported; none where nobody asked for it."""
    return [] if found is None else [plain_table(table(found), "network tolerance")]


def show(found: NetworkTolerance) -> None:
    """What the table is of, the table, and the sentence."""
    *before, last = in_words(found)
    for line in before:
        out.print(line, markup=False, soft_wrap=True)
    show_table(table(found), out)
    out.print(last, markup=False, soft_wrap=True, style="bold")


def _latency(each: Bearable, found: NetworkTolerance) -> tuple[str, str]:
    if each.added_latency_ns is None:
        return f"over {seconds(1e-9 * found.most_latency_ns)}", ""
    whole = found.latency_ns + each.added_latency_ns
    return more(each.added_latency_ns), seconds(1e-9 * whole)


def _bandwidth(each: Bearable, found: NetworkTolerance) -> tuple[str, str]:
    if each.bandwidth_divisor is None:
        return "", never_bandwidth(found)
    rate = "" if found.bit_per_s is None else bandwidth(found.bit_per_s / each.bandwidth_divisor)
    return rate, f"{each.bandwidth_divisor:.3g}"
