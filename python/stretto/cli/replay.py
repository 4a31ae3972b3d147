"""stretto replay: a recorded run again, in the simulator alone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from stretto.cli import network_tolerance as tolerance
from stretto.cli import whatif_tables as tables
from stretto.cli.answers_shown import record_of
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.network_tolerance import NetworkToleranceOption
from stretto.cli.options import AsJson, KeepIn
from stretto.cli.replay_goal import ranks_of, refuse_export, replay_goal
from stretto.cli.replay_scenarios import elsewhere, on_its_machine
from stretto.cli.replay_several import refuse_of_several, replay_several
from stretto.cli.run_folders import make_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.cli.whatif_json import plain
from stretto.data.answer_record import store_replay, write_answer
from stretto.data.network_tolerance import store_network_tolerance
from stretto.data.replays import Replay, Scaling
from stretto.data.symbols import lines_of
from stretto.data.traces import About
from stretto.errors import InputError
from stretto.launch.program import name_of
from stretto.model.machine import Machine, machine_of_toml, read_machine
from stretto.native.goal import is_goal
from stretto.native.network_tolerance import TraceOnMachine
from stretto.native.network_tolerance import network_tolerance as tolerance_of
from stretto.native.replay import about
from stretto.native.replay import replay as run_again
from stretto.report.whatif import Run, answer
from stretto.report.words import percent

Work = Literal["weak", "strong"]

_ASSUMED = {
    "weak": "each rank computes and sends what it did; an alltoall moves as much for each rank",
    "strong": "the ranks share the same work: computing and blocks shrink, messages as the faces "
    "of blocks do, vectors of bcast, reduce, allreduce and scan stay",
}


TracesOption = Annotated[
    list[Path],
    typer.Argument(
        metavar="TRACE",
        help="From stretto whatif --record; or a GOAL schedule, FILE.goal. Several of one program: "
        "laws in the number of ranks.",
        dir_okay=False,
    ),
]
ExportGoal = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write it as a GOAL schedule, for LogGOPSim, ATLAHS."),
]
ScenariosOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:SETTING,...", help="A further scenario, as stretto whatif has them."
    ),
]
MachineFileOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Everything on another machine; or a preset.")
]
ScaleOption = Annotated[
    str | None,
    typer.Option(
        metavar="FACTOR",
        help="So many times as many ranks: 4x. Of several traces, also a number of ranks: 64.",
    ),
]
PpnOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="So many ranks on each host of --machine, in order."),
]
HostsOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="The ranks on so many hosts of --machine.")
]
WorkOption = Annotated[
    Work | None, typer.Option(help="What more ranks do: as much each (weak, default), or together.")
]


def replay(
    traces: TracesOption,
    scenario: ScenariosOption = None,
    machine: MachineFileOption = None,
    ppn: PpnOption = None,
    hosts: HostsOption = None,
    scale: ScaleOption = None,
    scaling: WorkOption = None,
    network_tolerance: NetworkToleranceOption = False,
    output: KeepIn = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    export_goal: ExportGoal = None,
    as_json: AsJson = False,
) -> None:
    """Run a recorded program again in virtual time, without it: in any scenario, on more ranks.

    With nothing changed, times are exactly those of the run that was recorded.

    Several traces of one program, on different numbers of ranks, give a law for each call and for
    what is computed between two, and what these say of more ranks, of programs of any pattern.

    Example: stretto replay ft.trace --scale 4x --machine infiniband-100g --ppn 8

    Example: stretto replay a.2 a.4 a.8 --scale 64
    """
    if len(traces) > 1:
        only_of_one = {
            "--scenario": bool(scenario),
            "--scaling": scaling is not None,
            "--network-tolerance": network_tolerance,
            "--export-goal": export_goal is not None,
            "--hosts": hosts is not None,
        }
        refuse_of_several(only_of_one)
        per_host = _per_host(ppn, None, 1, machine)
        replay_several(
            traces,
            machine,
            per_host,
            scale,
            output,
            export_csv,
            export_markdown,
            as_json=as_json,
        )
        return
    trace = traces[0]
    if is_goal(trace):
        _refuse_of_goals(scale, scaling, output, export_goal, network_tolerance=network_tolerance)
        ranks = ranks_of(trace)
        per_host = _per_host(ppn, hosts, ranks, machine)
        replay_goal(
            trace,
            machine,
            scenario or [],
            per_host,
            export_csv,
            export_markdown,
            ranks=ranks,
            as_json=as_json,
        )
        return
    if export_goal is not None:
        refuse_export(export_goal)
    factor = None if scale is None else _factor(scale)
    if scaling and factor is None:
        raise InputError(f"--scaling {scaling}: it goes with --scale")
    work: Work = scaling or "weak"
    run = about(trace)
    ranks = run.ranks * (factor or 1)
    per_host = _per_host(ppn, hosts, ranks, machine)
    notes: list[str] = []
    if machine is None:
        where = machine_of_toml(run.machine.encode(), str(trace))
        text = on_its_machine(trace, run, where, scenario or [], factor)
    else:
        where = read_machine(machine)
        text, notes = elsewhere(trace, run, where, scenario or [], ranks, per_host)
    folder = None if output is None else make_folder(output, "replay")
    with err.status("replaying"):
        replayed = run_again(trace, text, factor, strong=work == "strong", goal=export_goal)
        on_machine = TraceOnMachine(trace, text, where, factor, work == "strong")
        borne = tolerance_of(on_machine) if network_tolerance else None
    found = answer([], [Run.of(replayed.ranks)])
    lines = lines_of(found.call_sites)
    off_ns = None if machine or factor is not None else _off_ns(replayed)
    said = [*_assumptions(run, replayed, work, where), *notes]
    said += [] if off_ns is None else [_compared(off_ns, run)]
    if folder is not None:
        store_replay(replayed, folder)
        if borne is not None:
            store_network_tolerance(borne, folder)
        name = Path(name_of(run.program)).stem
        ranks = len(replayed.ranks)
        write_answer(record_of("replay", name, ranks, said, lines=lines), folder)
    exported = [*tables.whole(found, lines), *tolerance.whole(borne)]
    export_tables(exported, export_csv, export_markdown)
    if as_json:
        facts = {
            "program": run.program,
            "off_ns": off_ns,
            "scaling": replayed.scaling,
            "notes": notes,
            "network_tolerance": borne,
        }
        print(as_text(facts | plain(found, lines)))
        return
    for line in said:
        _say(line)
    tables.show(found, lines)
    if borne is not None:
        tolerance.show(borne)
    if folder is not None:
        note(f"Run folder: {folder}")


def _refuse_of_goals(
    scale: str | None,
    scaling: Work | None,
    output: Path | None,
    export_goal: Path | None,
    *,
    network_tolerance: bool,
) -> None:
    """What only traces can: a GOAL schedule has no call sites, loops and collectives."""
    asked = {
        "--scale": scale is not None,
        "--scaling": scaling is not None,
        "--output": output is not None,
        "--export-goal": export_goal is not None,
        "--network-tolerance": network_tolerance,
    }
    for option, is_asked in asked.items():
        if is_asked:
            raise InputError(f"{option}: it goes with traces, not with a GOAL schedule")


def _assumptions(run: About, replayed: Replay, work: Work, where: Machine) -> Iterator[str]:
    """What was run again, and as what."""
    ranks = len(replayed.ranks)
    yield f"{' '.join(run.program)} on {ranks} ranks"
    if replayed.scaling is not None:
        yield from _on_more(replayed.scaling, run.ranks, work)
    if ranks > 1 and where.is_one_host:
        yield "the machine has no network: all ranks are on one host"


def _say(line: str) -> None:
    out.print(line, markup=False, soft_wrap=True)


def _factor(text: str) -> int:
    match = re.fullmatch(r"(\d{1,7})x?", text)
    if match is None or int(match[1]) < 1:
        raise InputError(f"--scale {text}: write a whole number of times, such as 4x")
    return int(match[1])


def _per_host(ppn: int | None, hosts: int | None, ranks: int, machine: str | None) -> int | None:
    """How many ranks --ppn and --hosts put on a host; None where neither is given."""
    if ppn is None and hosts is None:
        return None
    if machine is None:
        option = "--ppn" if hosts is None else "--hosts"
        raise InputError(
            f"{option}: it goes with --machine; --scenario NAME:ppn=N places those of one scenario"
        )
    per_host = ppn or -(-ranks // (hosts or 1))
    filled = -(-ranks // per_host)
    if hosts not in (None, filled):
        raise InputError(
            f"--hosts {hosts}: {ranks} ranks, {per_host} on each host, fill {filled} of them"
        )
    return per_host


def _off_ns(replayed: Replay) -> float:
    """By how much any clock differs from what it showed in the run."""
    if not all(rank.recorded_ns for rank in replayed.ranks):
        raise InputError("the trace does not say when its ranks were done")
    return max(
        abs(clock.end_ns - recorded)
        for rank in replayed.ranks
        for clock, recorded in zip(rank.clocks, rank.recorded_ns, strict=False)
    )


def _compared(off_ns: float, run: About) -> str:
    if off_ns == 0:
        return "all clocks show exactly what they showed in the run"
    return (
        f"clocks differ from those of the run, recorded with Stretto {run.stretto}, by up to "
        f"{off_ns:,.0f} ns"
    )


def _on_more(scaling: Scaling, recorded: int, work: Work) -> list[str]:
    """What was assumed, and how well the trace bears it out."""
    before, after = (" x ".join(map(str, grid)) for grid in (scaling.recorded_grid, scaling.grid))
    kind = "ring" if scaling.periodic else "grid that ends"
    pattern = (
        f"neighbours, or communicators, in a {kind} of {before}, now {after}"
        if scaling.uses_grid
        else "collectives only: any rank is like any other"
    )
    fit = (
        f"{scaling.alike} of {recorded} ranks do what another one does, call by call; their "
        f"computing differs by up to {percent(scaling.computing_spread)}, what they send by up to "
        f"{percent(scaling.bytes_spread)}"
    )
    return [f"{work} scaling: {_ASSUMED[work]}", f"found: {pattern}", f"fit: {fit}"]
