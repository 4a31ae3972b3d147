"""Traces of known laws are found to have them, and say of more ranks what these say."""

import math
from dataclasses import replace

import pytest
from msgspec.structs import replace as replaced
from traced import LINES, section, trace

from stretto.data.trace_sections import TraceSections
from stretto.errors import InputError
from stretto.report.extrapolation import Extrapolation, extrapolated
from stretto.report.law_words import law_words, part_words, reach
from stretto.stats.laws import CONSTANT, NOISE, Law, LawForm


def of(found: Extrapolation, words: str) -> Law:
    return next(e.seconds for e in found.parts if part_words(e.part, LINES) == words)


def test_each_section_gets_its_law_and_together_they_are_the_time() -> None:
    found = extrapolated([trace(8), trace(2), trace(4, swapped=True), trace(16)], 64)
    assert found.ranks == [2, 4, 8, 16]
    assert of(found, "start to send").form == LawForm(-1.0, is_alone=True)
    assert of(found, "send, before any collective").form == CONSTANT
    assert of(found, "Allreduce app.c:12").form == LawForm(0.0, 1, is_alone=True)
    assert found.at(64).value == pytest.approx(
        1e-3 * (80 / 64 + 1 + 12 + 3 + 0.5 + 0.003), rel=1e-3
    )
    computing = sum(each.seconds.at(64) for each in found.computing)
    assert computing == pytest.approx(1e-3 * (80 / 64 + 1 + 0.002), rel=1e-3)
    sends = next(each for each in found.parts if "send, " in part_words(each.part, LINES))
    assert (sends.calls.at(64), sends.bytes.at(64)) == (3, pytest.approx(3 * 64))
    assert sends.longest.at(64) == pytest.approx(3.3e-3)


def with_waiting(ranks: int) -> TraceSections:
    """Its allreduce waits 5 ms longer on as many ranks, which its transfer does not."""
    run = trace(ranks)
    late, moved = 5e6 * ranks, next(each for each in run.sections if each.begin.call_site == 0)
    parts = [
        section(moved.begin, moved.end, late, ranks, share="waiting"),
        replaced(moved, share="transfer"),
    ]
    sections = [*(each for each in run.sections if each is not moved), *parts]
    grown = late * ranks
    return TraceSections(ranks, run.last_ns + late, run.all_ns + grown, run.call_sites, sections)


def test_waiting_in_collectives_and_their_transfer_have_laws_of_their_own() -> None:
    found = extrapolated([with_waiting(p) for p in (2, 4, 8, 16)], 64)
    assert of(found, "waiting in Allreduce app.c:12").form == LawForm(1.0, is_alone=True)
    assert of(found, "waiting in Allreduce app.c:12").at(64) == pytest.approx(5e-3 * 64)
    assert of(found, "transfer of Allreduce app.c:12").form == LawForm(0.0, 1, is_alone=True)


def test_short_sections_are_taken_together() -> None:
    found = extrapolated([trace(2), trace(4), trace(8)], 64)
    words = [part_words(each.part, LINES) for each in found.parts]
    assert words[-2:] in (
        ["2 short stretches of computing", "1 short calls"],
        ["1 short calls", "2 short stretches of computing"],
    )
    assert sum(each.part.merged for each in found.parts) == 7


def test_the_largest_run_is_predicted_without_it() -> None:
    found = extrapolated([trace(p, noise=0.03) for p in (2, 4, 8, 16)], 64)
    check = found.left_out
    assert (check.ranks, check.fitted, check.same_forms) == (16, [2, 4, 8], False)
    assert abs(check.off) < 0.1
    # What was left out is not in its own prediction.
    late = trace(16, noise=0.03)
    slow = TraceSections(16, 9 * late.last_ns, late.all_ns, late.call_sites, late.sections)
    others = [trace(p, noise=0.03) for p in (2, 4, 8)]
    assert extrapolated([*others, slow], 64).left_out.predicted == check.predicted


def test_of_three_the_forms_are_those_of_all() -> None:
    check = extrapolated([trace(2), trace(4), trace(8)], 64).left_out
    assert check.same_forms
    assert check.off == pytest.approx(0, abs=1e-3)


def test_repetitions_count_as_their_median_and_may_say_that_noise_is_larger() -> None:
    runs = [trace(p, noise=0.03, seed=seed) for p in (2, 4, 8, 16) for seed in range(3)]
    found = extrapolated(runs, 64)
    assert found.ranks == [2, 4, 8, 16]
    assert found.whole.noise == NOISE
    noisy = [trace(p, noise=0.3, seed=seed) for p in (2, 4, 8, 16) for seed in range(3)]
    whole = extrapolated(noisy, 64).whole
    assert whole.noise > NOISE
    assert whole.freedom == 8
    assert math.isinf(found.whole.freedom)
    low, high = of(found, "send, before any collective").interval(64)
    assert low < 3e-3 < high


