"""Where rising functions come to values."""

import pytest

from stretto.model.crossing import crossings

TARGETS = (0.01, 0.02, 0.05)


def test_a_line_is_found_to_a_thousandth_and_asked_few_times() -> None:
    asked: list[int] = []

    def line(amounts: list[float]) -> list[float]:
        asked.append(len(amounts))
        return [amount / 12345 for amount in amounts]

    found, curve = crossings(line, 1, 1e9, TARGETS)
    assert found == [pytest.approx(12345 * target, rel=1e-3) for target in TARGETS]
    assert curve == sorted(curve)
    assert len(asked) <= 3
    assert sum(asked) <= 16 + 2 * 3 * 8


def test_what_is_borne_for_long_and_then_not_is_found() -> None:
    found, _ = crossings(lambda xs: [max(0.0, x - 1000) / 1000 for x in xs], 1, 1e9, TARGETS)
    assert found == [pytest.approx(1000 * (1 + target), rel=1e-3) for target in TARGETS]


def test_what_never_comes_to_it_is_none() -> None:
    assert crossings(lambda xs: [0.015 for _ in xs], 1, 1e9, TARGETS)[0][1:] == [None, None]
    assert crossings(lambda xs: [0.0 for _ in xs], 1, 1e9, TARGETS)[0] == [None] * 3


def test_below_the_least_amount_it_is_a_line_from_nothing() -> None:
    found, _ = crossings(list, 1, 1e9, TARGETS)
    assert found == [pytest.approx(target, rel=1e-3) for target in TARGETS]
