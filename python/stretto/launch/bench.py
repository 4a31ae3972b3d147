"""Launching a benchmark: each implementation in turn, in an order drawn by lot."""

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from stretto.data.bench_folder import BenchFolder, LaunchedBy
from stretto.data.bench_plan import BenchCell, BenchPlan, plan_text
from stretto.data.bench_rows import CellState, read_facts, read_states
from stretto.errors import (
    ApplicationFailed,
    EnvironmentUnusable,
    InputError,
    StrettoError,
    writing,
)
from stretto.launch.base import Abi, Launcher, Start
from stretto.launch.environment import parse_selection, rank_environment
from stretto.launch.failure import cause
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.libmpi import SONAMES, libmpi_beside
from stretto.launch.outcome import Outcome
from stretto.launch.program import Program, inspect
from stretto.launch.registry import InstalledLauncher, choose_launcher
from stretto.launch.srun import Srun
from stretto.launch.yielding import yielding
from stretto.native.parts import bench_program, drop_in
from stretto.native.schedules import known_algorithms

NATIVE, STRETTO = "native", "stretto"
_RHYTHM_S = 0.2
_KILL = "--kill-on-bad-exit=1"
# What a launch takes besides its cells, at most.
_TO_START_S = 120
# Rank 0 ends a cell whose batch of repetitions takes too long; beyond so many no cell goes on.
_TIMES = 3
_UNUSABLE = EnvironmentUnusable.exit_code
_ENDED_A_LAUNCH = ("timeout", "failed")
# A cell that ended so many launches of an implementation is left out of the others: what hangs once
# may have been stopped from outside.
_GIVEN_UP_AFTER = 2
_GIVEN_UP = "it has ended"
_NOTHING_BEFORE = "what was to come before it in its process ended that"


class NothingMeasured(EnvironmentUnusable):
    """The MPI, as it is set, does not come to measure anything."""


class OtherMpi(InputError):
    """A run that was cut short was begun with another MPI than the one that is there now."""


@dataclass(frozen=True)
class MeasuredMpi:
    """The MPI that is measured: what is launched, and how."""

    launcher: InstalledLauncher
    abi: Abi
    libmpi: str  # as the loader shall find it
    program: Path


@dataclass(frozen=True)
class Implementation:
    """One way the operations are run: `native:KNOB=VALUE`, `stretto:allreduce=ring`."""

    name: str
    environment: Mapping[str, str]

    @property
    def is_stretto(self) -> bool:
        return self.name.partition("#")[0].partition(":")[0] == STRETTO


def find_mpi(like: str | None, launcher: str | None, extra: Sequence[str]) -> MeasuredMpi:
    """The MPI of a program, or of a launcher, or of the first launcher found."""
    program = inspect([like]) if like else Program(("stretto bench",), None)
    chosen = choose_launcher(program, launcher, extra)
    abi = program.mpi.abi if program.mpi else chosen.abi
    library = program.mpi.path if program.mpi else libmpi_beside(chosen.path, abi)
    soname = next(name for name in SONAMES if SONAMES[name] is abi)
    return MeasuredMpi(_ending_all(chosen), abi, str(library or soname), bench_program(abi))


def _ending_all(launcher: InstalledLauncher) -> InstalledLauncher:
    """Where rank 0 ends a launch because something in it hangs, srun would let the others wait."""
    if isinstance(launcher, Srun):
        return replace(launcher, extra=(*launcher.extra, _KILL))
    return launcher


def same_mpi(by: LaunchedBy) -> MeasuredMpi:
    """The MPI and the launcher of a run that was made before. Raises where they are gone."""
    library = Path(by.libmpi)
    if not Path(by.launcher).exists() or (library.is_absolute() and not library.exists()):
        gone = library if Path(by.launcher).exists() else by.launcher
        raise EnvironmentUnusable(
            f"{gone}, by which the run was made, is no longer here: name another launcher with "
            "--launcher, or run its plan anew with stretto bench run"
        )
    chosen = choose_launcher(Program(("stretto bench",), None), by.launcher, by.options)
    abi = next((SONAMES[name] for name in SONAMES if library.name.startswith(name)), chosen.abi)
    return MeasuredMpi(chosen, abi, by.libmpi, bench_program(abi))


def implementation(text: str, mpi: MeasuredMpi) -> Implementation:
    """Of what --impl names; what follows # tells two apart that are alike. Raises InputError."""
    kind, _, rest = text.partition("#")[0].partition(":")
    if kind not in (NATIVE, STRETTO):
        raise InputError(f"--impl {text}: it is {NATIVE} or {STRETTO}, and may have :NAME=VALUE")
    settings = [word for word in rest.split("+") if word]
    for word in settings:
        if "=" not in word:
            raise InputError(f"--impl {text}: {word} is not NAME=VALUE")
    if kind == NATIVE:
        return Implementation(text, dict(_knob(word, mpi.abi) for word in settings))
    ours = [word for word in settings if word.startswith("STRETTO_")]
    chosen = [word for word in settings if word not in ours]
    selection = parse_selection(chosen, known_algorithms()) if chosen else {}
    environment = rank_environment(drop_in(mpi.abi), selection, verbose=False)
    named = dict(_parts(word) for word in ours)
    return Implementation(text, environment | named)


