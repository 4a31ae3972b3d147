"""A benchmark's results as a table for other programs: all digits, one row for each cell."""

from collections.abc import Iterable

import polars as pl

from stretto.data.bench_plan import BenchCell
from stretto.report.bench import BenchRow, Compared
from stretto.report.bench_calls import CallCurve

SCHEMA = pl.Schema(
    {
        "operation": pl.String(),
        "bytes": pl.Int64(),
        "compute_ns": pl.Int64(),
        "tests": pl.Int64(),
        # Of the ranks, in their order, with spaces between; "9999: 1000" is from that rank on.
        "delays_ns": pl.String(),
        "rank_class": pl.String(),
        "implementation": pl.String(),
        "median_ns": pl.Float64(),
        "low_ns": pl.Float64(),
        "high_ns": pl.Float64(),
        "coverage": pl.Float64(),
        "launches": pl.Int64(),
        "fastest_rank_ns": pl.Float64(),
        "p95_rank_ns": pl.Float64(),
        "slowest_rank_ns": pl.Float64(),
        "ranks": pl.Int64(),
        "repetitions": pl.Int64(),
        "outliers": pl.Int64(),
        "valid": pl.Float64(),
        "warmup_calls": pl.Float64(),  # before those that count, of the median launch
        "changing": pl.Float64(),  # share of launches in which these were not alike in the end
        "ratio": pl.Float64(),  # the first implementation's time over this one's
        "ratio_low": pl.Float64(),
        "ratio_high": pl.Float64(),
        "p": pl.Float64(),  # corrected for all comparisons of the run
    }
)


CALLS_SCHEMA = pl.Schema(
    {
        "operation": pl.String(),
        "bytes": pl.Int64(),
        "implementation": pl.String(),
        "first_of": pl.String(),  # what its first call is the first of
        "call": pl.Int64(),  # from 1
        "median_ns": pl.Float64(),  # of the median rank
        "low_ns": pl.Float64(),
        "high_ns": pl.Float64(),
        "coverage": pl.Float64(),
        "launches": pl.Int64(),
        "steady_from": pl.Int64(),  # from which call on all are alike
    }
)


def calls_frame(found: Iterable[CallCurve]) -> pl.DataFrame:
    """As CALLS_SCHEMA has them."""
    rows = [
        (
            *(each.operation, each.bytes, each.implementation, each.first_of, call, time.median),
            *(time.interval.low, time.interval.high, time.interval.coverage, time.launches),
            each.steady_from,
        )
        for each in found
        for call, time in each.calls.items()
    ]
    return pl.DataFrame(rows, schema=CALLS_SCHEMA, orient="row")


def rows_frame(shown: Iterable[BenchRow], compared_rows: Iterable[Compared] = ()) -> pl.DataFrame:
    """As SCHEMA has them; what compares with the first implementation is null in its own rows."""
    compared = {_key(each.row): each for each in compared_rows}
    rows = []
    for row in shown:
        against = compared.get(_key(row))
        interval = row.time.interval
        ratio = against.difference if against else None
        rows.append(
            (
                row.cell.name,
                row.cell.bytes,
                row.cell.compute_ns,
                row.cell.tests,
                _delays(row.cell),
                row.rank_class,
                row.implementation,
                row.time.median,
                interval.low,
                interval.high,
                interval.coverage,
                row.time.launches,
                row.minimum,
                row.p95,
                row.maximum,
                row.ranks,
                row.repetitions,
                row.outliers,
                row.valid,
                row.warmup_calls,
                row.changing,
                ratio.ratio if ratio else None,
                ratio.interval.low if ratio else None,
                ratio.interval.high if ratio else None,
                against.p if against else None,
            )
        )
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _delays(cell: BenchCell) -> str:
    first = [f"{cell.delays_from}:"] if cell.delays_from else []
    return " ".join([*first, *map(str, cell.delays_ns)])


def _key(row: BenchRow) -> tuple[int, str, str]:
    return row.cell.number, row.rank_class, row.implementation
