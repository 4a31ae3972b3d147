"""Launching a program in turn on its own MPI and under Stretto."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto.data.provenance import now
from stretto.data.run_folder import RunFolder
from stretto.data.samples import Sample, Side, checksum, own_time
from stretto.errors import ApplicationFailed
from stretto.launch.base import Launcher, Start
from stretto.launch.environment import COUNTERS
from stretto.launch.failure import require_success
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.outcome import Outcome
from stretto.launch.preparation import NO_PREPARATION, Preparation
from stretto.launch.program import Program
from stretto.launch.same_input import SameInput


@dataclass(frozen=True)
class Comparison:
    """Everything that does not change from launch to launch."""

    program: Program
    launcher: Launcher
    ranks: int
    runs: int
    timeout_s: float | None
    stretto_env: Mapping[str, str]
    time_pattern: re.Pattern[str]
    checksum_pattern: re.Pattern[str]
    input: SameInput
    preparation: Preparation = NO_PREPARATION  # of each launch
    warmup: int = 0  # launches of each side that are not counted

    def start(self, side: Side, counters: Path | None = None) -> Start:
        """One launch; `counters` is the folder for the drop-in's."""
        argv = self.preparation.words(self.program.argv)
        if side is Side.NATIVE:
            return Start(self.ranks, argv)
        env = dict(self.stretto_env)
        if counters is not None:
            env[COUNTERS] = str(counters.absolute())
        return Start(self.ranks, argv, env)

    def command(self, side: Side) -> list[str]:
        """The plain command line of a launch."""
        return self.launcher.command(self.start(side))


def launches(runs: int) -> Iterator[tuple[int, Side]]:
    """Which side of which pair runs when: neither side always has the warm cache."""
    for pair in range(runs):
        sides = [Side.NATIVE, Side.STRETTO]
        for side in sides if pair % 2 == 0 else reversed(sides):
            yield pair, side


def run(comparison: Comparison, folder: RunFolder, done: Callable[[], None]) -> None:
    """Make every launch that `folder` lacks, after those that warm up; one that fails is raised.

    Those that count are stored before.
    """
    samples = folder.samples()
    have = {(sample.pair, sample.side) for sample in samples if sample.ok}
    order = len(samples)
    for number, side in launches(comparison.warmup):
        if len(have) < len(Side) * comparison.runs:
            _warm_up(comparison, folder.path / "warmup" / f"{number:03}-{side}", side)
        done()
    for pair, side in launches(comparison.runs):
        if (pair, side) not in have:
            _launch_once(comparison, folder, order, pair, side)
            order += 1
        done()


def _warm_up(comparison: Comparison, place: Path, side: Side) -> None:
    """A launch like those that count, of which only the output is kept."""
    _make_anew(place)
    with comparison.preparation.done(place) as directory:
        _require(comparison, side, _launch(comparison, place, side, directory), place)


def _launch_once(
    comparison: Comparison, folder: RunFolder, order: int, pair: int, side: Side
) -> None:
    place = folder.launch_folder(order, side)
    _make_anew(place)
    with comparison.preparation.done(place) as directory:
        started_at = now()
        outcome = _launch(comparison, place, side, directory)
        printed = (place / "stdout").read_text(errors="replace")
        folder.append(
            Sample(
                order=order,
                pair=pair,
                side=side,
                started_at=started_at,
                own_time_s=own_time(printed, comparison.time_pattern),
                wall_time_s=outcome.wall_s,
                checksum=checksum(printed, comparison.checksum_pattern),
                exit_code=outcome.exit_code,
                timed_out=outcome.timed_out,
            )
        )
        _require(comparison, side, outcome, place)


def _make_anew(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)  # of a launch that was killed
    (place / "counters").mkdir(parents=True)


def _launch(comparison: Comparison, place: Path, side: Side, directory: Path | None) -> Outcome:
    with (place / "stdout").open("wb") as stdout, (place / "stderr").open("wb") as stderr:
        return launch_ranks(
            comparison.launcher,
            comparison.start(side, place / "counters"),
            run_stretto=side is Side.STRETTO,
            timeout_s=comparison.timeout_s,
            stdin=comparison.input.for_a_launch(),
            stdout=stdout,
            stderr=stderr,
            directory=directory,
        )


def _require(comparison: Comparison, side: Side, outcome: Outcome, place: Path) -> None:
    try:
        require_success(f"{comparison.program.name} {side.where}", outcome, comparison.timeout_s)
    except ApplicationFailed as failure:
        raise ApplicationFailed(f"{failure}; what it printed is in {place}") from None