def _knob(word: str, abi: Abi) -> tuple[str, str]:
    """A variable, or a parameter of Open MPI as its mpirun has it."""
    name, value = _parts(word)
    if abi is Abi.OPENMPI and name.islower():
        name = f"OMPI_MCA_{name}"
    return name, value


def _parts(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value


def start_of(
    mpi: MeasuredMpi,
    what: Implementation,
    ranks: int,
    folder: Path,
    more: Mapping[str, str] | None = None,
) -> Start:
    """One launch, which reads its plan from the folder that it writes to; `more` variables too."""
    place = folder.absolute()
    argv = [str(mpi.program), mpi.libmpi, str(place / "plan"), str(place)]
    return Start(ranks, argv, {**(more or {}), **what.environment})


class Bench:
    """All launches of a plan into a run folder."""

    def __init__(
        self,
        plan: BenchPlan,
        folder: BenchFolder,
        mpi: MeasuredMpi,
        launcher: Launcher,
        done: Callable[[int], None],
    ) -> None:
        """`done` is called with how many cells have been measured since it was last."""
        self._plan = plan
        self._folder = folder
        self._launcher = launcher
        self._mpi = mpi
        self._done = done
        self._ways = [implementation(each, mpi) for each in plan.implementations]
        self._variables: Mapping[str, str] = {}  # of all ways
        # Of each way and cell: how it ended launches.
        self._lost: dict[tuple[int, int], list[CellState]] = {}

    def run(self, enough: Callable[[int], bool]) -> list[tuple[int, int]]:
        """Launch until `enough` of a number of rounds; what was launched, in order."""
        if self._is_crowded():
            # Ranks that wait for cores would keep them from each other for whole time slices.
            self._variables = yielding(self._mpi.abi)
        made = []
        number = 0
        while not enough(number):
            turn = random.Random(f"{self._plan.seed} {number}")
            ways = [*range(len(self._ways))]
            turn.shuffle(ways)
            for way in ways:
                cells = [*self._plan.cells]
                if not self._plan.in_order:
                    turn.shuffle(cells)
                self._launch(number, way, cells)
                made.append((number, way))
            number += 1
        return made

    def _is_crowded(self) -> bool:
        """Do ranks share cores? So says a launch that measures nothing, before all others."""
        place = self._folder.path / "launches" / "none"
        before = self._folder.mpi_so_far()
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
            (place / "plan").write_text(plan_text(self._plan.settings, []))
        outcome = self._start(self._ways[0], place, _TO_START_S)
        if not outcome.ok:
            _refuse_unwritten(place, outcome)
            raise _failed_at_once(place, outcome)
        facts = read_facts(place)
        if before and facts.mpi != before:
            was, now = _where_unlike(before, facts.mpi)
            raise OtherMpi(
                f"{self._folder.path} holds a run of another MPI: it was {was}, now {now}"
            )
        return facts.crowded

    def _launch(self, number: int, way: int, cells: Sequence[BenchCell]) -> None:
        """Measure what this launch has not yet; a cell that has ended two is left out from then
        on."""
        known = self._folder.states(number, way)
        if self._plan.in_order and 0 < len(known) < len(cells):
            # A cell depends on those before it in the same processes, which are gone.
            self._folder.forget(number, way)
            known = {}
        self._remember(way, known)
        if left_out := [it for it in self._left_out(way, cells) if it.cell not in known]:
            _note(self._folder.new_part(number, way), left_out)
            known |= {state.cell: state for state in left_out}
        self._done(len(known))
        while left := [cell for cell in cells if cell.number not in known]:
            part = self._folder.new_part(number, way)
            if self._plan.in_order and any(it.state in _ENDED_A_LAUNCH for it in known.values()):
                # In a process of their own they would be the first there, and something else.
                _note(part, [CellState(cell.number, "skipped", _NOTHING_BEFORE) for cell in left])
                self._done(len(left))
                break
            with writing(part):
                (part / "plan").write_text(plan_text(self._plan.settings, left))
            longest = _TIMES * self._plan.settings.cell_timeout_s * len(left)
            limit = longest + _TO_START_S if longest else None
            with self._watching(part):
                outcome = self._start(self._ways[way], part, limit)
            states = {state.cell: state for state in read_states(part)}
            if not outcome.ok:
                _refuse_unwritten(part, outcome)
                states = _with_failure(part, states, outcome)
            ended = {cell: each for cell, each in states.items() if each.state != "begun"}
            if not ended:
                raise NothingMeasured(f"{self._ways[way].name} measures nothing: {self._why(part)}")
            known |= ended
            self._remember(way, ended)
        self._folder.gather(number, way)

    def _left_out(self, way: int, cells: Sequence[BenchCell]) -> list[CellState]:
        """Cells that would end the launch, and those that depend on one of them."""
        found: list[CellState] = []
        for cell in cells:
            ended = self._lost.get((way, cell.number), [])
            if len(ended) >= _GIVEN_UP_AFTER:
                why = " ".join(filter(None, (ended[0].state, ended[0].why)))
                found.append(
                    CellState(cell.number, "skipped", f"{_GIVEN_UP} {len(ended)} launches: {why}")
                )
            elif found and self._plan.in_order:
                found.append(CellState(cell.number, "skipped", _NOTHING_BEFORE))
        return found

    def _remember(self, way: int, states: Mapping[int, CellState]) -> None:
        for cell, state in states.items():
            if state.state in _ENDED_A_LAUNCH:
                self._lost.setdefault((way, cell), []).append(state)

    def _start(self, what: Implementation, part: Path, timeout_s: float | None) -> Outcome:
        with (part / "stdout").open("wb") as stdout, (part / "stderr").open("wb") as stderr:
            return launch_ranks(
                self._launcher,
                start_of(self._mpi, what, self._plan.ranks, part, self._variables),
                run_stretto=what.is_stretto,
                timeout_s=timeout_s,
                stdout=stdout,
                stderr=stderr,
            )

    def _why(self, part: Path) -> str:
        said = (part / "stderr").read_text(errors="replace").strip().splitlines()
        return f"its ranks ended at once: {said[0]}" if said else "its ranks said nothing"

    @contextmanager
    def _watching(self, part: Path) -> Iterator[None]:
        """Meanwhile what is measured is passed on."""
        ended = threading.Event()

        def watch() -> None:
            seen = 0
            while not ended.wait(_RHYTHM_S):
                seen = self._pass_on(part, seen)
            self._pass_on(part, seen)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _pass_on(self, part: Path, seen: int) -> int:
        count = sum(state.state != "begun" for state in read_states(part))
        self._done(count - seen)
        return count


def is_given_up(state: CellState) -> bool:
    """It was left out of a launch as it had ended others, and will be of all that follow."""
    return state.state == "skipped" and state.why.startswith(_GIVEN_UP)


def _where_unlike(one: str, other: str) -> tuple[str, str]:
    """The first lines of both that differ."""
    lines = zip_longest(one.splitlines(), other.splitlines(), fillvalue="")
    first = next((both for both in lines if both[0] != both[1]), ("", ""))
    was, now = (" ".join(line.split()) or "nothing" for line in first)
    return was, now


def _with_failure(
    part: Path, states: Mapping[int, CellState], outcome: Outcome
) -> dict[int, CellState]:
    """The cell that was under way when the ranks ended has failed; the folder knows, too."""
    begun = [state for state in states.values() if state.state == "begun"]
    if not states or outcome.exit_code == _UNUSABLE:
        raise _failed_at_once(part, outcome)
    failed = [CellState(state.cell, "failed", cause(outcome)) for state in begun]
    _note(part, failed)
    return dict(states) | {state.cell: state for state in failed}


def _refuse_unwritten(part: Path, outcome: Outcome) -> None:
    """Raise EnvironmentUnusable where ranks ended as they could not write: no cell, and no setting
    of the MPI, is to blame for a full disk."""
    # As the native program has it; that disk may have no room for what it says, either.
    cannot = f"cannot write {part.absolute()}/"
    said = (line for line in outcome.last_words.splitlines() if cannot in line)
    if line := next(said, None):
        raise EnvironmentUnusable(line[line.index(cannot) :])
    if outcome.unwritten:
        raise EnvironmentUnusable(f"cannot write what ranks say in {part}: {outcome.unwritten}")


def _failed_at_once(part: Path, outcome: Outcome) -> StrettoError:
    """Of a launch that no cell is to blame for."""
    said = (part / "stderr").read_text(errors="replace").strip().splitlines()
    what = f" ({said[0]})" if said else ""
    if outcome.exit_code == _UNUSABLE:
        return NothingMeasured(f"the benchmark cannot go on{what}")
    return ApplicationFailed(f"the benchmark failed before it began: {cause(outcome)}{what}")


def _note(part: Path, states: Iterable[CellState]) -> None:
    """Add to the progress of a part what its ranks do not know."""
    with writing(part), (part / "progress").open("a") as progress:
        progress.write("\n")  # the last line may have been cut off
        progress.writelines(f"{it.state} {it.cell} {it.why}\n" for it in states)
