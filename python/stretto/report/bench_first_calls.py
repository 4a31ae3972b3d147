"""What the first call on a new communicator takes, against those that follow."""

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult
from stretto.report.bench_calls import IN_PROCESS, ON_COMMUNICATOR, CallCurve, curves_of
from stretto.report.bench_plots import is_plain
from stretto.report.plain_table import PlainTable
from stretto.report.words import seconds, significant, size

_NS = 1e-9


def first_calls(result: BenchResult, run: BenchFolder) -> PlainTable | None:
    """Of cells on fresh communicators, on the median rank; None without any."""
    rows = [_figures(each) for each in _curves(result, run)]
    heads = ["operation", "bytes", "by", "first", "first call", "95 %", "later calls"]
    heads += ["first over later", "alike from"]
    return PlainTable("First calls", heads, rows) if rows else None


def _curves(result: BenchResult, run: BenchFolder) -> list[CallCurve]:
    plan = result.record.plan
    cells = [
        (cell, IN_PROCESS if plan.in_order and number == 0 else ON_COMMUNICATOR)
        for number, cell in enumerate(plan.cells)
        if cell.fresh and is_plain(cell)
    ]
    # Most runs have no such cells, and to look for them takes time.
    return [each for each in curves_of(run, cells) if 1 in each.calls] if cells else []


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
