"""What other suites would have printed."""

import polars as pl

from stretto.stats.suite_figures import suite_figures


def test_means_over_ranks_and_times_of_the_slowest() -> None:
    took = {0: [1, 1, 10], 1: [3, 5, 4]}
    samples = pl.DataFrame(
        [
            {
                "launch": 0,
                "implementation": "native",
                "cell": 0,
                "rank": rank,
                "repetition": number,
                "warmup": False,
                "valid": True,
                "enter_ns": 100,
                "leave_ns": 100 + time,
            }
            for rank, times in took.items()
            for number, time in enumerate(times)
        ]
    )
    late = samples.with_columns(repetition=pl.lit(3), valid=pl.col("rank") == 0, leave_ns=10**6)
    (row,) = suite_figures(
        pl.concat([samples, late.head(1), late.tail(1)], how="vertical_relaxed")
    ).to_dicts()
    assert (row["ranks_mean"], row["ranks_min"], row["ranks_max"]) == (4, 4, 4)
    assert row["ranks_median"] == 2.5
    # In repetitions 0 to 2 the slowest took 3, 5 and 10.
    assert (row["slowest_mean"], row["slowest_median"]) == (6, 5)
    assert (row["slowest_min"], row["slowest_max"]) == (3, 10)
