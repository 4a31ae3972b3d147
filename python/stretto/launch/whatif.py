"""Launching a program in turn in real and in virtual time."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stretto.data.rank_files import recorded_in
from stretto.data.virtual_times import RankTimes, read_times
from stretto.data.whole_file import write_whole
from stretto.launch.base import Launcher, Start
from stretto.launch.cores import usable_cores
from stretto.launch.environment import RECORD, SCENARIOS, SHOWN, WHATIF, rank_environment
from stretto.launch.failure import require_success
from stretto.launch.job import Job
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.preparation import NO_PREPARATION, Preparation
from stretto.launch.same_input import SameInput
from stretto.launch.yielding import yielding


@dataclass(frozen=True)
class WhatifPlan:
    """Everything that does not change from launch to launch."""

    job: Job
    launcher: Launcher
    ranks: int
    scenarios: Path  # the file
    shown: int  # whose time the program sees
    timeout_s: float | None
    record: bool = False  # a trace, in the first virtual run
    preparation: Preparation = NO_PREPARATION  # of each launch
    warmup: int = 0  # real and virtual runs that are not counted

    def start(self, folder: Path, *, virtual: bool, record: bool = False) -> Start:
        """One launch, whose ranks write into `folder`."""
        environment = rank_environment(
            self.job.drop_in, {}, verbose=False, asan=self.job.program.asan
        )
        environment[WHATIF] = str(folder.absolute())
        if virtual:
            environment[SCENARIOS] = str(self.scenarios.absolute())
            environment[SHOWN] = str(self.shown)
            if self.ranks > usable_cores():
                # Virtual time does not show who waits how; the run is many times shorter.
                environment |= yielding(self.job.abi)
        if record:
            environment[RECORD] = str(folder.absolute())
        return Start(self.ranks, self.preparation.words(self.job.program.argv), environment)

    def command(self, folder: Path, *, virtual: bool) -> list[str]:
        """The plain command line of a launch."""
        return self.launcher.command(self.start(folder, virtual=virtual))


def run_in_turn(
    plan: WhatifPlan,
    runs: int,
    folder: Path,
    stdin: SameInput,
    stdout: IO[bytes] | None,
    done: Callable[[], None],
) -> tuple[list[list[RankTimes]], list[list[RankTimes]]]:
    """All ranks' times of the real and of the virtual runs, which take turns.

    What the program prints in its first virtual run is shown, its times being the prediction;
    of the others it goes to the run's folder. Those that warm up come first, and are not returned.
    """
    for number in range(plan.warmup):
        for virtual in (False, True):
            where = folder / f"warmup-{'virtual' if virtual else 'normal'}-{number}"
            where.mkdir()
            start = plan.start(where, virtual=virtual)
            _run(plan, start, where, stdin.for_a_launch(), io.BytesIO())
            done()
    times: dict[bool, list[list[RankTimes]]] = {False: [], True: []}
    for number in range(runs):
        for virtual in (False, True) if number % 2 == 0 else (True, False):
            where = folder / f"{'virtual' if virtual else 'normal'}-{number}"
            where.mkdir()
            first = virtual and not times[True]
            start = plan.start(where, virtual=virtual, record=first and plan.record)
            shown = stdout if first else io.BytesIO()
            times[virtual].append(_run(plan, start, where, stdin.for_a_launch(), shown))
            done()
    return times[False], times[True]


def _run(
    plan: WhatifPlan, start: Start, folder: Path, stdin: IO[bytes], stdout: IO[bytes] | None
) -> list[RankTimes]:
    with plan.preparation.done(folder) as directory:
        outcome = launch_ranks(
            plan.launcher,
            start,
            timeout_s=plan.timeout_s,
            stdin=stdin,
            stdout=stdout,
            directory=directory,
        )
        if isinstance(stdout, io.BytesIO):
            write_whole(folder / "stdout.txt", stdout.getvalue())
        require_success(plan.job.program.name, outcome, plan.timeout_s)
    with recorded_in(folder):
        return read_times(folder, plan.ranks)
