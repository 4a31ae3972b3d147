"""Launches that measure ways to run collectives with a program's own MPI and launcher."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto.data.contests import ContestPlan, Contests, read_contests
from stretto.data.rank_files import recorded_in
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Launcher, Start
from stretto.launch.environment import SELECTED, TUNING, rank_environment
from stretto.launch.failure import require_success
from stretto.launch.job import Job
from stretto.launch.launch_ranks import launch_ranks


@dataclass(frozen=True)
class Tuning:
    """Everything that does not change from launch to launch."""

    job: Job
    launcher: Launcher
    timeout_s: float | None

    def start(self, ranks: int, folder: Path, settings: Mapping[str, str]) -> Start:
        """One launch, whose program ends where its MPI_Init does; `settings` are the MPI's."""
        environment = rank_environment(
            self.job.drop_in, {}, verbose=False, asan=self.job.program.asan
        )
        # Each way is chosen by a rule, so no call may be the MPI's before rules are asked.
        environment |= {SELECTED: "stretto", TUNING: str(folder.absolute()), **settings}
        return Start(ranks, self.job.program.argv, environment)

    def measure(self, ranks: int, plan: ContestPlan, settings: Mapping[str, str]) -> Contests:
        """Run a plan."""
        # Not in /tmp: rank 0 may be on another host.
        try:
            here = tempfile.TemporaryDirectory(prefix=".stretto-", dir=Path.cwd())
        except OSError as error:
            raise EnvironmentUnusable(f"cannot write to {Path.cwd()}: {error.strerror}") from error
        with here as name:
            folder = Path(name)
            (folder / "plan").write_text(plan.for_the_library(), encoding="utf-8")
            start = self.start(ranks, folder, settings)
            outcome = launch_ranks(self.launcher, start, timeout_s=self.timeout_s)
            with recorded_in(folder):  # a rank that cannot write the file fails
                require_success(self.job.program.name, outcome, self.timeout_s)
                return read_contests(folder / "times.json", plan)
