import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.report.plots import axis
from stretto.report.words import calls, seconds


def test_ticks_are_round() -> None:
    assert [tick.label for tick in axis(28, str).ticks] == [
        "0.0",
        "5.0",
        "10.0",
        "15.0",
        "20.0",
        "25.0",
    ]


@given(st.floats(1e-7, 1e6))
def test_an_axis_holds_its_values_and_a_few_ticks(largest: float) -> None:
    found = axis(largest, str)
    assert found.at(0) == 0
    assert 90 < found.at(largest) < 100
    assert 3 <= len(found.ticks) <= 7
    places = [tick.at for tick in found.ticks]
    assert places == sorted(places)
    assert places[-1] <= 100


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.00000018, "180 ns"),
        (0.0000012, "1.20 µs"),
        (0.0123, "12.3 ms"),
        (0.9996, "1000 ms"),
        (1, "1.00 s"),
        (250, "250 s"),
    ],
)
def test_times_have_three_digits(value: float, words: str) -> None:
    assert seconds(value) == words


def test_calls_are_whole_where_they_are() -> None:
    assert (calls(12000), calls(2.5)) == ("12,000", "2.5")
