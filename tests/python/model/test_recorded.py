"""The scenarios of a trace, as whatif writes them for its library."""

from dataclasses import replace

from stretto.model.machine import read_machine
from stretto.model.recorded import RecordedScenario, recorded_scenarios
from stretto.model.scenarios import usual_scenarios


def test_every_scenario_is_found_with_what_places_ranks() -> None:
    usual = usual_scenarios(read_machine("ethernet-10g"), ["bcast"])
    placed = replace(usual[0], name="on few hosts", ranks_per_host=4)
    text = "".join(each.for_the_library() for each in (*usual, placed))
    assert recorded_scenarios(text) == [
        RecordedScenario("sim"),
        RecordedScenario("zero"),
        RecordedScenario("no communication"),
        RecordedScenario("on few hosts", is_placed=True),
    ]


def test_a_text_without_a_scenario_has_none() -> None:
    assert recorded_scenarios("ranks_per_host 4\n") == []
