"""Cliffs are found where a synthetic collective has them, and none where it has none."""

from collections.abc import Callable

import numpy as np
import pytest

from stretto.stats.cliffs import FEWEST_LAUNCHES, Cliff, cliffs, narrowed, next_size

KI, MI = 1024, 1024 * 1024
SIZES = [2**power for power in range(23)]  # 1 B to 4 MiB
Time = Callable[[float], float]


def loggp(constant: float, per_byte: float, *bends: tuple[float, float]) -> Time:
    """A constant and a slope, which changes to so many times itself from each size of `bends`."""

    def time(size: float) -> float:
        total, slope, begin = constant, per_byte, 0.0
        for at, times in bends:
            total += slope * (min(size, at) - begin) if size > begin else 0
            slope, begin = slope * times, at
        return total + slope * max(size - begin, 0)

    return time


def jumping(time: Time, at: float, factor: float) -> Time:
    return lambda size: time(size) * (factor if size > at else 1)


def measured(
    time: Time, noise: float, seed: int, *, launches: int = 10, sizes: list[int] = SIZES
) -> dict[int, list[float]]:
    random = np.random.default_rng(seed)
    return {size: (time(size) * random.lognormal(0, noise, launches)).tolist() for size in sizes}


SMOOTH = [
    loggp(2000, 0.3),
    loggp(15000, 2),
    loggp(400, 0.05),
    loggp(3000, 0.4, (128 * KI, 3)),
    loggp(3000, 0.4, (32 * KI, 2), (MI, 3)),
    loggp(3000, 1, (16 * KI, 0.4)),
    loggp(1000, 0.2, (1.5 * MI, 2.5)),
    lambda size: 1000 + 20 * size**0.7,
    lambda size: 1200 * (1 + 0.1 * np.log2(size)) + 0.2 * size,
]


@pytest.mark.parametrize("seed", range(20))
def test_a_smooth_curve_has_no_cliff(seed: int) -> None:
    time = SMOOTH[seed % len(SMOOTH)]
    noise = 0.05 + 0.1 * seed / 19
    for sizes, launches in ((SIZES, 10), (SIZES[::2], 5), (SIZES, 4)):
        found = cliffs(measured(time, noise, seed, sizes=sizes, launches=launches))
        assert found == []


@pytest.mark.parametrize("time", SMOOTH)
@pytest.mark.parametrize("noise", [0.05, 0.15])
def test_ten_times_as_long_is_a_cliff(time: Time, noise: float) -> None:
    (cliff,) = cliffs(measured(jumping(time, 256, 10), noise, seed=1))
    assert (cliff.low, cliff.high) == (256, 512)
    assert cliff.factor == pytest.approx(10, rel=0.3)


