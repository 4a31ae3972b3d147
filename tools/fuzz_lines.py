"""Command lines of `stretto` that nobody would write, of every verb and option: tools/fuzz_cli.py.

A line is made of its seed and number alone. Most of its words are right, as what is refused at its
first word reaches nothing.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer
from cli_material import STAND_IN

from stretto.cli.main import application
from stretto.cli.verbs import VERBS

FILES = (
    "app", "empty", "folder", "garbage", "script", "theirs.html", "made.html", "laptop.toml",
    "machine.toml", "tuned.toml", "app.trace",
    "runs/compare", "runs/profile", "runs/whatif", "runs/calibrate", "runs/replay", "runs/simulate",
    "runs/bench", "runs/once", "plan.toml", "osu.txt",
)  # fmt: skip

# Of any option; none that a shell or a launcher would do harm with.
WRONG = (
    "", " ", "\n", "\t", "-", "--", "---", ":", ",", "=", "a=b", "x", "-1", "0", "1", "1,2", "1.5",
    "1e9", "1e400", "nan", "inf", "-inf", "0x10", "٣", "½", "²", "é", "日本", "\x1b[31m", "\u202e",
    "[bold]", "[/red]", "{}", "%s", "%n", "~", "*", "?", "'", '"', "\\", "\udcff\udcfe", "a\udce9",
    "9" * 25, "9" * 5000, "a" * 300, "a" * 5000, "18446744073709551616", "16777217", "-0", "+1",
    "None", "null", "true", "..", "folder", "folder/", "empty", "garbage", "missing",
    "missing/deeper", "empty/below", "runs", "/dev/null", "/dev/full", "/proc/self/mem", "/proc",
)  # fmt: skip

COLLECTIVES = ("allreduce", "bcast", "barrier", "alltoall", "scan", "gather", "exscan")
_SIZES = ("8", "0", "64", "1K", "4KiB", "64K")
_TIMES = ("500ns", "2.5us", "1ms")
_OUTPUTS = ("new", "missing/new", "runs/compare", "runs/whatif", "folder", "new.svg", "new.html")
_SCENARIOS = (
    "a:collectives=0", "a:allreduce=0.5x", "a:messages=0", "a:cpu=1.5x,overlap=perfect",
    "a:algorithm.allreduce=ring", "a:network.latency=2us,network.bandwidth=100Gbit", "a:ppn=1",
    "a:machine=laptop.toml", "a:hosts=2", "sim:cpu=1x", "a:cpu=0x", "a:cpu=-1x", "a:cpu=1e400x",
    "a:network.latency=0ns", "a:network.bandwidth=0bit", "a:hosts=0", "a:ppn=99999999999999999999",
    "a:machine=garbage", "a:machine=folder", "a:allreduce=nanx", "a:,", ":", "a", "a:b", "a:b=",
    "é:cpu=2x",
)  # fmt: skip

RUNS = tuple(name for name in FILES if name.startswith("runs/"))

# By option; of what is not here words are made up from its type.
RIGHT: dict[str, Sequence[str]] = {
    "--ranks": ("1", "2", "2"),
    "--runs": ("1", "2"),
    "--warmup": ("0", "1"),
    "--timeout": ("5", "20", "0.001"),
    "--algorithm": (
        "allreduce=ring",
        "bcast=native",
        "allreduce=leaders",
        "ring",
        "all",
        "binomial",
    ),
    "--rules": ("tuned.toml",),
    "--prepare": ("true", "false", "exit 3", "echo é", "kill -9 $$", "(", "touch prepared"),
    "--launcher-args": ("", "--no-such-option", "'", "-genv A 1"),
    "--launcher": ("/bin/true", "/bin/false", "./script", "folder", "missing", "mpirun", "empty"),
    "--rig": ("2x1@", "0x1@1gbit", "2x0@1gbit", "2x1@0gbit", "999x999@1gbit", "2x1@1gbit,pin,pin"),
    "--report": ("new.html", "made.html", "theirs.html", "folder", "missing/new.html"),
    "--output": _OUTPUTS,
    "--run-folder": _OUTPUTS,
    "--export-csv": ("new.csv", "folder", "missing/new.csv", "/dev/full", "empty"),
    "--export-markdown": ("new.md", "folder", "missing/new.md", "/dev/full", "empty"),
    "--name": ("a", "é", "../up", "a/b", "/", ".", "a" * 300, "[/red]", "\udcff"),
    "--time-pattern": (r"time (\S+)", "time", "(", r"(t)(i)", "", r"(?P<x>\d+)", "(é)"),
    "--checksum-pattern": (r"checksum (\S+)", "(", "", "(time)", r"(\S*)"),
    "--tolerance": ("0", "1e-12", "1", "1e300"),
    "--scenario": _SCENARIOS,
    "--show": ("sim", "a", "zero", "no communication"),
    "--machine": ("laptop.toml", "machine.toml", "cluster-2006", "dragonfly", "loggopsim"),
    "--record": ("new.trace", "app.trace", "folder", "missing/new.trace", "/dev/full"),
    "--trace-calls": ("1", "100"),
    "--sizes": ("8", "8,64", "1K"),
    "--collectives": ("bcast", "barrier,bcast"),
    "--patterns": ("none", "last:1ms", "random:2us", "none,last:0ns", "last:1e9s"),
    "--from-profile": ("runs/profile", "runs/compare", "missing"),
    "--rounds": ("1", "2"),
    "--launches": ("1",),
    "--to": ("openmpi", "openmpi-han", "openmpi6", "impi", "impi-adjust", "mpich", "mpich-ch4"),
    "--scale": ("1x", "2x", "2", "3x", "64x", "0x", "9999999x"),
    "--ppn": ("1", "2", "7"),
    "--hosts": ("1", "2", "7"),
    "--scaling": ("weak", "strong"),
    "--bytes": _SIZES,
    "--segment": _SIZES,
    "--element-bytes": ("1", "4", "8", "7"),
    "--radix": ("2", "3", "64"),
    "--arrivals": ("last:1ms", "random:2us", "linear:0ns", "nobody:1us", "last:1e9s"),
    "--noise": ("10ms:25us", "1ms:1ms", "1us:2us", "0ns:0ns"),
    "--seed": ("1", "0"),
    "--plot": ("new.svg", "new.png", "new.pdf", "new.txt", "folder/new.svg", "missing/new.svg"),
    "--path": ("any", "events", "rounds"),
    "--svg": ("new.svg", "folder", "missing/new.svg", "/dev/full"),
    "--rank": ("0", "1"),
    "--layout": ("host=1", "host=2", "host=2,socket=1", "host=0", "socket=99999999999999999999"),
    "--placement": ("in-order", "round-robin", "shuffled", "nobody"),
    "--max-ranks": ("1", "3", "5"),
    "--length": _SIZES,
    "--impl": (
        "native",
        "native,stretto",
        "stretto:bcast=ring",
        "native:KNOB=1",
        "native,native#2",
    ),
    "--sync": ("none", "barrier", "round-time", "window", "nobody"),
    "--buffers": ("same", "rewritten", "unique", "cold", "hot"),
    "--plan": ("quick", "osu", "plan.toml", "nobody", "laptop.toml"),
    "--late": ("none", "0:1ms", "each:1ms", "runs/profile", "osu.txt"),
    "--from-bench": ("runs/bench", "runs/compare", "missing"),
    "--like": ("app", "script", "missing"),
    "--width": ("0.5", "-1", "0", "1"),
    "--most-launches": ("1", "2"),
    "--compute": ("0", "100us", "1x", "0,1x"),
    "--tests": ("0", "10", "0,10"),
    "--after": ("0", "100us"),
    "--delay": ("1ms", "0", "-1ms"),
    "--skew": ("50us", "0"),
    "--root": ("0", "1", "all", "rotate"),
    "--comm": ("world", "half", "every-second", "nobody"),
    "--counts": ("osu.txt", "missing"),
    "--datatype": ("byte", "int", "double", "nothing"),
    "--op": ("sum", "max", "band"),
    "--least": ("0.1", "0", "1x"),
    "--last": ("1", "2"),
    "--cell-timeout": ("5",),
    "--within": ("64", "1"),
    "--plots": ("new", "folder", "missing/new", "/dev/full"),
}

# Verbs that launch a program of ours.
_MEASURING = ("bench run", "bench cliffs", "bench calls", "bench repeat")
_ONE_CELL = ("--sizes", "8", "--launches", "1")
# Before the options that are drawn: what keeps a line short. A later one of the same name counts.
_BASE = {
    "bench run": _ONE_CELL,
    # With fewer launches nothing can be distinguished from noise.
    "bench cliffs": ("--sizes", "8", "--launches", "4", "--no-probes"),
    "bench calls": ("--sizes", "8", "--launches", "2"),
    "run": ("--timeout", "20"),
    "compare": ("--timeout", "20", "--runs", "1"),
    "profile": ("--timeout", "20"),
    "whatif": ("--timeout", "20", "--runs", "1", "--machine", "laptop.toml"),
    "calibrate": ("--timeout", "20"),
    "tune": (
        *("--timeout", "20", "--sizes", "8", "--collectives", "bcast"),
        *("--rounds", "1", "--launches", "1"),
    ),
    "simulate": ("-n", "8"),
    "schedule show": ("-n", "4"),
    "schedule verify": ("--max-ranks", "3"),
}
# So many runs of stretto bench they take.
_OF_BENCH_RUNS = {
    "bench show": 1, "bench model": 1, "bench compare": 2, "bench check": 2, "bench guidelines": 1,
}  # fmt: skip
_PROGRAMS = (
    "app", "empty", "folder", "garbage", "script", "missing", "./app\udcff", "", "/bin/true", "-c",
    "runs/compare", "app.trace", "laptop.toml", "a" * 5000, ":", "./app/below",
)  # fmt: skip
_PROGRAM_ARGUMENTS = ("8", "2", "1", "-1", "x", "", "é", ":", "\udcff", "--help")

_ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {},
    {"COLUMNS": "1"}, {"COLUMNS": "20"}, {"COLUMNS": "0"}, {"COLUMNS": "x"}, {"COLUMNS": "99999"},
    {"TERM": "dumb"}, {"FORCE_COLOR": "1"}, {"NO_COLOR": ""}, {"TMPDIR": "missing"}, {"HOME": ""},
    {"PATH": ""}, {"STRETTO_NATIVE_DIR": "folder"}, {"STRETTO_NATIVE_DIR": "missing"},
    {"STRETTO_CALIBRATE_PERCENT": "x"}, {"STRETTO_NONSENSE": "\udcff"},
    {"LD_PRELOAD": "missing.so"}, {"SLURM_JOB_ID": "1"}, {"STRETTO_SELECTION": "nonsense"},
    {"STRETTO_DEATH_SECONDS": "x"},
)  # fmt: skip
ENCODINGS = ("utf-8", "ascii", "iso-8859-1", "cp1252", "koi8-r")
LOCALES = ("C", "C.UTF-8", "POSIX", "de_DE.ISO-8859-1", "nonsense", "")
_DAMAGES = ("cut", "emptied", "garbage", "flipped", "other", "folder", "dangling", "numbers")


@dataclass(frozen=True)
class Line:
    """A command line, what is around it, and which file is damaged before."""

    number: int
    words: tuple[str, ...]
    env: dict[str, str]
    encoding: str  # of standard output and error
    stdout: str  # file, full, closed
    damage: tuple[str, str] | None = None  # how, and a part of the path of the file

    def command(self) -> str:
        """As it would be typed, but for what is no character."""
        env = [f"{name}={shlex.quote(it)}" for name, it in self.env.items()]
        words = [shlex.quote(word if len(word) < 400 else f"{word[:20]}...") for word in self.words]
        after = {"full": [">/dev/full"], "closed": [">&-"]}.get(self.stdout, [])
        what = [f"PYTHONIOENCODING={self.encoding}", *env, "stretto", *words, *after]
        damaged = f"   # with {self.damage[1]} {self.damage[0]}" if self.damage else ""
        return (" ".join(what) + damaged).encode("ascii", "backslashreplace").decode()


def commands() -> dict[str, Any]:
    """Each verb's command, by its words: {"run": ..., "schedule show": ...}."""
    found = {}
    top = typer.main.get_command(application([]))
    for name in VERBS:
        verb = top.commands[name]  # type: ignore[attr-defined]
        below = getattr(verb, "commands", None)
        found |= {f"{name} {each}": it for each, it in below.items()} if below else {name: verb}
    return found


