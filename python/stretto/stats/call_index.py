"""How the first calls on a fresh communicator differ from later ones, and from which on none do.

The first sets up connections and buffers; some MPIs take another way after a few, as MPICH does
near the sixth. What is warmed up by less is measured on both ways at once.
"""

from collections.abc import Sequence
from math import log, log1p, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stretto.stats.estimate import estimate
from stretto.stats.partition import partition
from stretto.stats.summary import DEVIATION_OF_MAD, ERROR_OF_MEDIAN

SHOWN = (1, 2, 5, 10, 100)
# Of two launches the median is their mean, which one slow call moves.
FEWEST_LAUNCHES = 3
# Levels that differ by no more are one.
TOLERANCE = 0.05
# The last level has at least this share of the calls, or nothing says that it stays.
_LEAST_SHARE = 0.25
# To know from calls that follow each other how far they vary.
_ENOUGH_CALLS = 20
# A median's relative standard error, whatever launches say of it.
_LEAST_ERROR = 0.01

_CALL = ["implementation", "cell", "launch", "call"]

Floats = NDArray[np.float64]


def calls_of(samples: pl.DataFrame) -> pl.DataFrame:
    """What each call took in each launch: a row a (implementation, cell, launch, call).

    `samples` has a row a repetition of a rank: implementation, cell, launch, rank, repetition (from
    0, the first on a fresh communicator, warm-ups and all), enter_ns, leave_ns, valid. Here `call`
    counts from 1, and duration_ns is the median over ranks. Calls that are invalid on a rank are
    left out.
    """
    duration = pl.col("leave_ns") - pl.col("enter_ns")
    return (
        samples.with_columns(call=pl.col("repetition") + 1)
        .group_by(_CALL)
        .agg(pl.col("valid").all(), duration_ns=duration.median())
        .filter("valid")
        .drop("valid")
        .sort(_CALL)
    )


def curve(calls: pl.DataFrame, shown: Sequence[int] = SHOWN) -> pl.DataFrame:
    """Of the calls to be shown that were made, their medians over launches.

    `calls` is what `calls_of` gives. A row a (implementation, cell, call): launches, median_ns, and
    its interval low_ns to high_ns with its coverage.
    """
    by_call = (
        calls.filter(pl.col("call").is_in(shown))
        .group_by("implementation", "cell", "call")
        .agg("duration_ns")
        .sort("implementation", "cell", "call")
    )
    found = [estimate(each) for each in by_call["duration_ns"].to_list()]
    return by_call.drop("duration_ns").with_columns(
        pl.Series("launches", [each.launches for each in found], pl.Int64),
        pl.Series("median_ns", [each.median for each in found], pl.Float64),
        pl.Series("low_ns", [each.interval.low for each in found], pl.Float64),
        pl.Series("high_ns", [each.interval.high for each in found], pl.Float64),
        pl.Series("coverage", [each.interval.coverage for each in found], pl.Float64),
    )


def steady_from(calls: pl.DataFrame) -> int | None:
    """The call from which on the medians over launches stay within TOLERANCE: 1 if all do.

    `calls` is of one implementation and cell, as `calls_of` gives them, any of a fresh
    communicator's. Warm-ups have to be one fewer, or more. None where nothing says that they are
    steady: of fewer than FEWEST_LAUNCHES, or where the last change is among the last calls.

    The medians' logarithms are cut into levels, each worth its two parameters by the noise of the
    medians (BIC); launches are taken relative to themselves, as some are slower as a whole.
    """
    table = calls.pivot("launch", index="call", values="duration_ns", sort_columns=True).sort(
        "call"
    )
    numbers = table["call"].to_list()
    durations = table.drop("call").to_numpy().astype(float)
    if durations.shape[1] < FEWEST_LAUNCHES:
        return None
    # A clock's tick may be longer than the call.
    logs = np.log(np.maximum(durations, 1))
    logs -= np.nanmedian(logs, axis=0)
    medians = np.nanmedian(logs, axis=1)
    error = max(_error(logs - medians[:, None]), _unrest(medians), _LEAST_ERROR)
    begins = partition(_around_means(medians) / error**2, 2 * log(len(medians)))
    ends = [*begins[1:], len(medians)]
    levels = [float(np.mean(medians[i:j])) for i, j in zip(begins, ends, strict=True)]
    near = [abs(level - levels[-1]) <= log1p(TOLERANCE) for level in levels]
    steady = len(begins) - 1
    for level in range(steady - 1, -1, -1):
        # One call between others is a disturbance of its own.
        alone = ends[level] - begins[level] == 1
        passing = alone and level > 0 and near[level - 1] and begins[level] - begins[level - 1] > 1
        if not near[level] and not passing:
            break
        steady = level
    if len(medians) - begins[steady] < _LEAST_SHARE * len(medians):
        return None
    return int(numbers[begins[steady]])


def _error(deviations: Floats) -> float:
    """The standard error of a call's median over launches: that of most calls, as first ones
    may vary much more."""
    spread = DEVIATION_OF_MAD * np.nanmedian(np.abs(deviations), axis=1)
    launches = np.sum(~np.isnan(deviations), axis=1)
    return sqrt(float(np.median((ERROR_OF_MEDIAN * spread) ** 2 / launches)))


def _unrest(medians: Floats) -> float:
    """The same from one call to the next, as few launches agree by chance; of enough calls that
    most of these steps are no changes."""
    if len(medians) < _ENOUGH_CALLS:
        return 0.0
    return DEVIATION_OF_MAD * float(np.median(np.abs(np.diff(medians)))) / sqrt(2)


def _around_means(values: Floats) -> Floats:
    """Of each part of them the sum of squares around its mean, as `partition` takes it."""
    count = len(values)
    cost = np.zeros((count + 1, count + 1))
    for begin in range(count):
        part = values[begin:]
        sums = np.cumsum(part) ** 2 / np.arange(1, len(part) + 1)
        cost[begin, begin + 1 :] = np.maximum(np.cumsum(part**2) - sums, 0)
    return cost
