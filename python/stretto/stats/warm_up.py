"""How long it took until calls were alike, before those that count."""

import polars as pl

_CELL = ["implementation", "cell"]


def warm_ups_of(samples: pl.DataFrame) -> pl.DataFrame:
    """A row a (implementation, cell, launch): warmup_calls, the calls before those that count, and
    changing, whether they had not come to be alike by then; null where the samples do not say.

    Samples have launch, implementation, cell, warmup, warmup_calls and changing.
    """
    return (
        samples.filter(~pl.col("warmup"))
        .group_by([*_CELL, "launch"])
        .agg(pl.col("warmup_calls").max(), pl.col("changing").any(ignore_nulls=False))
    )


def warm_ups_over(launches: pl.DataFrame) -> pl.DataFrame:
    """A row a (implementation, cell): of what `warm_ups_of` has of its launches the median of
    warmup_calls, and the share (from 0 to 1) of those that were changing."""
    return (
        launches.group_by(_CELL)
        .agg(pl.col("warmup_calls").median(), pl.col("changing").mean())
        .sort(_CELL)
    )
