"""What launches that follow each other read from standard input."""

import os
import subprocess
import sys
from pathlib import Path

from launched import start_python

TWICE = """
import sys
from stretto.launch import same_input
same_input.SILENT_S, same_input.MOST_S, same_input.MOST_BYTES = 0.05, 1, 1000
from stretto.errors import StrettoError
from stretto.launch.process import launch
try:
    with same_input.same_input() as given:
        for _ in range(2):
            launch(["cat"], stdin=given.for_a_launch())
        print("digest" if given.digest else "no digest", given.is_silent)
except StrettoError as error:
    print(error)
"""


def launched_twice(**options: object) -> str:
    process = start_python(TWICE, stdout=subprocess.PIPE, **options)
    with process:
        assert process.stdout is not None
        return process.stdout.read()


def test_a_pipe_is_read_once_for_all() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb") as sink:
        sink.write(b"2000\n")
    with os.fdopen(read, "rb") as source:
        assert launched_twice(stdin=source) == "2000\n2000\ndigest False\n"


def test_a_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("head\nrest\n")
    with (tmp_path / "input").open("rb", buffering=0) as file:
        file.read(5)
        assert launched_twice(stdin=file) == "rest\nrest\ndigest False\n"


def test_nothing_stays_nothing() -> None:
    assert launched_twice(stdin=subprocess.DEVNULL) == "no digest False\n"


def test_a_terminal_is_nothing() -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "wb"), os.fdopen(theirs, "rb") as terminal:
        assert launched_twice(stdin=terminal) == "no digest False\n"


def test_a_pipe_in_which_nothing_comes_is_nothing() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb"):
        assert launched_twice(stdin=source) == "no digest True\n"


def test_a_pipe_that_goes_on_is_refused() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb", buffering=0) as sink:
        sink.write(b"1")
        assert "did not end within" in launched_twice(stdin=source)


def test_a_pipe_that_is_too_long_is_refused() -> None:
    with Path("/dev/zero").open("rb") as zeros:
        assert "is a pipe of more than" in launched_twice(stdin=zeros)


def test_both_sides_of_a_comparison_read_the_same(house: Path) -> None:
    (house / "app").write_text("#!/bin/sh\nread n; echo checksum $n; echo time 1 s\n")
    (house / "input").write_text("2000\n")
    code = "from stretto.cli.main import main; main()"
    with (house / "input").open("rb") as file:
        command = [sys.executable, "-c", code, "compare", "--runs", "1", "./app"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run(
            command, stdin=file, env=environment, capture_output=True, text=True, check=False
        )
    assert "same answers: checksum 2000 in all 2 launches" in ended.stdout, ended.stderr
