import fcntl
import os
import select
import struct
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stretto.errors import ApplicationFailed, EnvironmentUnusable
from stretto.launch.failure import require_success
from stretto.launch.process import launch

FULL = Path("/dev/full")  # every write to it fails as on a full disk


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def read_once_full(ends: tuple[int, int], size: int, found: bytearray) -> None:
    """A reader that pauses until the pipe takes no more, over and over."""
    reading, writing = ends
    while len(found) < size:
        while select.select([], [writing], [], 0)[1] and len(found) + waiting(reading) < size:
            select.select([], [], [], 0.001)
        found += os.read(reading, 65536)


def waiting(reading: int) -> int:
    answer = fcntl.ioctl(reading, termios.FIONREAD, b"\0" * 4)
    return int(struct.unpack("i", answer)[0])


def test_a_sink_that_does_not_block_loses_nothing(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    found = bytearray()
    reader = threading.Thread(target=read_once_full, args=(pipe, 500_000, found), daemon=True)
    reader.start()
    # Each number takes its whole line, so that what is lost or doubled is seen.
    with open(pipe[1], "wb", closefd=False) as sink:
        outcome = launch(["seq", "-f", "%09.0f", "50000"], stdout=sink)
    assert outcome.ok
    assert outcome.unwritten == ""
    reader.join(60)
    assert bytes(found) == b"".join(b"%09d\n" % number for number in range(1, 50_001))


def test_output_that_cannot_be_written_ends_no_program_but_is_an_error(tmp_path: Path) -> None:
    done = tmp_path / "done"
    script = f"seq 100000 && touch {done}"
    with FULL.open("wb") as sink, pytest.raises(EnvironmentUnusable, match="No space left"):
        launch(["sh", "-c", script], stdout=sink)
    assert done.exists()


def test_a_failure_of_the_program_is_told_before_that_of_its_output() -> None:
    with FULL.open("wb") as sink:
        outcome = launch(["sh", "-c", "echo o; exit 7"], stdout=sink)
    with pytest.raises(ApplicationFailed, match=r"exit code 7; a part of its output .*No space"):
        require_success("./program", outcome, None)
