"""Asks the native tool to run GOAL schedules, and to write them from traces."""

from pathlib import Path

import msgspec

from stretto.data.goals import GoalRun
from stretto.native.ask import ask
from stretto.native.parts import replay_tool
from stretto.native.replay import scenarios_file


def is_goal(path: Path) -> bool:
    """By its name: traces of Stretto have any other."""
    return path.suffix == ".goal"


def run_goal(path: Path, scenarios: str) -> GoalRun:
    """In these scenarios (the text of Scenario.for_the_library).

    Raises InputError, which names the line, where it is no such schedule.
    """
    with scenarios_file(scenarios) as file:
        answer = ask(replay_tool(), "--goal", "--scenarios", file, "--", str(path))
    return msgspec.json.decode(answer.text, type=GoalRun)
