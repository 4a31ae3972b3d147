"""Command lines that nobody would write: does any end as "a bug of ours", or otherwise than said?

Each of --lines is run in its own copy of a folder with a program and what the verbs made of it,
some of that damaged before. It shall end with an exit code that docs/cli.md has, with a line that
says why where that is 2, 4 or 5, and without a traceback. Exit code 3 where one does not; then each
is printed with the command that runs it again. Example: make fuzz-cli, or

    .venv/bin/python tools/fuzz_cli.py --seed 7 --first 1204 --lines 1
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cli_material
from cli_ends import Ended, what_is_wrong
from fuzz_lines import LOCALES, Line, Lines

from stretto.cli import consoles
from stretto.cli.main import main as run_stretto
from stretto.errors import StrettoError
from stretto.launch.cores import usable_cores
from stretto.report import scaling

HANGS_AFTER_S = 60.0
PRELOADED = (scaling,)  # verbs import it where they need it, and each child would anew
MOST_SAID = 3000
MOST_MEMORY = 8 << 30  # what asks for more shall be refused it, not the machine
_AGAIN = ".venv/bin/python tools/fuzz_cli.py"
_IN_A_PROCESS = 12  # of so many lines one has a process and a locale of its own
_WEIRD = ("0", "-1", "1e308", "18446744073709551616", '"x"', "null", "[]")
_NUMBER = re.compile(rb"-?\d+(\.\d+)?(e[+-]?\d+)?")


def damage(folder: Path, line: Line) -> None:
    """Spoil the file, or one in the folder, as the line says."""
    assert line.damage is not None
    how, where = line.damage
    draw = random.Random(line.number)
    path = folder / where
    if path.is_dir():
        path = draw.choice(sorted(each for each in path.rglob("*") if each.is_file()) or [path])
    whole = path.read_bytes() if path.is_file() else b""
    if how in ("folder", "dangling"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.mkdir() if how == "folder" else path.symlink_to("nowhere")
    elif path.is_file():
        path.write_bytes(_spoilt(how, whole, draw, folder))


def _spoilt(how: str, whole: bytes, draw: random.Random, folder: Path) -> bytes:
    if how == "cut":
        return whole[: draw.randrange(len(whole) + 1)]
    if how == "emptied":
        return b""
    if how == "garbage":
        return bytes(draw.randrange(256) for _ in range(draw.choice((1, 8, 5000))))
    if how == "flipped":
        flipped = bytearray(whole)
        for _ in range(draw.choice((1, 1, 8)) if whole else 0):
            flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        return bytes(flipped)
    if how == "other":
        return (
            folder / draw.choice(("laptop.toml", "made.html", "runs/replay/answer.json"))
        ).read_bytes()
    numbers = [*_NUMBER.finditer(whole)]
    if not numbers:
        return whole
    it = draw.choice(numbers)
    return whole[: it.start()] + draw.choice(_WEIRD).encode() + whole[it.end() :]


def child(line: Line, folder: Path, env: dict[str, str]) -> None:
    """Be the process that runs it, in a copy of this one: nothing is imported anew."""
    os.setsid()
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.environ.clear()
    os.environ.update(env)
    for number, name in ((0, os.devnull), (1, "../stdout"), (2, "../stderr")):
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        file = os.open("/dev/full" if (number, line.stdout) == (1, "full") else name, flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            encoding=line.encoding,
            errors="backslashreplace" if number == 2 else "strict",
            line_buffering=number == 2,
        )
        for number in (1, 2)
    )
    if line.stdout == "closed":
        os.close(1)
        sys.stdout = None  # type: ignore[assignment] - as the interpreter has it then
    sys.argv = ["stretto", *line.words]
    faulthandler.dump_traceback_later(0.9 * HANGS_AFTER_S, file=2)
    code = 1
    try:
        # They have read an environment as they were made, which is not the line's.
        consoles.out.__init__(highlight=False)  # type: ignore[misc]
        consoles.err.__init__(stderr=True, highlight=False)  # type: ignore[misc]
        run_stretto()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - as the interpreter does
        with contextlib.suppress(OSError):
            traceback.print_exc()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except OSError:
        code = 120  # as the interpreter does
    os._exit(code)


def run(line: Line, made: Path, env: dict[str, str], folder: Path) -> Ended:
    """Run it in a copy of what was made, which goes thereafter."""
    house = folder / "house"
    shutil.copytree(made, house, symlinks=True)
    if line.damage:
        damage(house, line)
    for name in ("stdout", "stderr"):
        (folder / name).touch()
    env = env | line.env
    sys.stdout.flush()
    if line.number % _IN_A_PROCESS == 0:
        pid = started(line, house, env)
    elif (pid := os.fork()) == 0:
        child(line, house, env)
    code = _code(pid)
    said = [(folder / name).read_text(_encoding(line), "replace") for name in ("stdout", "stderr")]
    with contextlib.suppress(OSError):  # what it has left behind
        os.killpg(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    return Ended(code, *said)


def started(line: Line, house: Path, env: dict[str, str]) -> int:
    """Run it in a process of its own, whose locale is another; its id."""
    locale = LOCALES[line.number // _IN_A_PROCESS % len(LOCALES)]
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if locale in ("C", "POSIX") else {}
    env = env | {"LC_ALL": locale, "PYTHONIOENCODING": line.encoding} | plain
    to = "/dev/full" if line.stdout == "full" else house.parent / "stdout"
    with Path(to).open("wb") as out, (house.parent / "stderr").open("wb") as err:
        shell = ["sh", "-c", 'exec "$@" >&-', "sh"] if line.stdout == "closed" else []
        words = [*shell, *cli_material.STRETTO, *(os.fsencode(word) for word in line.words)]
        return subprocess.Popen(
            words, cwd=house, env={os.fsencode(n): os.fsencode(v) for n, v in env.items()},
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
        ).pid  # fmt: skip


def _encoding(line: Line) -> str:
    return "utf-8" if line.encoding == "ascii" else line.encoding


def _code(pid: int) -> int | None:
    """How the process ended; None where it had to be killed."""
    pause_s = 0.005
    for _ in range(round(HANGS_AFTER_S / pause_s)):  # which a stopped process does not go on with
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause_s)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def work(lines: list[Line], made: Path, env: dict[str, str], folder: Path, answers: Path) -> None:
    """Run these one after the other, and write down how each ended."""
    folder.mkdir()
    with answers.open("w") as file:
        for line in lines:
            ended = run(line, made, env, folder)
            wrong = what_is_wrong(ended, says_why=line.stdout == "file")
            said = ended.stderr.strip()
            said = said if ended.code is None else said.rpartition("\n")[2]
            print(json.dumps([line.number, ended.code, wrong, said]), file=file, flush=True)


def in_workers(
    lines: list[Line], made: Path, jobs: int, scratch: Path
) -> Iterator[tuple[int, int | None, str | None, str]]:
    """Of each line its number, exit code, what is wrong with it, and its last words."""
    env = cli_material.environment()
    workers = []
    for job in range(jobs):
        pid = os.fork()
        if pid == 0:
            try:
                work(lines[job::jobs], made, env, scratch / str(job), scratch / f"{job}.answers")
            except BaseException:  # noqa: BLE001 - this is the end of the process
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        workers.append(pid)
    failed = [pid for pid in workers if os.waitpid(pid, 0)[1] != 0]
    for job in range(jobs):
        for text in (scratch / f"{job}.answers").read_text().splitlines():
            yield tuple(json.loads(text))
    if failed:
        raise StrettoError("a worker of fuzz_cli failed")


def fuzz(seed: int, first: int, count: int, jobs: int, scratch: Path, *, every: bool) -> int:
    """Run so many lines, and print those that did not do well; how many these were."""
    began = time.monotonic()
    made = scratch / "made"
    made.mkdir()
    cli_material.make_material(made)
    source = Lines(seed)
    lines = {number: source.line(number) for number in range(first, first + count)}
    codes: Counter[int | None] = Counter()
    wrong = 0
    for number, code, why, said in in_workers([*lines.values()], made, jobs, scratch):
        codes[code] += 1
        if why or every:
            wrong += why is not None
            print(f"{number}: {why or f'exit code {code}'}\n  {lines[number].command()}")
            print(
                f"  {said[:MOST_SAID]}\n  again: {_AGAIN} --seed {seed} --first {number} --lines 1"
            )
    ends = ", ".join(f"{n:,} with {code}" for code, n in sorted(codes.items(), key=str))
    print(
        f"{count:,} command lines of seed {seed} in {time.monotonic() - began:.0f} s: "
        f"{wrong} did not do well; exit codes: {ends}"
    )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first line")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=usable_cores(), help="so many at a time")
    parser.add_argument("--all", action="store_true", help="print every line and how it ended")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stretto-fuzz-") as scratch:
        jobs = max(1, min(chosen.jobs, chosen.lines))
        asked = (chosen.seed, chosen.first, chosen.lines, jobs, Path(scratch))
        return 3 if fuzz(*asked, every=chosen.all) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"fuzz-cli: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
