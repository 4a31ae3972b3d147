"""The launches of stretto bench: of a plan that is new, that was cut short, or that is repeated."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stretto.cli.bench_late import lateness_of
from stretto.cli.consoles import err, note
from stretto.cli.rigs import launcher_on
from stretto.cli.run_folders import RUNS, make_folder
from stretto.data.bench_folder import (
    BenchFolder,
    BenchRecord,
    LaunchedBy,
    begin,
    begun_as,
    complete_as,
    resume,
    resume_newest,
)
from stretto.data.bench_plan import BenchPlan, Form
from stretto.data.bench_skips import why_not
from stretto.data.bench_spec import Lateness, Spec, cells_of
from stretto.data.provenance import collect
from stretto.errors import InputError, writing
from stretto.launch.base import Launcher
from stretto.launch.bench import (
    Bench,
    MeasuredMpi,
    OtherMpi,
    implementation,
    is_given_up,
    start_of,
)
from stretto.report.bench import BenchResult, rows_of, summarise
from stretto.stats.estimate import enough

_MOST_LAUNCHES = 50


def measured(
    spec: Spec,
    mpi: MeasuredMpi,
    rig: str | None,
    output: Path | None,
    *,
    dry_run: bool = False,
    is_part: bool = False,
) -> tuple[BenchResult | None, Path]:
    """Run a plan, or go on with it; None where it is only said what would be run.

    `is_part`: of several runs of a command, which is made once and read again where the command
    goes on.
    """
    for text in spec.implementations:
        implementation(text, mpi)  # before the launches, not after some of them
    with launcher_on(mpi.launcher, rig) as where:
        if dry_run:
            _say_plan(spec, mpi, plan_of(spec, mpi, rig, _some_work(spec), lateness_of(spec)))
            return None, Path()

        def run(*, is_new: bool) -> tuple[BenchResult, Path]:
            plan = _plan(spec, mpi, rig, where, output, is_new=is_new)
            return launched(plan, mpi, where, output, is_part=is_part, is_new=is_new)

        return or_new(run, output)


def or_new(
    run: Callable[..., tuple[BenchResult, Path]], output: Path | None
) -> tuple[BenchResult, Path]:
    """`run(is_new=False)`; where that would go on with a run of another MPI, a new one, unless that
    was asked for by its name."""
    try:
        return run(is_new=False)
    except OtherMpi as other:
        if output is not None:
            raise InputError(f"{other}; name another --output") from None
        note(f"stretto: {other}; this is a new run")
    return run(is_new=True)


def _plan(
    spec: Spec,
    mpi: MeasuredMpi,
    rig: str | None,
    where: Launcher,
    output: Path | None,
    *,
    is_new: bool,
) -> BenchPlan:
    """What is to be launched, as a run that was cut short has it where only that knows."""
    place, by = output or RUNS, launched_by(mpi)
    try:
        late = lateness_of(spec)
    except InputError:
        # The file or the profile that late ranks were from may be gone: the run has their delays.
        # They do not depend on the MPI, as what a pilot finds out does.
        is_same = not (is_new and spec.needs_pilot)
        if is_same and (begun := begun_as(place, plan_of(spec, mpi, rig, {}, {}), by)):
            return begun
        raise
    plan = plan_of(spec, mpi, rig, {}, late)
    if not spec.needs_pilot:
        return plan
    # What a pilot finds out is never twice the same: a run goes on by what its own found.
    begun = None if is_new else begun_as(place, plan, by)
    if begun and _delays(begun) == _delays(plan):
        return begun
    return plan_of(spec, mpi, rig, _pilot(spec, mpi, rig, where), late)


def _delays(plan: BenchPlan) -> list[tuple[str, int, dict[int, int]]]:
    """Of the cells that have late ranks."""
    return [(cell.name, cell.bytes, cell.late_ns) for cell in plan.cells if cell.delays_ns]


def repeated(
    record: BenchRecord, mpi: MeasuredMpi, output: Path | None
) -> tuple[BenchResult, Path]:
    """Run once more exactly what a run folder says, its cells and its seed."""
    plan = msgspec.structs.replace(record.plan, launcher=mpi.launcher.name)
    with launcher_on(mpi.launcher, plan.rig) as where:
        return or_new(partial(launched, plan, mpi, where, output), output)


def launched(
    plan: BenchPlan,
    mpi: MeasuredMpi,
    where: Launcher,
    output: Path | None,
    *,
    is_part: bool = False,
    is_new: bool = False,
) -> tuple[BenchResult, Path]:
    """Make all launches of a plan, or, unless it `is_new`, those that one that was cut short lacks.

    `is_part`, as `measured` has it: where all are made, they are only read. Raises OtherMpi.
    """
    if is_part and output is not None and (found := complete_as(output, plan, launched_by(mpi))):
        return summarise(found), found.path
    if len(set(plan.implementations)) < len(plan.implementations):
        raise InputError("--impl names one twice; a second one of its own is native#2")
    if is_new:
        folder = _new_folder(plan, mpi, output)
    else:
        folder = _folder(plan, mpi, output, is_part=is_part)
    with _saying_how_to_resume(folder), _bar(plan) as done:
        bench = Bench(plan, folder, mpi, where, done)
        made = bench.run(_Width(plan, folder).is_enough)
    folder.finish(made)
    return summarise(folder), folder.path


def plan_of(
    spec: Spec,
    mpi: MeasuredMpi,
    rig: str | None,
    alone_ns: dict[tuple[str, int], int],
    late: Lateness | None = None,
) -> BenchPlan:
    """What a run does, once it is known what operations take alone where work depends on that."""
    return BenchPlan(
        name=spec.name,
        implementations=spec.implementations,
        ranks=spec.ranks,
        launches=spec.launches,
        seed=spec.seed,
        settings=spec.settings(),
        cells=cells_of(spec, alone_ns, late),
        launcher=mpi.launcher.name,
        rig=rig,
        width=spec.width,
        most_launches=spec.most_launches or max(_MOST_LAUNCHES, spec.launches),
        asked=msgspec.to_builtins(spec),
    )


class _Width:
    """Whether a plan's launches are enough; what is known of one is kept for the next question."""

    def __init__(self, plan: BenchPlan, folder: BenchFolder) -> None:
        self._plan = plan
        self._folder = folder
        self._read = 0
        # By implementation, cell and class of ranks, of each launch its median.
        self._medians: dict[tuple[int, int, str], list[float]] = {}

    def is_enough(self, launches: int) -> bool:
        """Of so many launches, never fewer than before; with a width, those of every row are
        asked."""
        if launches < self._plan.launches:
            return False
        if self._plan.width is None or launches >= self._plan.most_launches:
            return True
        for launch in range(self._read, launches):
            for way, _ in enumerate(self._plan.implementations):
                samples = self._folder.samples_so_far(launch, way)
                for row in rows_of(samples, self._plan.cells):
                    key = (way, row.cell.number, row.rank_class)
                    self._medians.setdefault(key, []).extend(row.launches)
        self._read = launches
        # What is given up no more launches can make narrower.
        left_out = {
            (way, state.cell)
            for way, _ in enumerate(self._plan.implementations)
            for state in self._folder.states(launches - 1, way).values()
            if is_given_up(state)
        }
        return all(
            enough(each, self._plan.width)
            for (way, cell, _), each in self._medians.items()
            if (way, cell) not in left_out
        )


