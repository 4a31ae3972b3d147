import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stretto.stats.laws import CONSTANT, FEWEST, Law, LawForm, law_of, refitted

FEW = settings(max_examples=25, deadline=None)
PLAIN = [(0.0, 1), (0.5, 0), (1.0, 0), (1.0, 1), (2.0, 0), (-0.5, 0), (-1.0, 0)]
ranks = st.sampled_from([[2, 4, 8], [2, 4, 6, 8], [1, 2, 4, 8, 16], [4, 8, 16, 32, 64]])
forms = st.sampled_from([LawForm(*each) for each in PLAIN])


def values(form: LawForm, c0: float, c1: float, on: list[int]) -> list[float]:
    return [c0 + c1 * float(form.at(np.array([float(p)]))[0]) for p in on]


def fitted(of: Callable[[float], float], on: list[int], noise: float = 0.0) -> Law:
    return law_of(on, [of(p) for p in on], noise)


@FEW
@given(ranks, forms, st.floats(0.0, 2.0), st.floats(-9, 3))
def test_laws_without_noise_are_found(
    on: list[int], form: LawForm, share: float, magnitude: float
) -> None:
    c1 = 10.0**magnitude
    law = law_of(on, values(form, share * c1, c1, on), noise=0.0)
    assert (law.form.exponent, law.form.logs) == (form.exponent, form.logs)
    assert law.c1 == pytest.approx(c1, rel=1e-6)
    expected = values(form, share * c1, c1, [1024])[0]
    assert law.at(1024) == pytest.approx(expected, rel=1e-6)
    assert law.error < 1e-6


@FEW
@given(ranks, st.floats(-9, 3), st.randoms(use_true_random=False))
def test_constants_stay_constants_under_noise(
    on: list[int], magnitude: float, random: object
) -> None:
    shake = random.uniform  # type: ignore[attr-defined]
    noise = 0.05 - 1e-12  # what sums are rounded by is beside it
    law = law_of(on, [10.0**magnitude * (1 + shake(-noise, noise)) for _ in on])
    assert law.form == CONSTANT
    assert law.c1 == 0
    assert law.at(1 << 20) == pytest.approx(10.0**magnitude, rel=0.05)


@FEW
@given(ranks, st.lists(st.floats(0.0, 1e6), min_size=5, max_size=5))
def test_no_law_falls_below_nothing(on: list[int], some: list[float]) -> None:
    law = law_of(on, some[: len(on)])
    for p in (*on, 64, 4096, 1 << 24):
        low, high = law.interval(p)
        assert 0 <= low <= law.at(p) <= high
        assert math.isfinite(high)


