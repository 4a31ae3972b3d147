"""A script that handles the failure of a job, in place of its launcher."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import MPIS

STRETTO = Path(sys.executable).with_name("stretto")


@pytest.mark.parametrize("folder", ["here", "over,the,network"])
def test_a_script_may_handle_a_failed_job(tmp_path: Path, folder: str) -> None:
    """Open MPI's launcher reports every death, so the script knew of it, whoever else does."""
    mpi = MPIS["openmpi"]
    script = tmp_path / "mpirun"
    launcher = mpi.launcher.path
    script.write_text(f"""#!/bin/sh
[ "$1" = --version ] && exec {launcher} --version
{launcher} "$@" || echo handled
exit 0
""")
    script.chmod(0o755)
    (tmp_path / folder).mkdir()
    words = ["-n", "3", "--launcher", script, mpi.program("dying"), "killed", "blocking"]
    ended = subprocess.run(
        [STRETTO, "run", *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **mpi.environment, "TMPDIR": str(tmp_path / folder)},
    )
    assert "handled" in ended.stdout, ended.stderr
    assert ended.returncode == 0, ended.stderr