def _pilot(
    spec: Spec, mpi: MeasuredMpi, rig: str | None, where: Launcher
) -> dict[tuple[str, int], int]:
    """What operations take alone, in ns, by one launch of the first implementation."""
    alone = msgspec.structs.replace(
        spec,
        name=f"{spec.name}-pilot",
        implementations=spec.implementations[:1],
        launches=1,
        width=None,
        compute=[],
        tests=[0],
        late="",
    )
    plan = plan_of(alone, mpi, rig, {})
    result, _ = or_new(partial(launched, plan, mpi, where, None), None)
    return taken_alone(result)


def taken_alone(pilot: BenchResult) -> dict[tuple[str, int], int]:
    """What each operation of so many bytes took, in ns; a line for each beside which there will be
    no work, as the pilot has no figure of it, with the reason."""
    found: dict[tuple[str, int], int] = {}
    for row in pilot.rows:
        key = row.cell.name, row.cell.bytes
        found[key] = max(found.get(key, 0), round(row.maximum))
    reasons = {cell.number: state for _, cell, state in pilot.not_measured}
    for cell in pilot.record.plan.cells:
        if cell.form is Form.BLOCKING or found.get((cell.name, cell.bytes)):
            continue
        state = reasons.get(cell.number)
        words = [state.state, state.why] if state else ["it took 0 ns by the clock"]
        note(
            f"stretto: no work beside {cell.name} of {cell.bytes} B, as the pilot has not measured "
            f"what it takes alone: {': '.join(filter(None, words))}"
        )
    return found


