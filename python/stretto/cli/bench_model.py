"""stretto bench model: a run beside what the LogGP model of a machine says of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from stretto.cli.consoles import err, note, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import BenchFolder, BenchRecord
from stretto.data.bench_predictions import Prediction, Predictions, keep_predictions
from stretto.errors import InputError
from stretto.model.calibrated import MEASURED_WITH
from stretto.model.machine import Machine, presets, read_machine
from stretto.native.bench_predictions import Surroundings, predictor
from stretto.native.schedules import Unsuited
from stretto.report.bench import BenchRow, summarise
from stretto.report.bench_model import (
    BesideModel,
    Modelled,
    curves,
    model_table,
    modelled,
    sentences,
    summary,
)
from stretto.report.plain_table import PlainTable


def model(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    machine: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help=f"What stretto calibrate -o wrote of the machine, or {', '.join(presets())}.",
        ),
    ],
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Keep the predictions in the run folder, for the plots of stretto report.",
        ),
    ] = False,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Compare a run with the LogGP model of the machine, and with its bandwidth.

    What is predicted of stretto is the schedule that stretto explain names there; of native, the
    times of the MPI that were measured when the machine was calibrated, or where there are none
    the fastest of Stretto's schedules. What is compared is the median of the slowest rank.

    Example: stretto bench model stretto-runs/bench-1 --machine machine.toml
    """
    where = read_machine(machine)
    result = summarise(BenchFolder(folder))
    predictions, left_out = _predictions(where, result.record, result.rows)
    found = modelled(result.rows, predictions.by_row())
    if not found:
        words = "; ".join(left_out) or "nothing was measured"
        raise InputError(f"{folder}: of nothing in it is anything predicted: {words}")
    if keep:
        keep_predictions(folder, predictions)
    beside = BesideModel(where.name, found)
    names = dict.fromkeys(each.row.cell.name for each in found)
    tables = [model_table(name, beside) for name in names]
    export_tables(tables, export_csv, export_markdown)
    warnings = [*_warnings(where, result.record)]
    if as_json:
        print_plain_json(_plain(folder, where, found, left_out) | {"warnings": warnings})
        return
    for table in tables:
        show_table(_table(table), out)
    for line in sentences(found):
        out.print(line, markup=False, soft_wrap=True)
    out.print(summary(found), markup=False, soft_wrap=True)
    for warning in warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    for why, rows in left_out.items():
        note(f"without a prediction: {rows} rows, {why}")
    if keep:
        note(f"Kept in {folder}")


def _predictions(
    machine: Machine, record: BenchRecord, rows: Sequence[BenchRow]
) -> tuple[Predictions, dict[str, int]]:
    """Those of the rows, and of how many there is none, by the reason."""
    found = []
    left_out: dict[str, int] = {}
    with predictor(machine, _surroundings(record)) as predict:
        for row in rows:
            try:
                by_class = predict.of(row.cell, row.implementation)
            except Unsuited as why:
                left_out[str(why)] = left_out.get(str(why), 0) + 1
                continue
            predicted = by_class[row.rank_class]
            found.append(Prediction(row.cell.number, row.rank_class, row.implementation, predicted))
    return Predictions(machine.name, found), left_out


def _warnings(machine: Machine, record: BenchRecord) -> Iterator[str]:
    """What the residuals may come from that is no fault of the model."""
    facts = [launched.facts for launched in record.launches if launched.facts]
    if any(each.crowded for each in facts):
        yield "ranks shared cores in this run, and in the model each has its own"
    mpi = " ".join(facts[0].mpi.split()) if facts else ""
    source = " ".join(machine.source.split())
    if source.startswith(MEASURED_WITH) and not source.startswith(f"{MEASURED_WITH}{mpi},"):
        yield f"the machine was {source}, and the run was with {mpi}"
    on = sorted({each.ranks for each in machine.collective})
    if on and record.plan.ranks not in on:
        ranks = ", ".join(map(str, on))
        yield (
            f"the MPI's own collectives were measured on {ranks} ranks, and the run had "
            f"{record.plan.ranks}: calibrate with as many"
        )


def _surroundings(record: BenchRecord) -> Surroundings:
    facts = [launched.facts for launched in record.launches if launched.facts]
    return Surroundings(
        ranks=record.plan.ranks,
        hosts=max((each.hosts for each in facts), default=1),
        crowded=any(each.crowded for each in facts),
        cold=record.plan.settings.buffers in ("unique", "cold"),
    )


def _table(plain: PlainTable) -> Table:
    """Names to the left, and figures to the right."""
    table = Table(title=escape(plain.title), title_justify="left", title_style="bold")
    first, *names = plain.heads[:3]
    table.add_column(first, no_wrap=True)
    for heading in names:
        table.add_column(heading, overflow="fold")
    for heading in plain.heads[3:-1]:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(plain.heads[-1], overflow="fold")
    for row in plain.rows:
        table.add_row(*map(escape, row))
    return table


def _plain(
    folder: Path, machine: Machine, found: Sequence[Modelled], left_out: dict[str, int]
) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "machine": machine.name,
        "rows": [
            {
                "operation": each.row.cell.name,
                "bytes": each.row.cell.bytes,
                "rank_class": each.row.rank_class,
                "implementation": each.row.implementation,
                "measured_ns": each.measured_ns,
                "residual": each.residual,
                **msgspec.to_builtins(each.predicted),
                "is_off": each.is_off,
            }
            for each in found
        ],
        "curves": [
            {"operation": operation, "implementation": implementation, "points": points}
            for (operation, implementation), points in curves(found).items()
        ],
        "left_out": left_out,
        "summary": summary(found),
    }