class Lines:
    """All lines of a seed."""

    def __init__(self, seed: int, real: float = 0.15) -> None:
        """`real`: the share of lines that launch by the MPI's own launcher, which takes seconds."""
        self.seed = seed
        self.real = real
        self.commands = commands()

    def line(self, number: int) -> Line:
        """The same each time."""
        draw = random.Random(f"{self.seed}:{number}")
        verb = [*self.commands][number % len(self.commands)]
        words = [*verb.split(), *self._options(draw, verb), *self._arguments(draw, verb)]
        if draw.random() < 0.05:
            words.insert(draw.randrange(len(words) + 1), draw.choice(WRONG))
        damage = None
        if draw.random() < 0.35:
            read = [word for word in words if word in FILES and word != "app"]
            damage = draw.choice(_DAMAGES), draw.choice(read or FILES[4:])
        return Line(
            number,
            tuple(words),
            draw.choice(_ENVIRONMENTS) if draw.random() < 0.4 else {},
            draw.choice(ENCODINGS) if draw.random() < 0.3 else "utf-8",
            draw.choices(("file", "full", "closed"), (18, 1, 1))[0],
            damage,
        )

    def _options(self, draw: random.Random, verb: str) -> list[str]:
        options = [each for each in self.commands[verb].params if each.param_type_name == "option"]
        words = [*_BASE.get(verb, ())]
        if (VERBS.get(verb) or verb in _MEASURING) and draw.random() >= self.real:
            words += ["--launcher", STAND_IN]
        for option in options:
            if option.required and draw.random() < 0.9:
                words += self._option(draw, option)
        for _ in range(draw.choice((0, 1, 1, 2, 3, 5))):
            words += self._option(draw, draw.choice(options))
        if draw.random() < 0.04:
            words += [draw.choice(("--nonsense", "-Z", "--ranks=", "--json=1", "-n"))]
        return words

    def _option(self, draw: random.Random, option: Any) -> list[str]:
        name = draw.choice(option.opts)
        if option.is_flag:
            return [name]
        names = {*option.opts, f"--{option.name.replace('_', '-')}"}
        right = next((words for each, words in RIGHT.items() if each in names), ("1", "app"))
        value = draw.choice(right if draw.random() < 0.85 else WRONG)
        is_long = name.startswith("--")
        return [f"{name}={value}"] if is_long and draw.random() < 0.2 else [name, value]

    def _arguments(self, draw: random.Random, verb: str) -> list[str]:
        wrong = draw.random() < 0.2
        if VERBS.get(verb):
            if not wrong:
                return ["./app", "8", "2"]
            more = [draw.choice(_PROGRAM_ARGUMENTS) for _ in range(draw.randrange(4))]
            return [draw.choice(_PROGRAMS), *more]
        if wrong:
            return [draw.choice(WRONG + FILES) for _ in range(draw.randrange(3))]
        if verb == "report":
            return [draw.choice(RUNS) for _ in range(draw.choice((1, 1, 2, 3)))]
        if verb in _OF_BENCH_RUNS:
            return ["runs/bench"] * _OF_BENCH_RUNS[verb]
        if verb == "bench repeat":
            return ["runs/once"]  # no option makes it shorter than the run is
        if verb == "bench history":
            return ["runs"]
        if verb == "bench import":
            return ["osu.txt"] * draw.choice((1, 1, 2))
        if verb == "bench plans":
            return []
        if verb in ("replay", "export"):
            return ["app.trace" if verb == "replay" else "tuned.toml"]
        if verb in ("info", "schedule list"):
            return []
        return [draw.choice(COLLECTIVES)]
