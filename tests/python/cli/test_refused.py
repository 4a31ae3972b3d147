"""What a user's system refuses is one plain line and exit code 5: never a bug of ours."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stretto.cli.json_text import as_text
from stretto.cli.main import run_command

COMMAND = [sys.executable, "-c", "from stretto.cli.main import main; main()"]
FULL, READ_ONLY = "dd if=/dev/zero of=rest bs=4k status=none 2>/dev/null", "mount -o remount,ro ."

# What writes, and what it is asked to do in a folder where that cannot be.
VERBS = {
    "compare": ["compare", "--runs", "1", "{house}/app"],
    "profile": ["profile", "{house}/app"],
    "report": ["report", "{house}/run", "-o", "report.html"],
}


@pytest.fixture
def stocked(house: Path) -> Path:
    """The house with a run in it, and what `profile` preloads."""
    (house / "native" / "lib" / "libstretto-profile-openmpi.so").touch()
    assert run_command(["compare", "--runs", "1", "--output", "run", "./app"]) == 0
    return house


def ran(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """A process of its own that ran the command."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(words, env=env, stderr=subprocess.PIPE, text=True, check=False, **options)


def complaint(ended: subprocess.CompletedProcess[str], verb: str) -> str:
    """Its only line of ours."""
    assert "Traceback" not in ended.stderr
    (line,) = [each for each in ended.stderr.splitlines() if each.startswith("stretto ")]
    assert line.startswith(f"stretto {verb}: ")
    assert ended.returncode == 5, line
    return line


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("does", "words"), [(FULL, "No space left on device"), (READ_ONLY, "Read-only file system")]
)
def test_a_disk_that_takes_nothing(stocked: Path, verb: str, does: str, words: str) -> None:
    disk = stocked / "disk"
    disk.mkdir()
    mounted = f"mount -t tmpfs -o size=4k none {disk} && cd {disk}"
    if ran(["unshare", "-m", "sh", "-c", mounted]).returncode != 0:
        pytest.skip("only root may mount a small disk, and not everywhere")
    script = f'{mounted} && {{ {does}; exec "$@"; }}'
    asked = [word.format(house=stocked) for word in VERBS[verb]]
    ended = ran(["unshare", "-m", "sh", "-c", script, "sh", *COMMAND, *asked])
    assert words in complaint(ended, verb)


@pytest.mark.parametrize("verb", VERBS)
def test_a_limit_of_files(stocked: Path, verb: str) -> None:
    asked = [word.format(house=stocked) for word in VERBS[verb]]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert "File too large" in complaint(ran([*COMMAND, *asked], preexec_fn=limit), verb)


@pytest.mark.usefixtures("stocked")
def test_a_path_that_cannot_be() -> None:
    line = complaint(ran([*COMMAND, "report", "run", "-o", "app/report.html"]), "report")
    assert "app/report.html cannot be written" in line


def test_samples_that_are_cut_off(stocked: Path) -> None:
    samples = stocked / "run" / "samples.parquet"
    samples.write_bytes(samples.read_bytes()[:-100])
    line = complaint(ran([*COMMAND, "report", "run"]), "report")
    assert "samples.parquet cannot be read" in line


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("words", [["--version"], ["schedule", "list"]], ids=["print", "table"])
def test_standard_output(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = ran([*COMMAND, *words], stdout=full)
    assert ended.returncode == 5
    assert "standard output cannot be written: No space left on device" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    reader, writer = os.pipe()
    os.close(reader)
    ended = ran([*COMMAND, *words], stdout=writer)  # as of `| head`, which has seen enough
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.usefixtures("house")
def test_a_reader_that_has_seen_enough_of_much() -> None:
    code = (
        "from stretto.cli.standard_streams import take_any_output; take_any_output();"
        "[print('x' * 1000) for _ in range(1000)]; open('done', 'w')"
    )
    reader, writer = os.pipe()
    os.close(reader)
    ended = ran([sys.executable, "-c", code], stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert Path("done").exists()


@pytest.mark.parametrize(
    ("encoding", "printed"),
    [
        ("ascii", b"1 us \\u0142 \\U0001f600 \xe9\n"),
        ("iso-8859-1", b"1 \xb5s \\u0142 \\U0001f600 \xe9\n"),
        ("utf-8", "1 µs ł 😀 ".encode() + b"\xe9\n"),
        ("ascii:replace", b"1 ?s ? ? ?\n"),
    ],
)
def test_an_encoding_that_lacks_characters(encoding: str, printed: bytes) -> None:
    code = (
        "from stretto.cli.standard_streams import take_any_output; take_any_output();"
        r"print('1 \u00b5s \u0142 \U0001f600 \udce9')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": encoding}
    said = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True)
    assert said.stdout == printed


def test_json_is_ascii() -> None:
    text = as_text({"µ": "ł 😀"})
    assert text.isascii()
    assert json.loads(text) == {"µ": "ł 😀"}
