"""What ranks need in their environment to write their profiles."""

from pathlib import Path

from stretto.launch.base import Start
from stretto.launch.environment import PROFILE, TRACED, rank_environment
from stretto.launch.job import Job


def profiled(job: Job, ranks: int, folder: Path, traced: int) -> Start:
    """Its ranks write into `folder`; with `traced` also so many of the last calls of each."""
    environment = rank_environment(job.drop_in, {}, verbose=False, asan=job.program.asan)
    environment |= {PROFILE: str(folder.absolute())}
    environment |= {TRACED: str(traced)} if traced else {}
    return Start(ranks, job.program.argv, environment)
