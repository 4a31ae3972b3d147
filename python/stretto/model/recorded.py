"""The scenarios of a run that was recorded, from the text that its library read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class RecordedScenario:
    """What must be known to run it again (src/model/scenario.hpp has the whole text)."""

    name: str
    is_placed: bool = False  # it puts ranks on hosts


def recorded_scenarios(text: str) -> list[RecordedScenario]:
    """All of them, in their order."""
    return list(_scenarios(text))


def _scenarios(text: str) -> Iterator[RecordedScenario]:
    scenario = None
    for line in text.splitlines():
        keyword, _, rest = line.partition(" ")
        if keyword == "scenario":
            if scenario is not None:
                yield scenario
            scenario = RecordedScenario(rest)
        elif keyword == "ranks_per_host" and scenario is not None:
            scenario = replace(scenario, is_placed=True)
    if scenario is not None:
        yield scenario
