"""Launches that nothing takes from the guardian's hands, not even its own death."""

import subprocess
import threading
from pathlib import Path

import pytest
from launched import FOREVER, alive, escapes, pids_in

from stretto.errors import ApplicationFailed
from stretto.launch.process import Outcome, launch


def test_what_a_killed_guardian_leaves_behind_is_ended_and_nothing_else(tmp_path: Path) -> None:
    pids, over = tmp_path / "pids", tmp_path / "over"
    outcomes: list[Outcome] = []
    waits = f"while [ ! -e {over} ]; do sleep 0.05; done; exit 7"
    other = threading.Thread(target=lambda: outcomes.append(launch(["sh", "-c", waits])))
    other.start()
    script = f"while [ $(cat {pids} | wc -w) -lt 3 ]; do sleep 0.05; done; kill -KILL $PPID"
    with subprocess.Popen(["sleep", FOREVER]) as own:
        with pytest.raises(ApplicationFailed, match=r"guardian\) was killed by signal 9"):
            launch(["sh", "-c", f"{escapes(pids)} {script}; sleep {FOREVER}"])
        assert own.poll() is None
        own.kill()
    over.touch()
    other.join()
    assert not any(alive(pid) for pid in pids_in(pids, 3))
    assert [outcome.exit_code for outcome in outcomes] == [7]