def _folder(
    plan: BenchPlan, mpi: MeasuredMpi, output: Path | None, *, is_part: bool = False
) -> BenchFolder:
    """One that was cut short, or a new one."""
    by = launched_by(mpi)
    found = resume(output, plan, by) if output else resume_newest(RUNS, plan, by)
    if found is not None:
        note(f"Resuming {found.path}")
        return found
    return _new_folder(plan, mpi, output, is_part=is_part)


def _new_folder(
    plan: BenchPlan, mpi: MeasuredMpi, output: Path | None, *, is_part: bool = False
) -> BenchFolder:
    if is_part and output is not None:
        # A command that was killed may have made it, and had no time for what it is of.
        with writing(output):
            output.mkdir(exist_ok=True)
        path = output
    else:
        path = make_folder(output, plan.name)
    ways = [implementation(each, mpi) for each in plan.implementations]
    commands = {
        way.name: shlex.join(mpi.launcher.command(start_of(mpi, way, plan.ranks, path)))
        for way in ways
    }
    provenance = collect(
        argv=sys.argv,
        program=mpi.program,
        mpi_library=Path(mpi.libmpi) if "/" in mpi.libmpi else None,
    )
    return begin(path, BenchRecord(plan, provenance, commands, launched_by(mpi)))


def launched_by(mpi: MeasuredMpi) -> LaunchedBy:
    """As run folders keep it."""
    return LaunchedBy(str(mpi.launcher.path), [*mpi.launcher.extra], mpi.libmpi)


@contextmanager
def _bar(plan: BenchPlan) -> Iterator[Any]:
    """Of cells over all launches, with the time that is left."""
    total = len(plan.cells) * len(plan.implementations) * plan.launches
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TextColumn("cells, left"), TimeRemainingColumn(), console=err) as bar:
        task = bar.add_task(plan.name, total=total)
        yield lambda count: bar.update(task, advance=count)


@contextmanager
def _saying_how_to_resume(folder: BenchFolder) -> Iterator[None]:
    try:
        yield
    except (SystemExit, KeyboardInterrupt):
        with suppress(OSError):
            note(
                f"Interrupted; what was measured is in {folder.path}, and the same command goes on"
            )
        raise


def _some_work(spec: Spec) -> dict[tuple[str, int], int]:
    """What operations might take alone, each another time, as long as nobody has measured it: how
    many cells the work beside them makes does not depend on it."""
    cells = cells_of(spec, {}, {})
    return {(cell.name, cell.bytes): 1_000_000 + at for at, cell in enumerate(cells)}


def _say_plan(spec: Spec, mpi: MeasuredMpi, plan: BenchPlan) -> None:
    """What would be measured, without measuring it."""
    ways = [implementation(each, mpi) for each in plan.implementations]
    print(f"{plan.launches} launches of each of {len(ways)}, {len(plan.cells)} cells in each")
    if spec.needs_pilot:
        print("one launch before, which finds out how much work is to be done beside operations")
    for way in ways:
        command = mpi.launcher.command(start_of(mpi, way, plan.ranks, RUNS / plan.name))
        print(f"{way.name}: {shlex.join(command)}")
    for name in dict.fromkeys(cell.name for cell in plan.cells):
        sizes = [str(cell.bytes) for cell in plan.cells if cell.name == name]
        print(f"{name}: {','.join(dict.fromkeys(sizes))} B")
    skipped = [(cell, why) for cell in plan.cells if (why := why_not(cell, plan.ranks))]
    for line in dict.fromkeys(f"{cell.name} of {cell.bytes} B: {why}" for cell, why in skipped):
        print(f"skipped: {line}")
