"""What the first call on a new communicator takes, against those that follow."""

from collections.abc import Iterator

import polars as pl

from stretto.report.bench import BenchResult
from stretto.report.bench_calls import IN_PROCESS, ON_COMMUNICATOR, CallCurve, curves_of
from stretto.report.bench_plots import is_plain
from stretto.report.plain_table import PlainTable
from stretto.report.words import seconds, significant, size

_NS = 1e-9


def first_calls(result: BenchResult, samples: pl.DataFrame) -> PlainTable | None:
    """Of cells on fresh communicators, on the median rank; None without any."""
    rows = [_figures(each) for each in _curves(result, samples)]
    heads = ["operation", "bytes", "by", "first", "first call", "95 %", "later calls"]
    heads += ["first over later", "alike from"]
    return PlainTable("First calls", heads, rows) if rows else None


def _curves(result: BenchResult, samples: pl.DataFrame) -> Iterator[CallCurve]:
    plan = result.record.plan
    for number, cell in enumerate(plan.cells):
        if cell.fresh and is_plain(cell):
            first_of = IN_PROCESS if plan.in_order and number == 0 else ON_COMMUNICATOR
            of_cell = samples.filter(cell=cell.number)
            found = [each for each in curves_of(of_cell, cell, first_of) if 1 in each.calls]
            yield from sorted(found, key=lambda it: plan.implementations.index(it.implementation))


def _figures(each: CallCurve) -> list[str]:
    first, later = each.calls[1], each.later.median
    return [
        each.operation,
        size(each.bytes),
        each.implementation,
        each.first_of,
        seconds(_NS * first.median),
        f"{seconds(_NS * first.interval.low)}-{seconds(_NS * first.interval.high)}",
        seconds(_NS * later),
        f"{significant(first.median / later)}x" if later else "",
        "not seen" if each.steady_from is None else f"call {each.steady_from}",
    ]
