"""Who is delayed by whom, in made-up runs where that is known."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from stretto.stats import late_rank
from stretto.stats.late_rank import END, START, matrix, reached

LATE_NS = 100_000
# When a rank leaves, ns after the repetition began, with a rank late by so much.
Leave = Callable[[int, int, float], float]


def allreduce(late_rank: int, _rank: int, late: float) -> float:
    """Everybody waits for everybody."""
    del late_rank
    return 10_000 + late


def gather(late_rank: int, rank: int, late: float) -> float:
    """To rank 0: it waits, the others go on."""
    return 10_000 + (late if rank in (0, late_rank) else 0)


def nobody(late_rank: int, rank: int, late: float) -> float:
    """Of a start: only who is late is later."""
    return 2_000 + (late if rank == late_rank else 0)


def run(
    leave: Leave,
    seed: int,
    *,
    late_rank: int | None = None,
    late: float = LATE_NS,
    start: Leave | None = None,
    launches: int = 6,
    ranks: int = 4,
    noise: float = 0.1,
    repetitions: int = 7,
) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    who, wait = (-1, 0.0) if late_rank is None else (late_rank, late)

    def after(time: Leave, rank: int, slow: float) -> float:
        usual = time(who, rank, 0)
        return usual * slow * random.lognormal(0, noise) + time(who, rank, wait) - usual

    rows = []
    for launch in range(launches):
        slow = random.lognormal(0, noise)
        for number in range(repetitions):
            begin = 1e9 * number + random.uniform(0, 1e6)
            rows += [
                {
                    "launch": launch,
                    "implementation": "mpich",
                    "cell": 0,
                    "rank": rank,
                    "repetition": number,
                    "warmup": False,
                    "enter_ns": int(begin + random.uniform(0, 300) + wait * (rank == who)),
                    "started_ns": int(begin + after(start, rank, slow)) if start else None,
                    "leave_ns": int(begin + after(leave, rank, slow)),
                    "valid": True,
                }
                for rank in range(ranks)
            ]
    frame = pl.DataFrame(rows, schema_overrides={"started_ns": pl.Int64})
    if late_rank is None:
        return frame
    return frame.with_columns(late_rank=late_rank, late_ns=pl.lit(int(late)))


def runs(leave: Leave, *, ranks: int = 4, **more: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Without a late rank, and with each in turn."""
    late = [run(leave, 10 + rank, late_rank=rank, ranks=ranks, **more) for rank in range(ranks)]  # type: ignore[arg-type]
    return run(leave, 1, ranks=ranks, **more), pl.concat(late)  # type: ignore[arg-type]


def delays(undelayed: pl.DataFrame, late: pl.DataFrame) -> pl.DataFrame:
    """Of samples, with each late rank beside those in which nobody is."""
    key = ["implementation", "cell"]
    who = late.select(*key, "late_rank", "late_ns").unique()
    return late_rank.delays(reached(undelayed.join(who, on=key)), reached(late))


def of(found: pl.DataFrame, stage: str, value: str = "amplification") -> list[list[float]]:
    return matrix(found.filter(pl.col("stage") == stage), value).tolist()


def test_all_wait_in_an_allreduce() -> None:
    found = delays(*runs(allreduce))
    assert found["stage"].unique().to_list() == [END]
    assert np.array(of(found, END)) == pytest.approx(np.ones((4, 4)), abs=0.05)
    assert found["delayed"].all()
    assert found["late_ns"].unique().to_list() == [LATE_NS]


def test_only_the_root_waits_in_a_gather() -> None:
    found = delays(*runs(gather))
    expected = np.eye(4)
    expected[:, 0] = 1
    assert np.array(of(found, END)) == pytest.approx(expected, abs=0.05)
    assert of(found, END, "delayed") == expected.tolist()


def test_two_ranks_are_enough() -> None:
    found = delays(*runs(gather, ranks=2))
    assert np.array(of(found, END)) == pytest.approx(np.array([[1, 0], [1, 1]]), abs=0.05)


