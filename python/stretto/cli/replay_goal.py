"""stretto replay of a GOAL schedule, and traces written as such schedules."""

import re
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from stretto.cli.consoles import err, out
from stretto.cli.json_text import as_text
from stretto.cli.narrow import show_table
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import export_tables
from stretto.data.goals import GoalRun
from stretto.data.virtual_times import SIM
from stretto.errors import InputError
from stretto.model.machine import read_machine
from stretto.model.scenarios import Scenario, parse_scenario, placed, refuse_unfit
from stretto.native.goal import run_goal
from stretto.native.schedules import known_algorithms
from stretto.report.words import percent, seconds, size

# Of more ranks the tool says that they are too many.
_NUMBER = re.compile(r"[0-9]{1,9}")


def replay_goal(
    schedule: Path,
    machine: str | None,
    asked: Sequence[str],
    per_host: int | None,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    ranks: int,
    as_json: bool,
) -> None:
    """Run it on a machine, and in the scenarios that are asked for. Raises InputError."""
    if machine is None:
        raise InputError(f"{schedule}: a GOAL schedule says nothing of its machine: --machine FILE")
    scenarios = _scenarios(machine, asked, per_host, ranks)
    text = "".join(each.for_the_library() for each in scenarios)
    with err.status("replaying"):
        found = run_goal(schedule, text)
    table = _times(found)
    export_tables([plain_table(table, "scenarios")], export_csv, export_markdown)
    if as_json:
        print(as_text(_plain(schedule, found)))
        return
    words = f"{found.ranks} ranks, {found.messages:,} messages of {size(found.bytes)} together"
    out.print(f"{schedule}: {words}", markup=False, soft_wrap=True)
    show_table(table, out)
    computing = percent(found.longest_calc_ns / max(found.scenarios[0].end_ns, 1))
    out.print(f"the rank that calculates longest does for {computing} of {SIM}", soft_wrap=True)


def ranks_of(schedule: Path) -> int:
    """What it says that they are, for what depends on it before it is read. Raises InputError."""
    try:
        with schedule.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                words = line.split()
                if words[:1] == ["num_ranks"] and len(words) > 1 and _NUMBER.fullmatch(words[1]):
                    return int(words[1])
    except OSError as error:
        raise InputError(f"{schedule}: {error.strerror}") from error
    return 1  # the tool says what is wrong with it


def refuse_export(path: Path) -> None:
    """A schedule is never written over something else."""
    if path.exists():
        raise InputError(f"--export-goal {path}: there is a file of that name")
    if not path.absolute().parent.is_dir():
        raise InputError(f"--export-goal {path}: there is no folder {path.absolute().parent}")


def _scenarios(
    machine: str, asked: Sequence[str], per_host: int | None, ranks: int
) -> list[Scenario]:
    where = read_machine(machine)
    found = [Scenario(SIM, where, measured=False)]
    if per_host is not None:
        try:
            found = [placed(found[0], per_host, ranks)]
        except (ValueError, InputError) as error:
            raise InputError(f"--ppn, --hosts: {error}") from None
    found += [parse_scenario(each, where, known_algorithms(), ranks) for each in asked]
    refuse_unfit([each.name for each in found])
    for each in found:
        if each.collectives or each.algorithms or each.overlap:
            raise InputError(
                f"--scenario {each.name}: a GOAL schedule has no collectives and no overlap"
            )
    return found


def _times(found: GoalRun) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("scenario", overflow="fold")
    for column in ("time", "of sim"):
        table.add_column(column, justify="right", no_wrap=True)
    whole = found.scenarios[0].end_ns
    for each in found.scenarios:
        share = percent(each.end_ns / whole) if whole else ""
        table.add_row(each.scenario, seconds(1e-9 * each.end_ns), share)
    return table


def _plain(schedule: Path, found: GoalRun) -> dict[str, object]:
    return {
        "schedule": str(schedule),
        "ranks": found.ranks,
        "messages": found.messages,
        "bytes": found.bytes,
        "longest_calc_s": 1e-9 * found.longest_calc_ns,
        "scenarios_s": {each.scenario: 1e-9 * each.end_ns for each in found.scenarios},
    }
