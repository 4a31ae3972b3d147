"""Asks the native tool to run a trace again."""

import tempfile
from pathlib import Path

import msgspec

from stretto.data.replays import Replay, read_replay
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


def replay(trace: Path, scenarios: str, factor: int | None, *, strong: bool) -> Replay:
    """Run it in these scenarios (the text of Scenario.for_the_library), on so many times as many
    ranks. Raises InputError where the trace is damaged, or cannot be scaled."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(scenarios)
        file.flush()
        options = ["--scenarios", file.name]
        if factor is not None:
            options += ["--scale", str(factor), *(["--strong"] if strong else [])]
        return read_replay(_ask(*options, "--", str(trace)))


def _ask(*words: str) -> bytes:
    answer = ask(replay_tool(), *words)
    if answer.is_no:
        raise InputError(f"--scale: {answer.complaint}")
    return answer.text
