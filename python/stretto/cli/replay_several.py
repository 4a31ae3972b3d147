"""stretto replay of several traces: laws in the number of ranks, and what they say of more."""

import re
from collections.abc import Sequence
from pathlib import Path

from stretto.cli import extrapolation_tables as tables
from stretto.cli.answers_shown import record_of
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.replay_scenarios import elsewhere, on_its_machine
from stretto.cli.run_folders import make_folder
from stretto.cli.table_export import export_tables
from stretto.data.answer_record import write_answer
from stretto.data.symbols import lines_of
from stretto.data.trace_sections import TraceSections, store_traces
from stretto.data.traces import About
from stretto.data.virtual_times import SIM
from stretto.errors import InputError
from stretto.launch.program import name_of
from stretto.model.machine import machine_of_toml, read_machine
from stretto.model.recorded import recorded_scenarios
from stretto.native.goal import is_goal
from stretto.native.replay import about, sections_of
from stretto.report.extrapolation import all_calls, extrapolated

_MOST_RANKS = 1 << 24  # as src/trace/trace.hpp has them


def replay_several(
    traces: Sequence[Path],
    machine: str | None,
    per_host: int | None,
    scale: str | None,
    output: Path | None,
    export_csv: Path | None,
    export_markdown: Path | None,
    *,
    as_json: bool,
) -> None:
    """Fit laws to them, and show what they say of more ranks. Raises InputError."""
    for trace in traces:
        if is_goal(trace):
            raise InputError(f"{trace}: a GOAL schedule has no call sites to compare: name traces")
    runs = [about(trace) for trace in traces]
    for at, trace in enumerate(traces):
        if any(trace.samefile(other) for other in traces[:at]):
            raise InputError(f"{trace}: it is named twice, and is one run")
    _refuse_other_programs(traces, runs)
    target = _target(scale, max(run.ranks for run in runs))
    notes = _notes(traces, runs, machine, per_host)
    with err.status("replaying"):
        found = [
            sections_of(trace, _scenarios(trace, run, machine, per_host))
            for trace, run in zip(traces, runs, strict=True)
        ]
    _refuse_other_call_sites(traces, found)
    answer = extrapolated(found, target)
    lines = lines_of({site.place: site for each in found for site in each.call_sites}.values())
    name = Path(name_of(runs[0].program)).stem
    on = ", ".join(f"{p}" for p in answer.ranks)
    said = [f"{' '.join(runs[0].program)}: from {on} ranks to {target}", *notes]
    folder = None if output is None else make_folder(output, "replay")
    if folder is not None:
        store_traces(target, found, folder)
        write_answer(record_of("replay", name, target, said, lines=lines), folder)
    export_tables(tables.whole(answer, lines), export_csv, export_markdown)
    if as_json:
        facts = {"program": runs[0].program, "traces": [*map(str, traces)], "notes": notes}
        print(as_text(facts | tables.plain(answer, lines)))
        return
    for line in said:
        out.print(line, markup=False, soft_wrap=True)
    tables.show(answer, lines)
    if folder is not None:
        note(f"Run folder: {folder}")


def refuse_of_several(asked: dict[str, bool]) -> None:
    """Options that are of one trace alone."""
    for option, is_asked in asked.items():
        if is_asked:
            raise InputError(f"{option}: it goes with one trace, not with several")


def _target(scale: str | None, largest: int) -> int:
    """On how many ranks: 64, or 4x as many as the largest trace."""
    if scale is None:
        raise InputError(
            "several traces go with --scale RANKS: on how many ranks the program is to be"
        )
    match = re.fullmatch(r"(\d{1,8})(x?)", scale)
    if match is None or int(match[1]) < 1:
        raise InputError(f"--scale {scale}: write a number of ranks, such as 64, or 4x the most")
    target = int(match[1]) * (largest if match[2] else 1)
    if target <= largest:
        raise InputError(f"--scale {scale}: the traces are on up to {largest} ranks: name more")
    if target > _MOST_RANKS:
        raise InputError(f"--scale {scale}: more than {_MOST_RANKS:,} ranks")
    return target


def _scenarios(trace: Path, run: About, machine: str | None, per_host: int | None) -> str:
    """Its first is what the program did, there or on another machine."""
    if machine is None:
        where = machine_of_toml(run.machine.encode(), str(trace))
        return on_its_machine(trace, run, where, [], None)
    text = elsewhere(trace, run, read_machine(machine), [], run.ranks, per_host)[0]
    if recorded_scenarios(text)[0].name != SIM:
        raise InputError(f"{trace}: its run put ranks on hosts of its own: leave --machine out")
    return text


def _notes(
    traces: Sequence[Path], runs: Sequence[About], machine: str | None, per_host: int | None
) -> list[str]:
    """What times are, and what was assumed."""
    where = "the machine of its trace" if machine is None else machine
    notes = [
        (
            "computing is what was measured in the runs, calls what the model of "
            f"{where} makes of them; times are of a mean rank"
        )
    ]
    if machine is None and len({run.machine for run in runs}) > 1:
        notes.append("the traces' machines differ, as each was calibrated anew: --machine for one")
    if machine is not None and per_host is None and read_machine(machine).has_network:
        notes.append("assumed: ranks are on hosts as in the runs; --ppn places them")
    if any(run.ranks == 1 for run in runs):
        notes.append("a run on one rank does not count: it sends nothing, and has other sections")
    arguments = {tuple(run.program[1:]) for run in runs}
    if len(arguments) > 1:
        words = "; ".join(
            f"{trace.name}: {' '.join(run.program[1:])}"
            for trace, run in zip(traces, runs, strict=True)
        )
        notes.append(f"the programs' arguments differ: laws have that in them ({words})")
    return notes


def _refuse_other_programs(traces: Sequence[Path], runs: Sequence[About]) -> None:
    names = [Path(name_of(run.program)).name for run in runs]
    for trace, name in zip(traces, names, strict=True):
        if name != names[0]:
            raise InputError(
                f"{trace} is of {name}, {traces[0]} of {names[0]}: laws are of one program"
            )


def _refuse_other_call_sites(traces: Sequence[Path], found: Sequence[TraceSections]) -> None:
    """A program that was built anew has its calls elsewhere."""
    sites = [all_calls(each) for each in found]
    first = next((at for at, those in enumerate(sites) if those), None)
    if first is None:
        return
    for trace, those in zip(traces, sites, strict=True):
        if those and not those & sites[first]:
            raise InputError(
                f"{trace} and {traces[first]} have no call site in common: they are of different "
                "programs, or builds of one"
            )