@FEW
@given(ranks, forms, st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(on: list[int], form: LawForm, unit: float) -> None:
    some = [(1 + 0.04 * (-1) ** p) * value for p, value in enumerate(values(form, 1.0, 0.5, on))]
    one, other = law_of(on, some), law_of(on, [unit * each for each in some])
    assert other.form == one.form
    assert other.at(256) == pytest.approx(unit * one.at(256), rel=1e-6)


def test_intervals_of_noisy_laws_hold_the_truth_mostly() -> None:
    random = np.random.default_rng(7)
    on, held = [2, 4, 8, 16], 0
    for _ in range(40):
        noisy = [p * (1 + 0.05 * random.standard_normal()) for p in on]
        low, high = law_of(on, noisy).interval(64)
        held += low <= 64 <= high
    assert held >= 34


def test_intervals_hold_where_noise_is_more_than_was_assumed() -> None:
    """Twice as much. With chi-squared for what few values say they held 0.74 of the truths."""
    random = np.random.default_rng(11)
    on = [2, 4, 8, 16]
    truths: list[Callable[[float], float]] = [
        *(lambda p: p, lambda p: 1 + p, lambda p: 1 + math.log2(p)),
        *(lambda p: 1 / p, lambda p: 1 + 8 / p, lambda _: 1.0),
    ]
    held = []
    for truth in truths:
        for _ in range(25):
            noisy = [truth(p) * (1 + 0.1 * random.standard_normal()) for p in on]
            low, high = law_of(on, noisy).interval(64)
            held.append(low <= truth(64) <= high)
    assert np.mean(held) >= 0.82


@pytest.mark.parametrize(("freedom", "reach"), [(math.inf, 1.960), (6, 2.447), (2, 4.303)])
def test_noise_that_few_repetitions_show_is_less_known(freedom: float, reach: float) -> None:
    law = law_of([2, 4, 8, 16], [1.0, 1.0, 1.0, 1.0], 0.1, freedom)
    low, high = law.interval(64)
    # The mean of four values is known to half the noise of one.
    assert high - 1 == 1 - low == pytest.approx(0.05 * reach, rel=1e-3)


@pytest.mark.parametrize("freedom", [1, 2, 4])
def test_one_repetition_makes_no_growth_a_constant(freedom: float) -> None:
    law = law_of([2, 4, 8, 16], [1.0, 2.0, 4.0, 8.0], 0.06, freedom)
    assert law.form.exponent == 1
    low, high = law.interval(64)
    assert low < 32 < high


def test_a_growth_that_noise_may_have_made_is_none() -> None:
    assert fitted(lambda p: 1 + 0.01 * p, [2, 4, 8], noise=0.05).form == CONSTANT
    assert fitted(lambda p: 1 + 0.01 * p, [2, 4, 8]).form == LawForm(1.0)


def test_a_form_alone_is_enough_where_it_predicts_as_well_as_the_noise_allows() -> None:
    # A little less than half with twice the ranks, as caches hold more of it.
    law = law_of([2, 4, 6, 8], [31.8, 14.6, 9.5, 7.0])
    assert law.form == LawForm(-1.0, is_alone=True)
    assert law.at(64) == pytest.approx(0.9, rel=0.1)
    assert fitted(lambda p: 1 + 8 / p, [2, 4, 6, 8], noise=0.05).form == LawForm(-1.0)


def test_what_no_law_predicts_stays_a_constant_with_its_spread() -> None:
    law = law_of([2, 4, 6, 8], [0.8, 0.1, 1.0, 0.3])
    assert law.form == CONSTANT
    assert law.error > 0.3
    low, high = law.interval(64)
    assert low < 0.3
    assert high > 0.8


def test_nothing_stays_nothing() -> None:
    law = law_of([2, 4, 8], [0.0, 0.0, 0.0])
    assert (law.at(64), law.interval(64), law.error) == (0.0, (0.0, 0.0), 0.0)


def test_what_one_rank_lacks_grows_from_nothing() -> None:
    law = fitted(lambda p: 3.0 * (p - 1), [1, 2, 4, 8])
    assert law.form == LawForm(1.0)
    assert law.at(64) == pytest.approx(3 * 63)
    saturating = fitted(lambda p: 1 - 1 / p, [2, 4, 8, 16])
    assert saturating.form == LawForm(-1.0)
    assert saturating.at(1 << 20) == pytest.approx(1)


def test_two_numbers_of_ranks_are_too_few() -> None:
    with pytest.raises(ValueError, match=f"{FEWEST} different"):
        law_of([2, 4, 4], [1.0, 2.0, 2.0])


def test_a_form_goes_through_fewer_values() -> None:
    law = fitted(lambda p: 2.0 + p, [2, 4, 8])
    again = refitted(law, [2, 4], [5.0, 7.0])
    assert (again.form, again.at(8)) == (LawForm(1.0), pytest.approx(11))


def test_values_that_nothing_describes_have_no_law_and_a_wide_interval() -> None:
    law = law_of((2, 4, 8, 16), (1.0, 2.0, 8.0, 0.5))
    assert law.form == CONSTANT
    assert law.is_refuted
    low, high = law.interval(64)
    assert low < 0.5
    assert high > 8.0
    assert not law_of((2, 4, 8, 16), (1.0, 1.01, 0.99, 1.0)).is_refuted
    assert not law_of((2, 4, 8, 16), (1.0, 2.0, 4.0, 8.0)).is_refuted
