import fcntl
import os
import select
import struct
import subprocess
import sys
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


# Launches its arguments with the terminal that is its standard input as its own.
AT_TERMINAL = """
import fcntl, os, signal, sys, termios
from stretto.launch.process import launch
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
if sys.argv[1] == "background" and (child := os.fork()):
    _, status = os.waitpid(child, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        os.kill(child, signal.SIGKILL)
    sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 99)
if sys.argv[1] == "background":
    os.setpgid(0, 0)
for script in sys.argv[2:]:
    launch(["sh", "-c", script])
"""
END = b"\x04"  # as Ctrl-D types it


def at_terminal(where: str, typed: bytes, *scripts: str) -> tuple[int, str]:
    """The exit code and output of launches at a terminal where that has been typed."""
    ours, theirs = os.openpty()
    try:
        os.write(ours, typed)
        answer = subprocess.run(
            [sys.executable, "-c", AT_TERMINAL, where, *scripts],
            stdin=theirs,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    finally:
        os.close(ours)
        os.close(theirs)
    return answer.returncode, answer.stdout


# Reads no terminal, as Open MPI's mpirun, which is in no foreground here.
READER = "if [ -t 0 ]; then echo a terminal; else cat; fi"


def test_what_is_typed_is_passed_on_with_its_end() -> None:
    assert at_terminal("foreground", b"one\ntwo\n" + END, READER) == (0, "one\ntwo\n")


def test_a_launch_that_is_over_reads_nothing_more() -> None:
    # The first does not see what is typed once it is over, as the second, which asks for it, does.
    typed = "head -n 1; exec 0<&-"
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", AT_TERMINAL, "foreground", typed, f"echo next; {typed}"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as owner:
        assert owner.stdout is not None
        os.write(ours, b"one\n")
        assert [owner.stdout.readline() for _ in range(2)] == [b"one\n", b"next\n"]
        os.write(ours, b"two\n")
        assert owner.stdout.readline() == b"two\n"
    os.close(ours)
    os.close(theirs)


def test_a_launch_in_the_background_is_not_stopped_by_what_is_typed() -> None:
    code, said = at_terminal("background", b"for the shell\n", "sleep 1; echo done")
    assert (code, said) == (0, "done\n")


@pytest.mark.parametrize("kind", ["file", "pipe", "null"])
def test_other_input_is_handed_down_as_it_is(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").touch()
    with (
        (tmp_path / "file").open("rb") as file,
        Path(os.devnull).open("rb") as null,
        subprocess.Popen(["true"], stdout=subprocess.PIPE) as true,
    ):
        given = {"file": file, "pipe": true.stdout, "null": null}[kind]
        assert given is not None
        name = Path(f"/proc/self/fd/{given.fileno()}").readlink()
        script = (
            "from stretto.launch.process import launch; launch(['readlink', '/proc/self/fd/0'])"
        )
        answer = subprocess.run(
            [sys.executable, "-c", script],
            stdin=given,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    assert answer.stdout == f"{name}\n"
