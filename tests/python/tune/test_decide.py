"""Who wins, and what rules come of it."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.data.contests import Contest, ContestPlan, Contests, ContestTimes, Pattern, Way
from stretto.data.schedules import Explanation, Priced
from stretto.tune.contenders import contenders
from stretto.tune.decide import rules_from, winner
from stretto.tune.results import Results
from stretto.tune.rules import (
    CollectiveRules,
    Fingerprint,
    Rule,
    Tuned,
    read_tuned,
    rule_for,
    toml_of,
)

NATIVE = Way("native")
CHAIN = Way("chain", 32768)
FLAT = Way("knomial", radix=8)
WAYS = (NATIVE, CHAIN, FLAT)


def around(ns: float) -> list[float]:
    """Rounds that took about so long."""
    return [ns * share for share in (0.98, 0.99, 1.0, 1.01, 1.02)]


def test_the_fastest_wins() -> None:
    times = {NATIVE: 100.0, CHAIN: 80.0, FLAT: 90.0}
    assert winner({way: {"none": around(ns)} for way, ns in times.items()}, NATIVE) == CHAIN


@pytest.mark.parametrize(
    "own",
    [
        around(98),  # hardly faster
        [50.0, 60.0, 90.0, 140.0, 150.0],  # by its median only
    ],
)
def test_the_usual_one_stays_unless_another_is_surely_faster(own: list[float]) -> None:
    assert winner({NATIVE: {"none": around(100)}, CHAIN: {"none": own}}, NATIVE) == NATIVE


# Planted: a chain wins where all come at once, and loses where a rank in its middle is late.
def test_who_wins_behind_a_barrier_may_lose_in_the_program() -> None:
    at_once = {NATIVE: 100.0, CHAIN: 70.0, FLAT: 90.0}
    in_program = {NATIVE: 3_100.0, CHAIN: 5_000.0, FLAT: 2_600.0}
    behind_barrier = {way: {"none": around(ns)} for way, ns in at_once.items()}
    assert winner(behind_barrier, NATIVE) == CHAIN
    late = {way: {"as call 7": around(ns)} for way, ns in in_program.items()}
    assert winner(late, NATIVE) == FLAT
    both = {way: behind_barrier[way] | late[way] for way in late}
    assert winner(both, NATIVE) == FLAT


def test_rules_change_halfway_between_sizes_and_hold_for_all() -> None:
    winners = {8: NATIVE, 64: NATIVE, 4096: CHAIN, 65536: FLAT}
    assert rules_from(winners) == [
        Rule("native", 512),
        Rule("chain", 16384, segment_bytes=32768),
        Rule("knomial", None, radix=8),
    ]
    assert rules_from({0: CHAIN}) == [Rule("chain", None, segment_bytes=32768)]


def test_rules_change_even_between_0_and_1() -> None:
    assert rules_from({0: NATIVE, 1: CHAIN, 2: NATIVE}) == [
        Rule("native", 0),
        Rule("chain", 1, segment_bytes=32768),
        Rule("native", None),
    ]


@given(st.dictionaries(st.integers(0, 40) | st.integers(0, 1 << 40), st.sampled_from(WAYS)))
def test_rules_of_any_sizes_are_read_back_and_hold_at_each(winners: dict[int, Way]) -> None:
    rules = rules_from({0: NATIVE} | winners)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tuned.toml")
        tuned = Tuned(Fingerprint("MPI", "cpu", 2), [CollectiveRules("bcast", 2, 1, rules)])
        path.write_text(toml_of(tuned))
        assert read_tuned(path) == tuned
    for size, way in winners.items():
        assert rule_for(rules, size).algorithm == way.algorithm


def test_launches_count_together_and_the_mpis_own_algorithms_apart() -> None:
    results = Results()
    of_mpi = Way("native", of_mpi="pipeline")
    pattern = Pattern("none", [0.0, 0.0])
    for ways, times in (
        ([NATIVE, CHAIN], [around(100), around(90)]),
        ([NATIVE, CHAIN], [around(110), around(95)]),
        ([of_mpi], [around(20)]),
    ):
        plan = ContestPlan(5, [Contest("bcast", 8, [pattern], ways)])
        results.add(plan, Contests("MPI", 2, 1, False, [ContestTimes("bcast", 8, [times])]))
    (rules,) = results.rules()
    assert (rules.name, rules.ranks, rules.hosts) == ("bcast", 2, 1)
    assert [each.algorithm for each in rules.rule] == ["chain"]
    assert [each.algorithm for each in rules.mpi_rule] == ["pipeline"]
    rounds = {each.algorithm: each.rounds for each in rules.measured}
    assert rounds == {"native": 10, "chain": 10, "native:pipeline": 5}


def test_estimates_choose_the_contenders() -> None:
    prices = {"a": 100.0, "b": 149.0, "c": 150.0, "d": 150.0, "e": 151.0}
    candidates = [Priced(name, 0, 2, ns) for name, ns in prices.items()]
    best, classic = candidates[:2]
    asked = Explanation("bcast", 2, 1, 8, "m", "times", "", best, classic, candidates)
    assert [way.algorithm for way in contenders(asked)] == ["native", "a", "b", "c"]
    measured = Priced("z", 0, 2, 600.0)
    asked = Explanation("bcast", 2, 1, 8, "m", "in_memory", "", measured, classic, candidates)
    assert [way.algorithm for way in contenders(asked)] == ["native", "z", "a", "b", "c"]
    mpis = Priced("native", 0, 2, None)
    asked = Explanation("bcast", 2, 1, 8, "m", "one_host", "", mpis, classic, candidates)
    assert [way.algorithm for way in contenders(asked)] == ["native", "a", "b", "c"]
