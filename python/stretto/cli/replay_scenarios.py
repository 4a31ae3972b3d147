"""In which scenarios a trace is run again: those of its run, and those that are asked for."""

from collections.abc import Sequence
from pathlib import Path

from stretto.data.traces import About
from stretto.data.virtual_times import NO_COMMUNICATION, SIM, ZERO
from stretto.errors import InputError
from stretto.model.machine import Machine
from stretto.model.recorded import RecordedScenario, movable, recorded_scenarios
from stretto.model.scenarios import Scenario, parse_scenario, placed, refuse_unfit
from stretto.native.schedules import known_algorithms


def on_its_machine(
    trace: Path, run: About, where: Machine, asked: Sequence[str], factor: int | None
) -> str:
    """Those of the run, and those asked for."""
    more = _asked(asked, where, run.ranks * (factor or 1))
    recorded = _recorded(trace, run)
    if factor is not None and any(each.is_placed for each in recorded):
        raise InputError("--scale: a scenario of the run puts ranks on hosts; name a --machine")
    refuse_unfit([*(each.name for each in recorded), *(each.name for each in more)])
    return run.scenarios + "".join(each.for_the_library() for each in more)


def elsewhere(
    trace: Path, run: About, where: Machine, asked: Sequence[str], ranks: int, per_host: int | None
) -> tuple[str, list[str]]:
    """Those of the run on another machine, and those asked for; and what was assumed."""
    recorded = _recorded(trace, run)
    moved = movable(recorded)
    notes = [
        f"left out, as its machine or its hosts are its own: {each.name}"
        for each in recorded
        if each not in moved
    ]
    every = [each.on(where) for each in moved]
    if per_host is not None:
        try:
            every = [placed(each, per_host, ranks) for each in every]
        except (ValueError, InputError) as error:
            raise InputError(f"--ppn, --hosts: {error}") from None
        notes.append(f"on each host: {per_host} of the ranks, in their order")
    elif where.has_network:
        notes.append("assumed: ranks are on hosts as in the run; --ppn or --hosts places them")
    every += _asked(asked, where, ranks)
    refuse_unfit([each.name for each in every])
    return "".join(each.for_the_library() for each in every), notes


def _asked(asked: Sequence[str], where: Machine, ranks: int) -> list[Scenario]:
    return [parse_scenario(text, where, known_algorithms(), ranks) for text in asked]


def _recorded(trace: Path, run: About) -> list[RecordedScenario]:
    recorded = recorded_scenarios(run.scenarios)
    if not {SIM, ZERO, NO_COMMUNICATION} <= {each.name for each in recorded}:
        raise InputError(f"{trace}: the run had not the scenarios that stretto whatif has")
    return recorded
