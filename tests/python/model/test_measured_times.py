"""Times of the MPI's own collectives, between the sizes that were measured."""

import pytest

from stretto.model.machine import Collective, Level, Machine, Message
from stretto.model.measured_times import measured_ns

MACHINE = Machine(
    "here",
    [Level("host", [Message(1, 1, 1, 1, 1)])],
    collective=[
        Collective("bcast", 1 << 20, 4, 9000.0),
        Collective("bcast", 256, 4, 1000.0, cold_ns=1500.0),
        Collective("bcast", 1024, 4, 4000.0),
        Collective("barrier", 8, 4, 700.0),
        Collective("bcast", 256, 2, 1.0),
    ],
)


@pytest.mark.parametrize(
    ("bytes_", "expected"), [(8, 1000), (256, 1000), (512, 2000), (1024, 4000), (1 << 20, 9000)]
)
def test_a_line_between_two_sizes(bytes_: int, expected: float) -> None:
    assert measured_ns(MACHINE, "bcast", 4, bytes_, cold=False) == pytest.approx(expected)


def test_cold_data_take_longer_where_that_was_measured() -> None:
    assert measured_ns(MACHINE, "bcast", 4, 256, cold=True) == 1500
    assert measured_ns(MACHINE, "bcast", 4, 1024, cold=True) == pytest.approx(4000)


def test_a_barrier_has_one_time() -> None:
    assert measured_ns(MACHINE, "barrier", 4, 0, cold=False) == 700


@pytest.mark.parametrize(
    ("collective", "ranks", "bytes_"), [("bcast", 4, 2 << 20), ("bcast", 8, 256), ("scan", 4, 8)]
)
def test_nothing_is_made_up(collective: str, ranks: int, bytes_: int) -> None:
    assert measured_ns(MACHINE, collective, ranks, bytes_, cold=False) is None
