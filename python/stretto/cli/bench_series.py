"""Verbs of stretto bench that make several runs: where these go, and what is left of them."""

import os
from pathlib import Path
from typing import Any

from stretto.cli.bench_running import launched_by
from stretto.cli.consoles import note
from stretto.cli.run_folders import RUNS, make_folder
from stretto.data.bench_series import (
    BenchSeries,
    SeriesRecord,
    begin_series,
    resume_newest_series,
    resume_series,
)
from stretto.data.provenance import settings_of
from stretto.launch.bench import MeasuredMpi
from stretto.launch.mpi_version import mpi_version


def opened(
    verb: str, asked: dict[str, Any], mpi: MeasuredMpi, rig: str | None, output: Path | None
) -> BenchSeries:
    """One that was cut short and was asked the same, or a new one.

    Raises InputError where `output` holds another one.
    """
    variables = settings_of(os.environ)
    by, version = launched_by(mpi), mpi_version(mpi.libmpi)
    record = SeriesRecord(verb, asked, by, rig, variables, version)
    found = resume_series(output, record) if output else resume_newest_series(RUNS, record)
    if found is not None:
        if found.has_runs:
            note(f"Resuming {found.path}")
        return found
    return begin_series(make_folder(output, verb), record)
