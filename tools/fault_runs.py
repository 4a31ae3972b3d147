"""Every verb of `stretto` where the system refuses something: disks that are full or read-only,
folders that are another's, outputs that are closed, inputs that are cut off, odd locales.

What ended otherwise than docs/cli.md says is printed; exit code 3 where anything is. Example:
make fuzz-cli, or

    .venv/bin/python tools/fault_runs.py --verb compare --fault full
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import cli_material
from cli_ends import Ended, what_is_wrong
from cli_material import STAND_IN, STRETTO

from stretto.errors import StrettoError
from stretto.launch.cores import usable_cores

HANGS_AFTER_S = 240
_PROGRAM = "{made}/app 8 2"
_RUNS = ("compare", "profile", "whatif", "replay", "calibrate", "simulate")
_READS_RUNS = " ".join(f"{{made}}/runs/{each}" for each in _RUNS)
_TWO_WORDS = ("bench", "schedule")  # begin the names of several verbs
_BENCH = "{made}/runs/bench"
_TABLES = "--export-csv new.csv --export-markdown new.md"


@dataclass(frozen=True)
class Command:
    """A command line of a verb that is worked in an empty folder."""

    words: str
    reads: bool = False  # what the verbs have made
    writes: bool = False  # into the folder
    prints: bool = True  # to standard output
    launches: bool = False
    reads_parts: bool = False  # what is left of a file that was cut off is read

    def line(self, made: Path, launcher: Path | None) -> list[str]:
        """Its words, with that launcher of the program if any."""
        words = self.words.split()
        verb = [words.pop(0) for _ in range(2 if words[0] in _TWO_WORDS else 1)]
        named = ["--launcher", str(launcher)] if launcher and self.launches else []
        return [*verb, *named, *(word.format(made=made) for word in words)]


_LAUNCHES = {"launches": True}
COMMANDS = {
    "run": Command(f"run {_PROGRAM}", **_LAUNCHES),
    "compare": Command(f"compare --runs 1 {_TABLES} {_PROGRAM}", writes=True, **_LAUNCHES),
    "compare --output": Command(
        f"compare --runs 1 --output new --json {_PROGRAM}", writes=True, **_LAUNCHES
    ),
    "profile": Command(f"profile --trace {_TABLES} {_PROGRAM}", writes=True, **_LAUNCHES),
    "whatif": Command(
        f"whatif --runs 1 --machine {{made}}/laptop.toml {_TABLES} {_PROGRAM}",
        writes=True, reads=True, **_LAUNCHES,
    ),
    "calibrate": Command(
        f"calibrate -o new.toml --run-folder new {_TABLES} {_PROGRAM}", writes=True, **_LAUNCHES
    ),
    "export": Command("export {made}/tuned.toml --to mpich -o new.json", True, True, prints=False),
    "replay": Command(f"replay {{made}}/app.trace --output new {_TABLES}", True, True),
    "report": Command(f"report {_READS_RUNS} -o new.html", True, True, prints=False),
    "simulate": Command(
        f"simulate allreduce -n 8 --output new --plot new.svg {_TABLES} "
        "--machine {made}/machine.toml",
        True, True,
    ),
    "explain": Command(
        "explain allreduce --machine {made}/machine.toml --rules {made}/tuned.toml", True
    ),
    "info": Command(f"info {_TABLES}", writes=True),
    "bench show": Command(f"bench show {_BENCH} {_TABLES}", True, True),
    "bench compare": Command(f"bench compare {_BENCH} {_BENCH} {_TABLES}", True, True),
    "bench check": Command(f"bench check {_BENCH} {_BENCH}", True),
    "bench history": Command("bench history {made}/runs -o new.html", True, True, prints=False),
    "bench guidelines": Command(f"bench guidelines {_BENCH} {_TABLES}", True, True),
    "bench model": Command(
        f"bench model {_BENCH} --machine {{made}}/machine.toml {_TABLES}", True, True
    ),
    "bench plans": Command("bench plans"),
    "bench show cliffs": Command(f"bench show {{made}}/runs/cliffs {_TABLES}", True, True),
    "bench show calls": Command(f"bench show {{made}}/runs/calls {_TABLES}", True, True),
    "bench import": Command(
        f"bench import {{made}}/osu.txt {_TABLES}", True, True, reads_parts=True
    ),
    "schedule list": Command(f"schedule list {_TABLES}", writes=True),
    "schedule show": Command("schedule show bcast --algorithm binomial --svg new.svg", writes=True),
    "schedule verify": Command("schedule verify bcast --max-ranks 3"),
}  # fmt: skip
# It measures, and a launcher that stands in has no times for it.
REAL_COMMANDS = {
    "tune": Command(
        "tune -n 2 --sizes 8 --collectives bcast --rounds 1 --launches 1 -o new.toml "
        f"--export-csv new.csv {_PROGRAM}",
        writes=True, **_LAUNCHES,
    ),
    "bench run": Command(
        "bench run bcast --sizes 8 --launches 1 -o new --export-csv new.csv", writes=True,
        **_LAUNCHES,
    ),
    "bench cliffs": Command(
        "bench cliffs bcast --sizes 8:32 --launches 4 --no-probes -o new --export-csv new.csv",
        writes=True, **_LAUNCHES,
    ),
    "bench calls": Command(
        "bench calls barrier --launches 1 -o new --export-csv new.csv", writes=True, **_LAUNCHES,
    ),
    "whatif --record": Command(
        f"whatif --runs 1 --machine {{made}}/laptop.toml --record new.trace {_PROGRAM}",
        writes=True, reads=True, **_LAUNCHES,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What is refused, and how a command may end."""

    ends: Callable[[Command], Sequence[int]]
    before: str = ""  # for a shell in the folder, which then becomes the command
    mounts: bool = False
    env: dict[str, str] = field(default_factory=dict)
    stdout: str = "pipe"  # or broken
    spoils: Callable[[bytes], bytes] | None = None  # each file that the verbs have made
    is_silent: bool = False  # standard error cannot be written
    drops_rights: bool = False  # root is refused what others are
    stops_mpis: bool = False  # no rank starts, with or without Stretto


