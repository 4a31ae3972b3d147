"""Who is delayed by a rank that comes late to a collective, and by how much.

Samples have a row a repetition of a rank: launch, implementation, cell, rank, repetition, warmup,
enter_ns, started_ns (when a nonblocking call returned; null otherwise), leave_ns (of the launch's
one clock), valid, late_rank and late_ns: which rank waited how long before it entered; and maybe
group, where several are measured at once. Those in which nobody is late have them, too, as often as
there are late ranks that they are compared with. Other columns are passed over.

A repetition begins when the median of the ranks that are not late enters, and each rank's time is
counted from there: so a late rank is delayed by its own lateness, and who waits for it by as much.
Where several are late at once samples have own_late_ns, by how much their rank is, and a late_rank
that is none: then it begins when the median rank would have entered without. Groups do not wait for
each other: each has repetitions of its own, and a late rank is compared with the ranks of its own.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.stats.difference import rank_test
from stretto.stats.estimate import LEVEL

# What may be delayed: the return of a nonblocking call, and the end of the operation.
START, END = "start", "end"

_PLACE = ["implementation", "cell", "late_ns", "late_rank"]
_LAUNCH = [*_PLACE, "launch"]
_KEY = [*_PLACE, "rank", "stage"]
_REPETITION = [*_LAUNCH, "group", "repetition"]

Floats = NDArray[np.float64]


def reached(samples: pl.DataFrame) -> pl.DataFrame:
    """When ranks got there: a row a (implementation, cell, late_ns, late_rank, launch, rank,
    stage), with ns, the median over repetitions, after they began.

    Those of several launches may be worked out one by one, and put together.
    """
    if "group" not in samples.columns:
        samples = samples.with_columns(group=pl.lit(0))
    if "own_late_ns" in samples.columns:
        on_time = pl.col("enter_ns") - pl.col("own_late_ns")
    else:
        is_late = pl.col("rank") == pl.col("late_rank")
        on_time = pl.col("enter_ns").filter(~is_late)
        samples = samples.filter(is_late.any().over([*_LAUNCH, "group"]))
    begin = on_time.median().over(_REPETITION)
    return (
        _counted(samples)
        .with_columns(begin=begin)
        .select(
            *_LAUNCH,
            "rank",
            (pl.col("started_ns") - pl.col("begin")).alias(START),
            (pl.col("leave_ns") - pl.col("begin")).alias(END),
        )
        .unpivot([START, END], index=[*_LAUNCH, "rank"], variable_name="stage")
        .drop_nulls("value")
        .group_by([*_KEY, "launch"])
        .agg(ns=pl.col("value").median())
    )


def delays(undelayed: pl.DataFrame, late: pl.DataFrame) -> pl.DataFrame:
    """By how much each rank is delayed where another one, or itself, is late.

    Both are what `reached` gives, of all launches together. A row a (implementation, cell, late_ns,
    late_rank, rank, stage), stage START or END (START of nonblocking calls alone): delay_ns (the
    median of launches' medians with the late rank, less that without), amplification (delay_ns /
    late_ns: 0 is not delayed, 1 by the whole lateness, and more is possible), p (the chance of such
    ranks of launches where none is delayed, one-sided), and `delayed`: of the ranks of a cell,
    lateness and stage that are marked so, 5 % or fewer are so by chance (Benjamini and Hochberg,
    1995). That takes 5 launches of either run where ranks delay none but themselves, and with more
    than 12 ranks 6; where of 10,000 ranks only some are late in turn, 11.
    """
    without, with_late = (each.group_by(_KEY).agg("ns") for each in (undelayed, late))
    both = with_late.join(without, on=_KEY, suffix="_without")
    if both.is_empty():
        return both.select(_KEY).with_columns(
            *(pl.lit(None, pl.Float64).alias(name) for name in ("delay_ns", "amplification", "p")),
            delayed=pl.lit(None, pl.Boolean),
        )
    p_values = [
        rank_test(before, after, greater=True)
        for before, after in both.select("ns_without", "ns").iter_rows()
    ]
    delay = pl.col("ns").list.median() - pl.col("ns_without").list.median()
    return (
        both.with_columns(p=pl.Series(p_values), delay_ns=delay)
        .with_columns(
            amplification=pl.col("delay_ns") / pl.col("late_ns"),
            delayed=pl.col("p")
            .map_batches(_by_chance, return_dtype=pl.Float64)
            .over("implementation", "cell", "late_ns", "stage")
            <= 1 - LEVEL,
        )
        .select(*_KEY, "delay_ns", "amplification", "p", "delayed")
        .sort(_KEY)
    )


def matrix(
    found: pl.DataFrame, value: str = "amplification", late_ranks: Sequence[int] | None = None
) -> Floats:
    """A column of `delays`, of one implementation, cell, lateness and stage: at [late rank, rank].

    Ranks from 0 to the largest; NaN where nothing was measured. With `late_ranks`, in order, there
    are only their rows: of many ranks all would be more than memory holds.
    """
    rows, columns = found["late_rank"].to_numpy(), found["rank"].to_numpy()
    ranks = int(np.max([rows, columns], initial=-1)) + 1
    if late_ranks is None:
        late_ranks = range(ranks)
    is_one = np.isin(rows, late_ranks)
    filled = np.full((len(late_ranks), ranks), np.nan)
    at = np.searchsorted(late_ranks, rows[is_one])
    filled[at, columns[is_one]] = found[value].to_numpy()[is_one]
    return filled


def _counted(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples of repetitions that are no warm-ups and valid on all ranks."""
    valid = pl.col("valid").all().over(_REPETITION)
    return samples.filter(valid & ~pl.col("warmup"))


def _by_chance(p_values: pl.Series) -> pl.Series:
    """Benjamini and Hochberg's adjusted p-values."""
    from scipy.stats import false_discovery_control  # noqa: PLC0415 - it takes two seconds

    return pl.Series(false_discovery_control(p_values.to_numpy()))
