"""Measuring the machine with a program's own MPI and launcher."""

import os
import tempfile
from pathlib import Path

from stretto import native
from stretto.data.calibration import Calibration, read_calibration
from stretto.data.rank_files import recorded_in
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Launcher, Start
from stretto.launch.environment import CALIBRATION, CALIBRATION_TIME, rank_environment
from stretto.launch.failure import require_success
from stretto.launch.job import Job
from stretto.launch.process import launch


def calibration_command(job: Job, launcher: Launcher, ranks: int, file: Path) -> list[str]:
    """The launch that writes `file`: the program ends where its MPI_Init does."""
    library = native.drop_in(job.abi, "calibrate")
    environment = rank_environment(library, {}, verbose=False, asan=job.program.asan) | {
        CALIBRATION: str(file)
    }
    # Of which all ranks have to repeat the same, on other hosts, too.
    if share := os.environ.get(CALIBRATION_TIME):
        environment[CALIBRATION_TIME] = share
    return launcher.command(Start(ranks, job.program.argv, environment))


def calibrate(
    job: Job, launcher: Launcher, ranks: int, timeout_s: float | None = None
) -> Calibration:
    """Measure messages, collectives and work on `ranks` ranks; takes seconds."""
    # Not in /tmp: rank 0 may be on another host.
    try:
        here = tempfile.TemporaryDirectory(prefix=".stretto-", dir=Path.cwd())
    except OSError as error:
        raise EnvironmentUnusable(f"cannot write to {Path.cwd()}: {error.strerror}") from error
    with here as folder:
        file = Path(folder) / "calibration.json"
        command = calibration_command(job, launcher, ranks, file)
        with Path(os.devnull).open("rb") as nothing:  # a launcher would read what is the program's
            outcome = launch(command, timeout_s=timeout_s, stdin=nothing)
        with recorded_in(Path(folder)):  # a rank that cannot write the file fails
            require_success(job.program.name, outcome, timeout_s)
            return read_calibration(file)