def _cut_off(whole: bytes) -> bytes:
    """Half of it or less: TOML is cut in a line, as with whole ones it would be right."""
    half = whole[: len(whole) // 2]
    return half[: half.rfind(b"=") + 1] or half


def _writers_fail(command: Command) -> Sequence[int]:
    return (5,) if command.writes else (0,)


def _writers_fail_or_all(command: Command) -> Sequence[int]:
    return (5,) if command.writes else (0, 5)  # a temporary file is one, too


def _launchers_may_fail(command: Command) -> Sequence[int]:
    return (0, 4) if command.launches else (0,)


def _readers_fail(command: Command) -> Sequence[int]:
    failed = (2, 4, 5) if command.reads else (0,)
    return (0, *failed) if command.reads_parts else failed


def _well(_: Command) -> Sequence[int]:
    return (0,)


def _said(command: Command) -> Sequence[int]:
    return (5,) if command.prints else (0, 5)


def _any(_: Command) -> Sequence[int]:
    return (0, 2, 4, 5)


_DISK = 'mount -t tmpfs -o size={size} none "$PWD" && cd "$PWD"'
_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
FAULTS = {
    "full": Fault(
        _writers_fail, f"{_DISK.format(size='4k')}; {{ cat /dev/zero >rest; }} 2>/dev/null", True
    ),
    "nearly full": Fault(_any, _DISK.format(size="24k"), True),
    "read-only": Fault(_writers_fail, f"{_DISK.format(size='4k')}; mount -o remount,ro .", True),
    "no permission": Fault(_writers_fail, "chmod 555 .", drops_rights=True),
    "no file may have bytes": Fault(_writers_fail_or_all, "ulimit -f 0", stops_mpis=True),
    "files may have 4 KiB": Fault(_any, "ulimit -f 8"),
    "few files may be open": Fault(_any, "ulimit -n 24"),
    "no temporary files": Fault(
        _any,
        f"{_DISK.format(size='4k')}; cat /dev/zero >rest 2>/dev/null; export TMPDIR=$PWD; cd ..",
        True,
    ),
    "the folder is gone": Fault(_any, 'rmdir "$PWD"'),
    "full output": Fault(_said, "exec >/dev/full"),
    "closed output": Fault(_well, "exec >&-"),
    "output that nobody reads": Fault(_launchers_may_fail, stdout="broken"),
    "full error output": Fault(_any, "exec 2>/dev/full", is_silent=True),
    "closed error output": Fault(_well, "exec 2>&-", is_silent=True),
    "ASCII": Fault(_well, env=_ASCII),
    "ISO-8859-1": Fault(_well, env={"PYTHONIOENCODING": "iso-8859-1"}),
    "unknown locale": Fault(_well, env={"LC_ALL": "nonsense", "LANG": "nonsense", "TERM": "none"}),
    "narrow": Fault(_well, env={"COLUMNS": "12"}),
    "inputs cut off": Fault(_readers_fail, spoils=_cut_off),
    "inputs emptied": Fault(_readers_fail, spoils=lambda _: b""),
    "inputs of bytes": Fault(_readers_fail, spoils=lambda _: bytes(range(256))),
}  # fmt: skip


def may_mount() -> bool:
    """Whether a folder of ours may be a disk of ours: root's, and not everywhere."""
    words = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def spoilt(made: Path, fault: Fault, folder: Path) -> Path:
    """The material as the fault has it: itself, or a copy whose files are spoilt."""
    if fault.spoils is None:
        return made
    copy = folder / "spoilt"
    shutil.copytree(made, copy, symlinks=True)
    for path in [*copy.glob("*.t*"), *(copy / "runs").rglob("*")]:
        if path.is_file() and path.name != "laptop.toml":
            path.write_bytes(fault.spoils(path.read_bytes()))
    (copy / "laptop.toml").write_bytes(fault.spoils((made / "laptop.toml").read_bytes()))
    return copy


def run(command: Command, fault: Fault, made: Path, *, stand_in: bool) -> Ended:
    """Run it with the fault, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="stretto-fault-") as scratch:
        folder = Path(scratch) / "here"
        folder.mkdir()
        inputs = spoilt(made, fault, Path(scratch))
        words = [*STRETTO, *command.line(inputs, made / STAND_IN if stand_in else None)]
        around = ["unshare", "-m"] if fault.mounts else []
        if fault.drops_rights and os.geteuid() == 0:
            around = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        shell = ["sh", "-c", f'{fault.before or ":"}; exec "$@"', "sh"]
        reader, writer = os.pipe()
        if fault.stdout == "broken":
            os.close(reader)
        process = subprocess.Popen(
            [*around, *shell, *words], cwd=folder, env=cli_material.environment() | fault.env,
            stdin=subprocess.DEVNULL,
            stdout=writer if fault.stdout == "broken" else subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        os.close(writer)
        if fault.stdout != "broken":
            os.close(reader)
        try:
            out, err = process.communicate(timeout=HANGS_AFTER_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            process.returncode = None  # type: ignore[assignment]
        return Ended(
            process.returncode, (out or b"").decode(errors="replace"), err.decode(errors="replace")
        )


def judged(command: Command, fault: Fault, ended: Ended, *, stand_in: bool) -> str | None:
    """What it did that docs/cli.md does not say; None where it did well."""
    # What is not written first is launched, and that fails.
    fails = fault.stops_mpis and command.launches and not command.writes and not stand_in
    ends = (4,) if fails else fault.ends(command)
    if why := what_is_wrong(ended, says_why=not fault.is_silent):
        return why
    if ended.code not in ends:
        return f"exit code {ended.code}, not {' or '.join(map(str, ends))}"
    return None


def cases(verb: str | None, name: str | None) -> Iterator[tuple[str, str]]:
    """Commands and faults by name."""
    for fault, it in FAULTS.items():
        if name in (None, fault) and not (it.mounts and not may_mount()):
            for each in COMMANDS | REAL_COMMANDS:
                if verb is None or each.startswith(verb):
                    yield each, fault


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--verb", help="only this one's command lines")
    parser.add_argument("--fault", choices=FAULTS, help="only this one")
    parser.add_argument("--stand-in", action="store_true", help="start no MPI but to prepare")
    parser.add_argument("--all", action="store_true", help="print all, and how they ended")
    chosen = parser.parse_args()
    commands = COMMANDS if chosen.stand_in else COMMANDS | REAL_COMMANDS
    wrong = done = 0
    with tempfile.TemporaryDirectory(prefix="stretto-faults-") as scratch:
        made = Path(scratch)
        cli_material.make_material(made)
        todo = [case for case in cases(chosen.verb, chosen.fault) if case[0] in commands]

        def ended_of(case: tuple[str, str]) -> Ended:
            command, fault = commands[case[0]], FAULTS[case[1]]
            return run(command, fault, made, stand_in=chosen.stand_in)

        with ThreadPoolExecutor(usable_cores()) as pool:
            for (verb, name), ended in zip(todo, pool.map(ended_of, todo), strict=True):
                why = judged(commands[verb], FAULTS[name], ended, stand_in=chosen.stand_in)
                done += 1
                wrong += why is not None
                if why or chosen.all:
                    said = ended.stderr.strip().rpartition("\n")[2]
                    print(
                        f"{verb}, {name}: {why or f'exit code {ended.code}'}\n  {said}", flush=True
                    )
    print(f"{done} runs with faults: {wrong} did not do well")
    return 3 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"fault-runs: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
