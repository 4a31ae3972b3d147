"""stretto whatif: what collectives cost a program, and what it would be without."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated

import typer

from stretto.cli import network_tolerance as tolerance
from stretto.cli import whatif_tables as tables
from stretto.cli.answers_shown import record_of
from stretto.cli.calibrate import refuse_if_oversubscribed
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.launch_input import input_of_launches
from stretto.cli.network_tolerance import NetworkToleranceOption
from stretto.cli.options import (
    AsJson,
    FreshDir,
    LauncherArgs,
    LauncherPath,
    Prepare,
    ProgramAndArgs,
    RankCount,
    Timeout,
    Warmup,
)
from stretto.cli.output import launches_bar, print_doubts
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.run_folders import RUNS, make_folder, planned_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.cli.whatif_json import plain
from stretto.data.answer_record import write_answer
from stretto.data.host import load_average
from stretto.data.network_tolerance import NetworkTolerance, store_network_tolerance
from stretto.data.places import Lines
from stretto.data.provenance import versions
from stretto.data.symbols import lines_of
from stretto.data.traces import About, refuse_if_there, write_trace
from stretto.data.virtual_times import SIM, RankTimes
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, unwritable
from stretto.launch.base import Launcher, Start
from stretto.launch.calibration import calibrate
from stretto.launch.cores import usable_cores
from stretto.launch.job import Job, prepare, provenance_of
from stretto.launch.preparation import Preparation
from stretto.launch.program import name_of
from stretto.launch.same_input import SameInput
from stretto.launch.whatif import WhatifPlan, run_in_turn
from stretto.model.calibrated import machine_of
from stretto.model.machine import Machine, read_machine, toml_of
from stretto.model.scenarios import Scenario, scenarios_of
from stretto.native.network_tolerance import TraceOnMachine
from stretto.native.network_tolerance import network_tolerance as tolerance_of
from stretto.native.schedules import known_algorithms
from stretto.report.doubts import Doubt, doubts_of_load
from stretto.report.unlike_launches import wall_times, why_incomparable
from stretto.report.whatif import Answer, Run, answer
from stretto.report.words import size

_MACHINE = "machine.toml"
_SCENARIOS = "scenarios.txt"
_STAND_IN = "cluster-2006"  # has hosts and a network, as what will be measured may have


RunsOption = Annotated[int, typer.Option(min=1, help="Real and virtual runs, in turn.")]
ScenariosOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:SETTING,...",
        help="A further scenario, repeatable: collectives=0, alltoall=0.5x, messages=0, "
        "cpu=1.5x, algorithm.allreduce=ring, overlap=perfect, network.latency=2us, "
        "network.bandwidth=100Gbit, machine=FILE, hosts=64, ppn=16.",
    ),
]
ShowOption = Annotated[
    str, typer.Option(metavar="NAME", help="The scenario whose time the program itself sees.")
]
MachineFileOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="From calibrate, not measured anew; or a preset."),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="The run folder; otherwise stretto-runs/<name>-whatif-<number>."
    ),
]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="TRACE", help="Write down the first virtual run for stretto replay."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the plain command of a virtual run.")
]


def whatif(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    runs: RunsOption = 3,
    warmup: Warmup = 0,
    scenario: ScenariosOption = None,
    show: ShowOption = SIM,
    machine: MachineFileOption = None,
    rig: OnRig = None,
    prepare_command: Prepare = None,
    fresh_dir: FreshDir = False,
    timeout: Timeout = None,
    output: OutputOption = None,
    record: RecordOption = None,
    network_tolerance: NetworkToleranceOption = False,
    dry_run: DryRunOption = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Run PROGRAM in real and in virtual time, as it is and as if collectives cost nothing.

    Ranks may outnumber cores: then sim is the time with a core for each. Factors are of time
    (alltoall=0.5x takes half), that of the cpu of speed. The program's own clocks are virtual.

    Example: stretto whatif -n 4 --scenario "fast:network.latency=2us,network.bandwidth=100Gbit"
    ./jacobi3d 192 20
    """
    job = prepare(program, launcher, launcher_args, mode="whatif")
    name = f"{Path(name_of(program)).stem}-whatif"
    named = None if machine is None else read_machine(machine)
    if dry_run:
        folder = planned_folder(output, name)
        plan = WhatifPlan(job, job.launcher, ranks, folder / _SCENARIOS, 0, timeout)
        print(shlex.join(plan.command(folder / "virtual-0", virtual=True)))
        return
    asked = _Asked(scenario or [], show, known_algorithms(), ranks)
    asked.on(named or read_machine(_STAND_IN))  # wrong words cost no measuring
    if record is not None:
        refuse_if_there(record)
    doubts = list(doubts_of_load(load_average(), usable_cores()))  # before what we load it with
    with input_of_launches() as stdin, launcher_on(job.launcher, rig) as where:
        folder = make_folder(output, name)
        here = named or _measured(job, where, ranks, timeout)
        scenarios, shown = asked.on(here)
        file = _described(folder, here, scenarios)
        plan = WhatifPlan(
            job,
            where,
            ranks,
            file,
            shown,
            timeout,
            record is not None or network_tolerance,
            Preparation(prepare_command, fresh_dir, (folder, RUNS)),
            warmup,
        )
        normal, virtual = _run(plan, runs, folder, stdin, sys.stderr.buffer if as_json else None)
        commands = (
            where.command(Start(ranks, job.program.argv)),
            plan.command(folder / "virtual-0", virtual=True),
        )
    is_recorded = False
    if why := why_incomparable(normal, virtual, is_measured_here=named is None):
        _show_no_answer(why, wall_times(normal, virtual), folder, doubts, as_json=as_json)
    else:
        found = answer(normal, [Run.of(run) for run in virtual])
        lines = lines_of(found.call_sites)
        provenance = provenance_of(job, *commands)
        kept = record_of(
            "whatif",
            Path(name_of(program)).stem,
            ranks,
            [doubt.text for doubt in doubts],
            runs=runs,
            provenance=provenance,
            lines=lines,
        )
        facts = {"runs": runs, "warmup": warmup, "warnings": [doubt.text for doubt in doubts]}
        write_answer(kept, folder)  # first: what has been measured is not lost with what follows
        borne = _tolerance(record, job, folder, ranks, here) if network_tolerance else None
        facts["network_tolerance"] = borne
        _show(found, here, folder, doubts, lines, facts, borne, as_json=as_json)
        exported = [*tables.whole(found, lines), *tolerance.whole(borne)]
        export_tables(exported, export_csv, export_markdown)
        is_recorded = borne is not None
    if record is not None and not is_recorded:
        _record(record, job, folder, ranks)