def test_starts_and_ends_are_kept_apart() -> None:
    found = delays(*runs(allreduce, start=nobody))
    assert np.array(of(found, START)) == pytest.approx(np.eye(4), abs=0.05)
    assert of(found, START, "delayed") == np.eye(4).tolist()
    assert np.array(of(found, END)) == pytest.approx(np.ones((4, 4)), abs=0.05)


def test_a_delay_may_be_more_than_the_lateness() -> None:
    found = delays(*runs(lambda _, __, late: 10_000 + 2.5 * late))
    assert np.array(of(found, END)) == pytest.approx(np.full((4, 4), 2.5), abs=0.05)


def test_what_noise_hides_is_not_delayed() -> None:
    """A lateness of 1 % of a time that varies by 10 %, which some comparisons show by chance."""
    marked = [
        delays(run(allreduce, seed), run(allreduce, 100 + seed, late_rank=1, late=100))["delayed"]
        for seed in range(8)
    ]
    assert sum(each.any() for each in marked) <= 1


def test_five_launches_show_even_what_delays_nobody_else_and_four_cannot() -> None:
    assert delays(*runs(nobody, launches=5))["delayed"].sum() == 4
    assert delays(*runs(nobody, launches=4))["delayed"].sum() == 0


def test_invalid_repetitions_and_warm_ups_do_not_count() -> None:
    without, late = runs(gather)
    spoilt = pl.col("leave_ns") + 10**6
    # Invalid on one rank: on all.
    wrong = late.with_columns(
        leave_ns=pl.when(pl.col("repetition") < 5).then(spoilt).otherwise("leave_ns"),
        warmup=pl.col("repetition") < 2,
        valid=~(pl.col("repetition").is_between(2, 4) & (pl.col("rank") == 3)),
    )
    assert np.array(of(delays(without, wrong), END))[:, 0] == pytest.approx(1, abs=0.1)


def test_a_rank_that_was_never_late_has_no_row() -> None:
    without, late = runs(gather)
    found = of(delays(without, late.filter(pl.col("late_rank") == 2)), END)
    assert np.isnan(found).sum(axis=1).tolist() == [4, 4, 0, 4]


def test_runs_that_have_no_cell_in_common_have_no_delays() -> None:
    without, late = runs(gather)
    found = delays(without.with_columns(cell=pl.lit(7)), late)
    assert found.is_empty()
    assert found.columns == delays(without, late).columns


def test_a_late_rank_is_compared_with_those_of_its_own_group() -> None:
    """Both halves of four ranks call at once, each at times of its own."""
    alone, late = runs(allreduce, noise=0.0)

    def halved(samples: pl.DataFrame, lag: int) -> pl.DataFrame:
        second = pl.col("rank") >= 2
        later = second * (1 + pl.col("repetition")) * lag
        return samples.with_columns(
            pl.col("enter_ns") + later, pl.col("leave_ns") + later, group=second.cast(pl.Int64)
        )

    found = delays(halved(alone, 100_000), halved(late, 700_000))
    assert {(who, rank) for who, rank in found.select("late_rank", "rank").iter_rows()} == {
        (who, rank) for who in range(4) for rank in range(4) if who // 2 == rank // 2
    }
    # What the late rank's group does beside it is not the matrix's: that has no figure there.
    assert np.isnan(matrix(found)[0, 2:]).all()
    assert found["amplification"].to_numpy() == pytest.approx(1, abs=0.01)


def test_what_is_invalid_in_one_group_counts_in_the_other() -> None:
    alone, late = runs(nobody, noise=0.0)
    second = pl.col("rank") >= 2

    def halved(samples: pl.DataFrame) -> pl.DataFrame:
        return samples.with_columns(group=second.cast(pl.Int64), valid=~second)

    found = delays(halved(alone), halved(late))
    assert set(found["rank"]) == {0, 1}
