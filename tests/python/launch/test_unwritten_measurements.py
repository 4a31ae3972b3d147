"""What ranks measured of the machine, and could not write down."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stretto.errors import ApplicationFailed, EnvironmentUnusable
from stretto.launch import calibration, tuning
from stretto.launch.outcome import Outcome

JOB: Any = SimpleNamespace(program=SimpleNamespace(name="./app"))
FAILED = Outcome(exit_code=5, wall_s=1, timed_out=False, last_words="")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Why it takes no more; each launch on it fails."""
    why = {"full": ""}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("stretto.data.rank_files._full", lambda _folder: why["full"])
    monkeypatch.setattr(calibration, "launch", lambda *_words, **_options: FAILED)
    monkeypatch.setattr(calibration, "calibration_command", lambda *_words: ["true"])
    monkeypatch.setattr(tuning, "launch_ranks", lambda *_words, **_options: FAILED)
    monkeypatch.setattr(tuning.Tuning, "start", lambda *_words: None)
    return why


def calibrate() -> None:
    calibration.calibrate(JOB, launcher=None, ranks=2)  # type: ignore[arg-type]


def tune() -> None:
    tuned = tuning.Tuning(job=JOB, launcher=None, timeout_s=None)  # type: ignore[arg-type]
    plan: Any = SimpleNamespace(for_the_library=lambda: "")
    tuned.measure(2, plan, {})


@pytest.mark.parametrize("measure", [calibrate, tune])
def test_a_rank_that_fails_on_a_full_disk_fails_for_that(disk: dict[str, str], measure) -> None:
    disk["full"] = "No space left on device"
    with pytest.raises(EnvironmentUnusable, match=r"could not all be written .*: No space left"):
        measure()


@pytest.mark.usefixtures("disk")
@pytest.mark.parametrize("measure", [calibrate, tune])
def test_one_that_fails_by_itself_is_the_programs(measure) -> None:
    with pytest.raises(ApplicationFailed, match=r"\./app failed"):
        measure()
