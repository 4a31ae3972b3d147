"""The scenarios of a trace, as whatif writes them for its library."""

from dataclasses import replace

from stretto.model.machine import read_machine
from stretto.model.recorded import movable, recorded_scenarios
from stretto.model.scenarios import scenarios_of, usual_scenarios


def test_every_scenario_is_found_with_what_places_ranks() -> None:
    usual = usual_scenarios(read_machine("ethernet-10g"), ["bcast"])
    placed = replace(usual[0], name="on few hosts", ranks_per_host=4)
    text = "".join(each.for_the_library() for each in (*usual, placed))
    found = recorded_scenarios(text)
    assert [(each.name, each.is_placed) for each in found] == [
        ("sim", False),
        ("zero", False),
        ("no communication", False),
        ("on few hosts", True),
    ]


def test_they_are_the_same_on_another_machine_where_theirs_is_the_runs() -> None:
    here, there = read_machine("ethernet-10g"), read_machine("infiniband-100g")
    algorithms = {"bcast": ["binomial", "linear"], "reduce": ["linear"]}
    asked = ("a:cpu=3x,bcast=0.1x,messages=2x,algorithm.reduce=linear,overlap=perfect",)
    own = ("b:machine=infiniband-100g", "c:network.latency=1us", "d:ppn=2")
    scenarios = scenarios_of([*asked, *own], here, algorithms, 8)
    recorded = recorded_scenarios("".join(each.for_the_library() for each in scenarios))
    moved = [each.on(there).for_the_library() for each in movable(recorded)]
    same = scenarios_of(asked, there, algorithms, 8)
    assert moved == [each.for_the_library() for each in same]


def test_a_text_without_a_scenario_has_none() -> None:
    assert recorded_scenarios("ranks_per_host 4\n") == []
