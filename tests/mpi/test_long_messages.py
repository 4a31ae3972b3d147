"""Messages of the program's own that the MPI is to send at once (decision 34)."""

import os
import re
import subprocess
import sys

import pytest
from mpi_runs import Mpi

from stretto.launch.base import Abi

NAME = "btl_tcp_eager_limit"
VARIABLE = f"OMPI_MCA_{NAME}"
LIMIT = 1 << 20
RUN = [sys.executable, "-c", "from stretto.cli.main import main; main()", "run", "-n", "2"]


def limit(mpi: Mpi, *options: str, **env: str) -> int:
    """In a running program, as Open MPI itself says."""
    if mpi.abi is not Abi.OPENMPI:
        pytest.skip(f"{mpi.name} has no such limit")
    program = ["--launcher", str(mpi.launcher.path), str(mpi.program("control_variable")), NAME]
    done = subprocess.run(
        [*RUN, *options, *program],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.fullmatch(rf"{NAME} (\d+)\n", done.stdout)
    assert found, done.stdout + done.stderr
    return int(found[1])


def test_open_mpi_sends_longer_messages_at_once_where_it_is_asked_to(mpi: Mpi) -> None:
    assert limit(mpi, "--progress") == LIMIT


def test_otherwise_its_limit_is_its_own(mpi: Mpi) -> None:
    assert limit(mpi) < LIMIT


def test_what_the_user_has_set_stays(mpi: Mpi) -> None:
    assert limit(mpi, "--progress", **{VARIABLE: "100000"}) == 100_000
    given = ["--launcher-args", f"--mca {NAME} 200000"]
    assert limit(mpi, "--progress", *given) == 200_000