def test_a_run_on_one_rank_does_not_count() -> None:
    others = [trace(2), trace(4), trace(8)]
    assert extrapolated([trace(1), *others], 64) == extrapolated(others, 64)
    with pytest.raises(InputError, match="from 2 on; these are on 2, 4"):
        extrapolated([trace(1), trace(2), trace(4)], 64)


def test_two_numbers_of_ranks_are_refused() -> None:
    with pytest.raises(
        InputError, match="3 different numbers of ranks or more, from 2 on; these are on 2, 4"
    ):
        extrapolated([trace(2), trace(4), trace(4)], 64)


def test_laws_in_words() -> None:
    law = Law(CONSTANT, 1.2e-3, 0.0, 0.0, 0.0, 0.05, (2, 4, 8), (1.0, 1.0, 1.0))
    assert law_words(law) == "1.20 ms"
    law = replace(law, c1=3.1e-7, values=(1.2e-3, 1.2e-3, 1.2e-3))
    assert law_words(replace(law, form=LawForm(1.0, 1))) == "1.20 ms + 310 ns p log2(p)"
    assert law_words(replace(law, form=LawForm(2 / 3), c0=0.0)) == "310 ns p^(2/3)"
    assert law_words(replace(law, form=LawForm(-1.0), c1=-3.1e-7)) == "1.20 ms - 310 ns / p"
    assert law_words(replace(law, form=LawForm(2.0), c0=-1e-3)) == "310 ns p^2 - 1.00 ms"
    assert law_words(replace(law, form=LawForm(0.0, 2), c0=0.0)) == "310 ns log2(p)^2"
    found = extrapolated([trace(2), trace(4), trace(8)], 64)
    assert reach(replace(found.at(64), value=1.0, low=0.9, high=1.25)) == "-10 +25 %"


def moved(ranks: int, number: int, ms: float) -> TraceSections:
    """A run that is delayed by so much in one of its sections."""
    run = trace(ranks)
    ns = 1e6 * ms * ranks
    sections = [
        replaced(each, all=replaced(each.all, ns=each.all.ns + (ns if at == number else 0)))
        for at, each in enumerate(run.sections)
    ]
    return TraceSections(ranks, run.last_ns + ns / ranks, run.all_ns + ns, run.call_sites, sections)


def test_delays_that_each_repetition_has_elsewhere_are_not_lost() -> None:
    runs = [moved(p, number, 5) for p in (2, 4, 8) for number in (0, 1, 2)]
    found = extrapolated(runs, 64)
    for at in range(3):
        parts = sum(each.part.seconds[at] for each in found.parts)
        assert parts + found.rest.values[at] == pytest.approx(found.traced[at])
    assert found.rest.at(64) == pytest.approx(5.5e-3)


def test_sections_that_some_traces_lack_are_counted() -> None:
    runs = [trace(2), trace(4), trace(8)]
    assert extrapolated(runs, 64).not_in_all == 0
    short = TraceSections(2, runs[0].last_ns, runs[0].all_ns, [], runs[0].sections[:2])
    found = extrapolated([short, *runs[1:]], 64)
    assert found.not_in_all == 5
    assert found.share_not_in_all == pytest.approx(7.002 / 20.503, rel=1e-2)


def test_a_run_that_took_no_time_is_refused() -> None:
    nothing = TraceSections(2, 0.0, 0.0, [], [])
    with pytest.raises(InputError, match="no time in it"):
        extrapolated([nothing, trace(4), trace(8)], 64)


def test_how_far_intervals_go() -> None:
    law = extrapolated([trace(2), trace(4), trace(8)], 64).at(64)
    assert reach(replace(law, value=1.0, low=1.0, high=1.0)) == "-0 +0 %"
    assert reach(replace(law, value=1.0, low=0.95, high=1.001)) == "-5 +0 %"
    assert reach(replace(law, value=0.0, low=0.0, high=2e-3)) == "to 2.00 ms"


def test_what_is_left_on_many_ranks_is_in_words() -> None:
    law = Law(LawForm(-1.0), 1e-5, 0.1, 0.0, 0.0, 0.05, (2, 4, 8), (0.05, 0.025, 0.0125))
    assert law_words(law) == "10.0 µs + 100 ms / p"
