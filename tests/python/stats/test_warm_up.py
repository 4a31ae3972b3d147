"""Warm-ups as samples have them."""

import polars as pl

from stretto.stats.warm_up import warm_ups_of, warm_ups_over


def samples(*launches: tuple[int | None, bool | None]) -> pl.DataFrame:
    """Of each launch a call of the warm-up and one that counts."""
    rows = [
        {
            "launch": launch,
            "implementation": "native",
            "cell": 3,
            "warmup": is_warmup,
            "warmup_calls": None if is_warmup else calls,
            "changing": None if changing is None else changing and not is_warmup,
        }
        for launch, (calls, changing) in enumerate(launches)
        for is_warmup in (True, False)
    ]
    schema_of = {"warmup_calls": pl.Int64, "changing": pl.Boolean}
    return pl.DataFrame(rows, schema_overrides=schema_of)


def test_it_is_the_median_launch_and_a_share_of_launches() -> None:
    (row,) = warm_ups_over(warm_ups_of(samples((80, False), (80, False), (640, True)))).rows()
    assert row == ("native", 3, 80, 1 / 3)


def test_samples_that_do_not_say_leave_it_open() -> None:
    assert warm_ups_over(warm_ups_of(samples((None, None)))).rows() == [("native", 3, None, None)]
