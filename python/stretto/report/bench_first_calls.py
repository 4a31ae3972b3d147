"""What the first call on a new communicator takes, against those that follow."""

import polars as pl

from stretto.report.bench import BenchResult
from stretto.report.bench_plots import NS
from stretto.report.plain_table import PlainTable
from stretto.report.words import seconds, significant, size
from stretto.stats.estimate import estimate

_LAUNCH = ["cell", "implementation", "launch"]


def first_calls(result: BenchResult, samples: pl.DataFrame) -> PlainTable | None:
    """Of cells on fresh communicators, on the rank that took longest; None without any."""
    fresh = {cell.number: cell for cell in result.record.plan.cells if cell.fresh}
    took = pl.col("leave_ns") - pl.col("enter_ns")
    calls = (
        samples.filter(pl.col("cell").is_in(list(fresh)))
        .group_by([*_LAUNCH, "repetition"])
        .agg(took.max().alias("ns"), pl.col("warmup").all(), pl.col("valid").all())
        .sort([*_LAUNCH, "repetition"])
    )
    launches = calls.group_by(_LAUNCH, maintain_order=True).agg(
        pl.col("ns").first().alias("first"),
        pl.col("ns").filter(pl.col("valid") & ~pl.col("warmup")).median().alias("later"),
    )
    rows = []
    kinds = launches.drop_nulls().group_by(["cell", "implementation"], maintain_order=True)
    for (number, implementation), each in kinds:
        first, later = (estimate(each[name].to_list()) for name in ("first", "later"))
        cell, interval = fresh[number], first.interval
        rows.append(
            [
                cell.name,
                size(cell.bytes),
                str(implementation),
                seconds(NS * first.median),
                f"{seconds(NS * interval.low)}-{seconds(NS * interval.high)}",
                seconds(NS * later.median),
                f"{significant(first.median / later.median)}x" if later.median else "",
            ]
        )
    heads = ["operation", "bytes", "by", "first call", "95 %", "later calls", "first over later"]
    return PlainTable("First call on a new communicator", heads, rows) if rows else None
