"""The key of a launch reaches its ranks, and nobody else who is on the machine."""

import tempfile
import threading
import time
from pathlib import Path

from mpi_runs import Mpi

from stretto.launch.base import Start
from stretto.launch.lifelines import VARIABLE, Lifelines
from stretto.launch.outcome import Outcome
from stretto.launch.process import launch


def command_lines() -> list[bytes]:
    """Of all processes that are there, which every user may read."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:  # it is gone
            continue
    return found


def test_no_command_line_holds_the_key(any_mpi: Mpi, tmp_path: Path) -> None:
    script = tmp_path / "rank.sh"
    there, over = tmp_path / "there", tmp_path / "over"
    script.write_text(f"""#!/bin/sh
echo "${VARIABLE}"
echo >> {there}
while [ ! -e {over} ]; do sleep 0.05; done
""")
    script.chmod(0o755)
    outcomes: list[Outcome] = []
    with Lifelines() as lifelines, tempfile.TemporaryFile() as said:
        argv = any_mpi.launcher.command(Start(2, [str(script)], {"A": "b"}, lifelines.environment))
        running = threading.Thread(
            target=lambda: outcomes.append(
                launch(argv, timeout_s=120, stdout=said, stderr=said, lifelines=lifelines)
            )
        )
        running.start()
        while running.is_alive() and not (there.exists() and there.read_text() == "\n\n"):
            time.sleep(0.02)
        lines = command_lines()
        over.touch()
        running.join()
        said.seek(0)
        words = said.read().decode()
    assert outcomes[0].ok, words
    assert words.splitlines() == [lifelines.environment[VARIABLE]] * 2
    assert any(str(script).encode() in line for line in lines)
    assert not [line for line in lines if lifelines.key.encode() in line]