@pytest.mark.parametrize("time", SMOOTH[:5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("factor", [2, 0.5])
def test_twice_or_half_as_long_is_a_cliff_at_a_tenth_of_noise(
    time: Time, seed: int, factor: float
) -> None:
    (cliff,) = cliffs(measured(jumping(time, 4 * KI, factor), 0.1, seed))
    assert (cliff.low, cliff.high) == (4 * KI, 8 * KI)
    assert cliff.factor == pytest.approx(factor, rel=0.3)


@pytest.mark.parametrize("at", [1, 2 * MI])
def test_a_cliff_may_be_at_either_end(at: int) -> None:
    (cliff,) = cliffs(measured(jumping(SMOOTH[0], at, 10), 0.1, seed=1))
    assert (cliff.low, cliff.high) == (at, 2 * at)


def test_one_bad_size_has_a_cliff_on_either_side() -> None:
    up, down = cliffs(measured(jumping(jumping(SMOOTH[0], 511, 10), 1023, 0.1), 0.1, seed=1))
    assert (up.low, up.high, down.low, down.high) == (256, 512, 512, 1024)
    assert up.factor > 5
    assert down.factor < 1 / 5


def test_a_gap_as_of_lost_packets_ends_where_the_trend_comes_near() -> None:
    """Beyond 2 KiB never below 200 us: up by a cliff, and back by a bend."""
    (cliff,) = cliffs(measured(lambda size: max(SMOOTH[0](size), 2e5 * (size > 2048)), 0.1, seed=2))
    assert (cliff.low, cliff.high) == (2 * KI, 4 * KI)


def test_how_much_makes_a_cliff_can_be_said() -> None:
    times = measured(jumping(SMOOTH[0], 256, 3), 0.05, seed=1)
    assert len(cliffs(times, least_factor=2.5)) == 1
    assert cliffs(times, least_factor=3.5) == []


def test_launches_that_spread_more_than_they_differ_make_none() -> None:
    times = measured(jumping(SMOOTH[0], 256, 2), 0.05, seed=1)
    spread = {
        size: [t * (3 if n % 2 else 0.3) for n, t in enumerate(ts)] for size, ts in times.items()
    }
    assert len(cliffs(times)) == 1
    assert cliffs(spread) == []


def test_too_few_launches_or_sizes_make_none() -> None:
    time = jumping(SMOOTH[0], 256, 10)
    assert len(cliffs(measured(time, 0.01, 1, launches=FEWEST_LAUNCHES))) == 1
    assert cliffs(measured(time, 0.01, 1, launches=FEWEST_LAUNCHES - 1)) == []
    assert cliffs(measured(time, 0.01, 1, sizes=[128])) == []
    assert cliffs({}) == []


def test_a_time_of_zero_has_no_trend() -> None:
    with pytest.raises(ValueError, match="positive"):
        cliffs({1: [1.0, 0.0], 2: [1.0, 1.0]})


def test_sizes_near_each_other_and_far_along_have_a_trend() -> None:
    sizes = [*SIZES, *range(MI + 1, MI + 6)]
    assert cliffs(measured(SMOOTH[0], 0.1, seed=3, sizes=sizes)) == []
    (cliff,) = cliffs(measured(jumping(SMOOTH[0], MI + 2, 4), 0.1, seed=3, sizes=sizes))
    assert (cliff.low, cliff.high) == (MI + 2, MI + 3)


def located(cliff: Cliff, measure: Callable[[int], list[float]], granule: int) -> tuple[Cliff, int]:
    """The cliff as bisection leaves it, and how many sizes that took."""
    sizes = 0
    while (size := next_size(cliff.low, cliff.high, within=64, granule=granule)) is not None:
        assert cliff.low < size < cliff.high
        assert size % granule == 0
        cliff = narrowed(cliff, size, measure(size))
        sizes += 1
    return cliff, sizes


@pytest.mark.parametrize(("at", "factor"), [(4100, 2), (5432, 2), (8184, 0.5), (330, 10)])
@pytest.mark.parametrize("seed", [1, 2])
def test_bisection_finds_the_cliff_to_64_bytes(at: int, factor: float, seed: int) -> None:
    time = jumping(SMOOTH[3], at, factor)
    random = np.random.default_rng(seed)
    (cliff,) = cliffs(measured(time, 0.1, seed))
    found, sizes = located(
        cliff, lambda s: [time(s) * random.lognormal(0, 0.1) for _ in range(10)], 8
    )
    assert found.low <= at < found.high
    assert found.high - found.low <= 64
    assert sizes <= 7


@pytest.mark.parametrize(
    ("low", "high", "granule", "size"),
    [
        (4096, 8192, 8, 6144),
        (4096, 4160, 8, None),
        (4096, 4161, 1, 4128),
        (0, 100, 24, 48),
        (100, 200, 128, 128),
        (130, 250, 128, None),
    ],
)
def test_the_next_size_is_a_multiple_in_the_middle(
    low: int, high: int, granule: int, size: int | None
) -> None:
    assert next_size(low, high, within=64, granule=granule) == size
