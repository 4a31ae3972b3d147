"""Which signals reach a launcher, how often, and that none is kept from ending us."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from launched import OWNER, start_python, wait_for

# More than the pipes on the way hold, or a little less, so that the program itself can end.
UNREAD = ["head -c 1000000 /dev/zero & sleep 0.2; {}; wait", "head -c 100000 /dev/zero; {}"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("script", UNREAD, ids=["runs", "ended"])
def test_a_reader_that_does_not_read_keeps_no_signal_from_ending_us(
    tmp_path: Path, number: signal.Signals, script: str
) -> None:
    there = tmp_path / "there"
    script = script.format(f"touch {there}")
    owner = start_python(OWNER, script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for(there.exists)
    time.sleep(0.2)
    owner.send_signal(number)
    try:
        assert owner.wait(timeout=40) == -number
    finally:
        owner.kill()
        owner.communicate()
