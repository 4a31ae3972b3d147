import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = "#!/bin/sh\nreadlink /proc/$$/fd/0 > given\necho o\necho e >&2\n"
COMMAND = 'exec "$0" -c "from stretto.cli.main import main; main()" run ./app'


@pytest.mark.parametrize(
    ("closed", "out", "err"),
    [
        ("<&-", "o\n", "e\n"),
        (">&-", "", "e\n"),
        ("2>&-", "o\n", ""),
        ("<&- >&- 2>&-", "", ""),
    ],
)
def test_a_closed_stream_is_dev_null(house: Path, closed: str, out: str, err: str) -> None:
    (house / "app").write_text(SHOW)
    answer = subprocess.run(
        ["sh", "-c", f"{COMMAND} {closed}", sys.executable],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, out, err)
    assert (house / "given").read_text() == f"{os.devnull}\n"


def test_nobody_needs_to_read_what_is_said(house: Path) -> None:
    command = 'exec "$0" -c "from stretto.cli.main import main; main()" info --export-csv info.csv'
    reader, writer = os.pipe()
    os.close(reader)
    answer = subprocess.run(
        ["sh", "-c", command, sys.executable],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(writer)
    assert answer.returncode == 0
    assert (house / "info.csv").read_text().startswith("table,")
