"""Asks the native tool to run a trace again."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stretto.data.replays import Replay, read_replay
from stretto.data.trace_sections import TraceSections
from stretto.data.traces import About
from stretto.errors import InputError
from stretto.native.ask import ask
from stretto.native.parts import replay_tool


def about(trace: Path) -> About:
    """What was run. Raises InputError."""
    try:
        return msgspec.json.decode(_ask("--about", "--", str(trace)), type=About)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{trace}: it does not say what was run: {error}") from error


@contextmanager
def scenarios_file(scenarios: str) -> Iterator[str]:
    """The name of a file of the text of Scenario.for_the_library, while it is there."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(scenarios)
        file.flush()
        yield file.name


def replay(
    trace: Path, scenarios: str, factor: int | None, *, strong: bool, goal: Path | None = None
) -> Replay:
    """Run it in these scenarios (the text of Scenario.for_the_library), on so many times as many
    ranks; `goal` is written as a GOAL schedule of the first one. Raises InputError where the trace
    is damaged, or cannot be scaled."""
    with scenarios_file(scenarios) as file:
        options = ["--scenarios", file]
        if goal is not None:
            options += ["--export-goal", str(goal)]
        if factor is not None:
            options += ["--scale", str(factor), *(["--strong"] if strong else [])]
        return read_replay(_ask(*options, "--", str(trace)))


def sections_of(trace: Path, scenarios: str) -> TraceSections:
    """Where its time goes in the first of these scenarios. Raises InputError where it is
    damaged."""
    with scenarios_file(scenarios) as file:
        text = _ask("--scenarios", file, "--sections", "--", str(trace))
    try:
        return msgspec.json.decode(text, type=TraceSections)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{trace}: its sections cannot be read: {error}") from error


def _ask(*words: str) -> bytes:
    answer = ask(replay_tool(), *words)
    if answer.is_no:
        raise InputError(f"--scale: {answer.complaint}")
    return answer.text
