"""Fixtures of the Python side's tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from stand_ins import MPIRUN, PROGRAM, SCHEDULE_TOOL, executable

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with ./app, and mpirun and the native parts where they are sought."""
    executable(tmp_path / "bin" / "mpirun", MPIRUN)
    executable(tmp_path / "native" / "bin" / "stretto-schedule", SCHEDULE_TOOL)
    executable(tmp_path / "app", PROGRAM)
    drop_in = tmp_path / "native" / "lib" / "libstretto-accelerate-openmpi.so"
    drop_in.parent.mkdir()
    drop_in.touch()
    for name in [name for name in os.environ if name.startswith(("STRETTO_", "SLURM_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setenv("STRETTO_NATIVE_DIR", str(tmp_path / "native"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path
