import pytest

from stretto.report.comparison_verdict import ComparisonVerdict, Finding, judge_comparison
from stretto.stats.ratio import paired_ratio


def judged(
    native: list[float], stretto: list[float], *, loaded: bool = True, handled: bool = True
) -> ComparisonVerdict:
    ratio = paired_ratio(native, stretto)
    return judge_comparison(ratio, "wall time", loaded=loaded, handled=handled)


@pytest.mark.parametrize(
    ("native", "stretto", "finding", "words"),
    [
        ([2] * 6, [1] * 6, Finding.GAIN, "2.00x as fast under Stretto by wall time (96.9 %"),
        ([1] * 6, [2] * 6, Finding.LOSS, "Slower, 0.50x as fast, under Stretto"),
        ([1, 2] * 3, [2, 1] * 3, Finding.NO_DIFFERENCE, "No difference in wall time shown"),
        ([2] * 5, [1] * 5, Finding.FEW_PAIRS, "No verdict on wall time from 5 pairs: 2.00x (93."),
        ([2], [1], Finding.FEW_PAIRS, "No verdict on wall time from 1 pair: 2.00x (no interval"),
    ],
)
def test_the_verdict_claims_no_more_than_the_interval(
    native: list[float], stretto: list[float], finding: Finding, words: str
) -> None:
    verdict = judged(native, stretto)
    assert verdict.finding is finding
    assert verdict.text.startswith(words)


@pytest.mark.parametrize("time", [0.996, 1.004])
def test_what_rounds_to_the_same_is_no_difference(time: float) -> None:
    verdict = judged([1.0] * 8, [time] * 8)
    assert verdict.finding is Finding.NO_DIFFERENCE
    assert verdict.text.startswith("No difference in wall time shown: 1.00x")


@pytest.mark.parametrize(
    ("loaded", "finding"), [(True, Finding.NOTHING_HANDLED), (False, Finding.NOT_LOADED)]
)
def test_times_are_not_the_doing_of_who_did_nothing(loaded: bool, finding: Finding) -> None:
    verdict = judged([2] * 6, [1] * 6, loaded=loaded, handled=False)
    assert verdict.finding is finding
    assert "as fast" not in verdict.text