@dataclass(frozen=True)
class _Asked:
    """What the command line says of scenarios."""

    texts: Sequence[str]
    show: str
    algorithms: Mapping[str, Sequence[str]]
    ranks: int

    def on(self, machine: Machine) -> tuple[list[Scenario], int]:
        """The scenarios on that machine, and the number of the one that the program sees."""
        scenarios = scenarios_of(self.texts, machine, self.algorithms, self.ranks)
        names = [each.name for each in scenarios]
        if self.show not in names:
            raise InputError(
                f"--show {self.show}: there is no such scenario; there are {', '.join(names)}"
            )
        return scenarios, names.index(self.show)


def _described(folder: Path, machine: Machine, scenarios: Sequence[Scenario]) -> Path:
    """The file of scenarios that the library reads; and the machine's, for people."""
    _write(folder / _MACHINE, toml_of(machine))
    file = folder / _SCENARIOS
    _write(file, "".join(each.for_the_library() for each in scenarios))
    return file


def _run(
    plan: WhatifPlan, runs: int, folder: Path, stdin: SameInput, stdout: IO[bytes] | None
) -> tuple[list[list[RankTimes]], list[list[RankTimes]]]:
    launches = 2 * (plan.warmup + runs)
    with launches_bar("running", launches, 2 * plan.warmup, transient=True) as done:
        return run_in_turn(plan, runs, folder, stdin, stdout, done)


def _show(
    found: Answer,
    machine: Machine,
    folder: Path,
    doubts: Sequence[Doubt],
    lines: Lines,
    facts: Mapping[str, object],
    borne: NetworkTolerance | None,
    *,
    as_json: bool,
) -> None:
    if found.hosts > 1 and machine.is_one_host:
        note(
            f"{found.hosts} hosts, but the machine has no network: name one that has (--machine), "
            "measured on two hosts with calibrate"
        )
    text = as_text(plain(found, lines) | dict(facts))
    _write(folder / "whatif.json", text)
    if as_json:
        print(text)
    else:
        tables.show(found, lines)
        if borne is not None:
            tolerance.show(borne)
        print_doubts(doubts)
        note(f"Run folder: {folder}   `stretto report {folder}` shows it")


def _show_no_answer(
    why: str, wall_s: Mapping[str, float], folder: Path, doubts: Sequence[Doubt], *, as_json: bool
) -> None:
    """Why the runs say nothing: no times of scenarios, which would be of something else."""
    warnings = [doubt.text for doubt in doubts]
    text = as_text({"launches_s": wall_s, "verdict": why, "warnings": warnings})
    _write(folder / "whatif.json", text)
    if as_json:
        print(text)
    else:
        out.print(why, markup=False, soft_wrap=True, style="bold")
        print_doubts(doubts)
        note(f"Run folder: {folder}")


def _record(trace: Path, job: Job, folder: Path, ranks: int) -> None:
    """Make one file of what the ranks of the first virtual run recorded."""
    version = versions().get("stretto", "")
    machine, scenarios = (
        (folder / name).read_text(encoding="utf-8") for name in (_MACHINE, _SCENARIOS)
    )
    about = About(list(job.program.argv), ranks, version, machine, scenarios)
    recorded = write_trace(trace, about, folder / "virtual-0")
    note(f"Trace: {trace} ({size(recorded)})")


def _tolerance(
    record: Path | None, job: Job, folder: Path, ranks: int, here: Machine
) -> NetworkTolerance:
    """From the trace of the first virtual run, which stays in the run folder if nowhere else."""
    trace = record or folder / "tolerance.trace"
    _record(trace, job, folder, ranks)
    with err.status("replaying on slower networks"):
        scenarios = (folder / _SCENARIOS).read_text(encoding="utf-8")
        borne = tolerance_of(TraceOnMachine(trace, scenarios, here))
    store_network_tolerance(borne, folder)
    return borne


def _write(file: Path, text: str) -> None:
    try:
        put_whole(file, text.encode(errors="backslashreplace"))
    except OSError as error:
        raise unwritable(f"{file}", error) from error


def _measured(job: Job, where: Launcher, ranks: int, timeout: float | None) -> Machine:
    """What messages and collectives cost where the program's ranks are, on all of its hosts; those
    that no core is there for sleep meanwhile."""
    with err.status("measuring this machine"):
        calibration = calibrate(job, where, max(2, ranks), timeout)
    refuse_if_oversubscribed(calibration)
    return machine_of(calibration, "this machine").machine
