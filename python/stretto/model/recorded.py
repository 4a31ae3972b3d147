"""The scenarios of a run that was recorded, from the text that its library read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from stretto.model.machine import Machine
from stretto.model.scenarios import Scenario


@dataclass
class RecordedScenario:
    """What must be known to run it again (src/model/scenario.hpp has the whole text)."""

    name: str
    cpu: float = 1.0
    messages: float = 1.0
    collectives: dict[str, float] = field(default_factory=dict)
    algorithms: dict[str, str] = field(default_factory=dict)
    overlap: bool = False
    is_placed: bool = False  # it puts ranks on hosts
    machine: list[str] = field(default_factory=list)  # as it is described there

    def on(self, machine: Machine) -> Scenario:
        """The same on another machine."""
        return Scenario(
            self.name,
            machine,
            cpu=self.cpu,
            messages=self.messages,
            collectives=self.collectives,
            algorithms=self.algorithms,
            overlap=self.overlap,
        )


def recorded_scenarios(text: str) -> list[RecordedScenario]:
    """All of them, in their order."""
    return list(_scenarios(text))


def movable(recorded: Sequence[RecordedScenario]) -> list[RecordedScenario]:
    """Those that can be had on another machine: they are on the run's, and as it placed them."""
    return [each for each in recorded if not each.is_placed and each.machine == recorded[0].machine]


def _scenarios(text: str) -> Iterator[RecordedScenario]:
    scenario = None
    for line in text.splitlines():
        keyword, _, rest = line.partition(" ")
        if keyword == "scenario":
            if scenario is not None:
                yield scenario
            scenario = RecordedScenario(rest)
        elif scenario is not None:
            _read(scenario, keyword, rest, line)
    if scenario is not None:
        yield scenario


def _read(scenario: RecordedScenario, keyword: str, rest: str, line: str) -> None:
    if keyword == "computing":
        scenario.cpu = 1 / float(rest)
    elif keyword == "point_to_point":
        scenario.messages = float(rest)
    elif keyword == "overlap":
        scenario.overlap = True
    elif keyword == "ranks_per_host":
        scenario.is_placed = True
    elif keyword == "collective":
        name, factor = rest.split()
        scenario.collectives[name] = float(factor)
    elif keyword == "algorithm":
        collective, algorithm = rest.split()
        scenario.algorithms[collective] = algorithm
    elif keyword != "measured":
        scenario.machine.append(line)
