"""What first calls cost, as it is shown: tables and sentences, or JSON."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer
from rich.table import Table

from stretto.cli.bench_shown import EXIT_NOT_VALID
from stretto.cli.consoles import note, out
from stretto.cli.narrow import show_table
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import export_tables
from stretto.report.bench_calls import CallCurve, FirstCalls, LostCalls
from stretto.report.words import seconds, significant, size
from stretto.stats.call_index import SHOWN
from stretto.stats.estimate import Estimate


def show_calls(
    found: FirstCalls,
    folder: Path,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    as_json: bool,
) -> None:
    """Of all runs in `folder`."""
    tables = call_tables(found)
    export_tables(map(plain_table, tables), export_csv, export_markdown)
    if as_json:
        shown = {"calls": found.calls, "not_measured": found.not_measured}
        print_plain_json({"folder": str(folder), **msgspec.to_builtins(shown)})
    else:
        for table in tables:
            show_table(table, out)
        for line in call_sentences(found.calls):
            out.print(line, markup=False, soft_wrap=True)
        note(f"Run folder: {folder}")
    if any(each.state == "wrong" for each in found.not_measured):
        raise typer.Exit(EXIT_NOT_VALID)


def call_tables(found: FirstCalls) -> list[Table]:
    """What calls cost, what the making of a communicator does, and what there is no figure of."""
    lost = [_lost_table(found.not_measured)] if found.not_measured else []
    return [_curves_table(found.calls), _making_table(found.makings), *lost]


def _curves_table(found: Sequence[CallCurve]) -> Table:
    table = Table(title="What a call costs", title_justify="left", title_style="bold")
    for heading in ("operation", "bytes", "by", "first"):
        table.add_column(heading, no_wrap=heading != "first")
    for call in SHOWN:
        table.add_column(f"call {call}", justify="right", no_wrap=True)
    table.add_column("later", justify="right", no_wrap=True)
    table.add_column("steady from", justify="right")
    for each in found:
        times = [each.calls.get(call) for call in SHOWN]
        table.add_row(
            each.operation,
            size(each.bytes),
            each.implementation,
            each.first_of,
            *(seconds(time.median * 1e-9) if time else "" for time in times),
            seconds(each.later.median * 1e-9),
            "not seen" if each.steady_from is None else f"call {each.steady_from}",
        )
    return table


def _making_table(makings: Sequence[tuple[str, Estimate]]) -> Table:
    table = Table(title="MPI_Comm_dup", title_justify="left", title_style="bold")
    table.add_column("by", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    for implementation, time in makings:
        ends = time.interval.low, time.interval.high
        table.add_row(
            implementation,
            seconds(time.median * 1e-9),
            "-".join(seconds(end * 1e-9) for end in ends),
        )
    return table


def _lost_table(lost: Sequence[LostCalls]) -> Table:
    """In how many launches there are no such calls, and why."""
    table = Table(title="Not measured, or wrong", title_justify="left", title_style="bold")
    for heading in ("operation", "bytes", "by", "first", "launches", "why"):
        table.add_column(heading, overflow="fold")
    for each in lost:
        table.add_row(
            each.operation,
            size(each.bytes),
            each.implementation,
            each.first_of,
            f"{each.launches} of {each.of_launches}",
            f"{each.state}: {each.why}" if each.why else each.state,
        )
    return table


def call_sentences(found: Sequence[CallCurve]) -> list[str]:
    """How much more a first call costs, and from which on all are alike."""
    lines = []
    for each in found:
        first = each.calls.get(1)
        if first is None or each.later.median <= 0:
            continue
        ratio = first.median / each.later.median
        line = (
            f"{each.operation} of {size(each.bytes)} by {each.implementation}: its first call "
            f"{each.first_of} costs {significant(ratio)} times what later ones do"
        )
        if each.steady_from is not None and each.steady_from > 1:
            line += f"; all are alike from call {each.steady_from} on"
        lines.append(line)
    return lines
