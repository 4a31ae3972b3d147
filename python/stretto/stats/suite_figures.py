"""What other suites would print of these samples: means, and times of the slowest rank.

Samples are as rank_classes.py has them. A suite's mean is not a launch's median: repetitions are
skewed to the right, so it is higher, and says nothing about most of them.
"""

import polars as pl

from stretto.stats.rank_classes import counted_durations

_LAUNCH = ["implementation", "cell", "launch"]
RANKS, SLOWEST = "ranks", "slowest"


def suite_figures(samples: pl.DataFrame) -> pl.DataFrame:
    """A row a (implementation, cell, launch), without those in which no repetition counts; in ns.

    ranks_mean, ranks_min and ranks_max are over ranks, of each rank's mean over its repetitions
    (OSU, IMB), ranks_median of their medians. slowest_mean, slowest_median, slowest_min and
    slowest_max are over repetitions, of the rank that took longest in each (ReproMPI, SKaMPI,
    NBCBench).
    """
    duration = pl.col("duration_ns")
    counted = counted_durations(samples)
    ranks = (
        # In order: a mean of fractions depends on it in its last digit.
        counted.group_by([*_LAUNCH, "rank"], maintain_order=True)
        .agg(duration.mean(), median_ns=duration.median())
        .group_by(_LAUNCH)
        .agg(
            ranks_mean=duration.mean(),
            ranks_median=pl.col("median_ns").median(),
            ranks_min=duration.min(),
            ranks_max=duration.max(),
        )
    )
    slowest = (
        counted.group_by([*_LAUNCH, "repetition"], maintain_order=True)
        .agg(duration.max())
        .group_by(_LAUNCH)
        .agg(
            slowest_mean=duration.mean(),
            slowest_median=duration.median(),
            slowest_min=duration.min(),
            slowest_max=duration.max(),
        )
    )
    return ranks.join(slowest, on=_LAUNCH).sort(_LAUNCH)
