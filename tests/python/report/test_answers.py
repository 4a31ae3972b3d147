import math

import pytest

from stretto.data.samples import Sample, Side
from stretto.report.answers import Answers, compare_answers, difference


def both(native: str, stretto: str) -> list[Sample]:
    sides = zip((Side.NATIVE, Side.STRETTO), (native, stretto), strict=True)
    return [Sample(i, 0, side, "", 1, 1, text, 0, False) for i, (side, text) in enumerate(sides)]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("1 2", "1 2", 0),
        ("1.0 2", "1 2.5", 0.2),
        ("1.0D-03", "1.0E-03", 0),
        ("-1", "1", 2),
        ("1 2", "1", math.inf),
        ("1f2e", "1f2f", math.inf),
        ("nan", "1", math.inf),
        ("nan", "nan", 0),
    ],
)
def test_numbers_differ_by_a_share_and_words_altogether(
    first: str, second: str, share: float
) -> None:
    assert difference(first, second) == share
    assert difference(second, first) == share


@pytest.mark.parametrize(
    ("tolerance", "answers"),
    [(0, Answers.DIFFERENT), (0.1, Answers.DIFFERENT), (0.2, Answers.SAME)],
)
def test_a_tolerance_holds_for_numbers_and_the_difference_is_shown(
    tolerance: float, answers: Answers
) -> None:
    found, detail = compare_answers(both("2.0 1", "2.5 1"), tolerance)
    assert found is answers
    assert "differ by 0.2 of them" in detail
    assert compare_answers(both("2.0 a", "2.0 b"), 1)[0] is Answers.DIFFERENT
    assert compare_answers(both("2.0 a", "2.0 b"), math.inf)[0] is Answers.DIFFERENT


def test_numbers_written_otherwise_are_the_same_only_with_a_tolerance() -> None:
    assert compare_answers(both("1.0 -0.0", "1.00 0.0"))[0] is Answers.DIFFERENT
    assert compare_answers(both("1.0 -0.0", "1.00 0.0"), 1e-12)[0] is Answers.SAME


def test_of_many_values_the_first_that_differs_is_shown() -> None:
    many = [f"1.00000{i}" for i in range(75)]
    other = [*many[:11], "3", *many[12:]]
    found, detail = compare_answers(both(" ".join(many), " ".join(other)))
    assert found is Answers.DIFFERENT
    assert "value 12 of 75 is 1.0000011 on its own MPI, 3 under Stretto" in detail
    _, same = compare_answers(both(" ".join(many), " ".join(many)))
    assert "... (75 values) in all 2 launches" in same
    assert len(same) < 100
