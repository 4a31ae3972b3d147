"""A benchmark that is run again on a real MPI is the same one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from stretto.data.bench_folder import BenchFolder

if TYPE_CHECKING:
    from pathlib import Path

    from mpi_runs import Mpi

STRETTO = [sys.executable, "-c", "from stretto.cli.main import main; main()"]


def bench(mpi: Mpi, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **mpi.environment}
    command = [*STRETTO, "bench", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_run_is_repeated_by_what_launched_it(mpi: Mpi, tmp_path: Path) -> None:
    # Begun behind a barrier all repetitions are valid on a busy machine, too.
    words = ["barrier", "--quick", "--launches", "1", "--sync", "barrier"]
    words += ["--launcher", str(mpi.launcher.path)]
    first = bench(mpi, tmp_path, *words, "-o", "before")
    assert first.returncode == 0, first.stderr
    again = bench(mpi, tmp_path, "repeat", "before", "-o", "after", "--json")
    assert again.returncode == 0, again.stderr
    before, after = (BenchFolder(tmp_path / name).record() for name in ("before", "after"))
    assert (after.plan, after.by) == (before.plan, before.by)
    (pair,) = json.loads(again.stdout)["compared_with_before"]["pairs"]
    assert pair["name"] == "barrier"
