"""Runs random sequences of collectives (tests/differential) and compares what came of them.

A sequence depends on the seed and its index alone. It runs on the MPI alone and under the
drop-in; what each rank notes of each operation must be the same.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mpi_runs import HANGS_AFTER_S, Ended, Mpi

from stretto.data.counters import RankCounters, read_counters
from stretto.launch.environment import COUNTERS

PROGRESS_THREAD = "STRETTO_PROGRESS_THREAD"

# Stretto takes two of MPICH's 2,048 contexts for each.
MOST_COMMUNICATORS = 900

# Open MPI 4.1 alone takes messages for edges of a graph and hangs (tests/mpi/dist_graph.c), but
# not without this component. Under Stretto it stays as it is.
SPARED = {"OMPI_MCA_topo": "^treematch"}

# With MPICH 5.0.2 alone two of its three algorithms for this give wrong results in place, of 60 KB
# and a type with a negative lower bound (--seed 1126 --first 18086); this one is right.
RIGHT = {"MPIR_CVAR_IALLGATHERV_INTRA_ALGORITHM": "sched_brucks"}


@dataclass(frozen=True)
class Simpler:
    """What is left of a sequence as it was drawn; see Simpler in plan.hpp."""

    keep: tuple[int, ...] | None = None
    most_count: int | None = None
    plain: bool = False
    prompt: bool = False
    in_turn: bool = False

    def options(self) -> list[str]:
        """As both the program and tools/differential.py take them."""
        switches = {"--plain": self.plain, "--prompt": self.prompt, "--in-turn": self.in_turn}
        return [
            *(["--keep", ",".join(map(str, self.keep))] if self.keep is not None else []),
            *(["--most-count", str(self.most_count)] if self.most_count is not None else []),
            *(switch for switch, on in switches.items() if on),
        ]


@dataclass(frozen=True)
class Batch:
    """Sequences `first` to `first + count - 1` of a seed, and how they run."""

    mpi: Mpi
    ranks: int
    seed: int
    first: int
    count: int = 1
    settings: Mapping[str, str] = field(default_factory=dict)  # Stretto's
    most_communicators: int = MOST_COMMUNICATORS  # alive at once
    callbacks: bool = False  # operations and attributes' functions call MPI
    threads: bool = False  # two make communicators at a time
    mpmd: bool = False  # launched as two programs
    simpler: Simpler = Simpler()

    def options(self) -> list[str]:
        which = {"--seed": self.seed, "--first": self.first, "--count": self.count}
        words = [word for name, value in which.items() for word in (name, str(value))]
        return [*words, *self.manner(), *self.simpler.options()]

    def manner(self) -> list[str]:
        """As both the program and tools/differential.py take it."""
        switches = {"--callbacks": self.callbacks, "--threads": self.threads}
        most = ["--most-communicators", str(self.most_communicators)]
        return [*most, *(switch for switch, on in switches.items() if on)]

    def command(self) -> str:
        """A command line that runs it again."""
        words = [".venv/bin/python", "tools/differential.py", "--abi", self.mpi.abi]
        words += ["--ranks", str(self.ranks), "--seed", str(self.seed)]
        words += ["--first", str(self.first), "--sequences", str(self.count)]
        for name, value in self.settings.items():
            words += ["--set", f"{name}={value}"]
        mpmd = ["--mpmd"] if self.mpmd else []
        return shlex.join([*words, *mpmd, *self.manner(), *self.simpler.options()])

    def in_words(self) -> list[str]:
        """One line an action."""
        program = self.mpi.program("sequences")
        answer = subprocess.run(
            [program, *self.options(), "--describe"], capture_output=True, text=True, check=True
        )
        return answer.stdout.splitlines()


@dataclass(frozen=True)
class Noted:
    """What the ranks of one run noted."""

    ended: Ended
    ranks: list[dict[int, list[str]]]  # the lines of each sequence a rank finished
    persistent: str  # "collectives" or "stand-ins"
    counters: list[RankCounters]

    def unfinished(self, batch: Batch) -> int:
        """The first sequence that some rank did not get through."""
        ended = range(batch.first, batch.first + batch.count)
        return min(next((i for i in ended if i not in rank), batch.first) for rank in self.ranks)

    @property
    def fate(self) -> str:
        """How it ended, where it did not end well."""
        return "hangs" if self.ended.timed_out else f"ends with code {self.ended.exit_code}"


@dataclass(frozen=True)
class Failure:
    """The first thing that went wrong in a batch."""

    sequence: int
    what: str  # one line
    native: bool = False  # the MPI alone fails


@dataclass(frozen=True)
class Compared:
    """A batch that ran both ways."""

    failure: Failure | None
    last_words: str  # of a run that did not end well
    counters: list[RankCounters]
    persistent: str


def trusted(batch: Batch, under_stretto: bool) -> list[str]:
    """Are all nonblocking collectives Stretto's? See Manner in executor.hpp."""
    # Where an algorithm is forced, calls it cannot serve go to the MPI.
    automatic = set(batch.settings) <= {PROGRESS_THREAD}
    on = batch.settings.get(PROGRESS_THREAD) == "on"
    return ["--trusted"] if under_stretto and automatic and on else []


def read_notes(path: Path) -> tuple[str, dict[int, list[str]]]:
    """A rank's file: its first line, and the lines of each sequence that it finished."""
    if not path.is_file():
        return "", {}
    first, *lines = [*path.read_text().splitlines(), ""]
    finished: dict[int, list[str]] = {}
    sequence, notes = -1, list[str]()
    for line in lines:
        if line.startswith("sequence "):
            sequence, notes = int(line.split()[1]), []
        elif line == "end":
            finished[sequence] = notes
        else:
            notes.append(line)
    return first.removeprefix("persistent "), finished


def run(batch: Batch, *, under_stretto: bool, timeout_s: float) -> Noted:
    with tempfile.TemporaryDirectory() as name:
        arguments = [*batch.options(), "--out", name, *trusted(batch, under_stretto)]
        env = RIGHT | ({**batch.settings, COUNTERS: name} if under_stretto else SPARED)
        start = batch.mpi.run_under_stretto if under_stretto else batch.mpi.run
        program = batch.mpi.program("sequences")
        apart = 1 if batch.mpmd and batch.ranks > 1 else 0
        ended = start(
            program, *arguments, ranks=batch.ranks, apart=apart, env=env, timeout_s=timeout_s
        )
        folder = Path(name)
        notes = [read_notes(folder / f"rank-{rank}.txt") for rank in range(batch.ranks)]
        counters = read_counters(folder) if ended.ok else []
    return Noted(ended, [finished for _, finished in notes], notes[0][0], counters)


def differences(theirs: Noted, ours: Noted) -> Iterator[Failure]:
    """In the order of the sequences, of what both runs finished."""
    for sequence in sorted(theirs.ranks[0]):
        for rank, (native, stretto) in enumerate(zip(theirs.ranks, ours.ranks, strict=True)):
            if sequence in native and sequence in stretto:
                what = first_difference(native[sequence], stretto[sequence])
                if what:
                    yield Failure(sequence, f"rank {rank}, {what}")


def first_difference(native: Sequence[str], stretto: Sequence[str]) -> str:
    """Empty where they are the same."""
    if len(native) != len(stretto):
        return f"noted {len(stretto)} operations instead of {len(native)}"
    for theirs, ours in zip(native, stretto, strict=True):
        if theirs == ours:
            continue
        action, *before = theirs.split()
        _, *after = ours.split()
        fields = zip(("error class", "received data", "sent data"), before, after, strict=True)
        return f"#{action}: " + ", ".join(
            f"{name} {now} instead of {then}" for name, then, now in fields if then != now
        )
    return ""


def compare(batch: Batch, timeout_s: float = HANGS_AFTER_S) -> Compared:
    """Run it on the MPI alone, then under Stretto."""
    theirs = run(batch, under_stretto=False, timeout_s=timeout_s)
    if not theirs.ended.ok:
        failure = Failure(theirs.unfinished(batch), f"the MPI alone {theirs.fate}", native=True)
        return Compared(failure, last_words(theirs.ended), [], "")
    ours = run(batch, under_stretto=True, timeout_s=timeout_s)
    failures = list(differences(theirs, ours))
    if not ours.ended.ok:
        failures.append(Failure(ours.unfinished(batch), f"under Stretto it {ours.fate}"))
    first = min(failures, key=lambda failure: failure.sequence, default=None)
    words = "" if ours.ended.ok else last_words(ours.ended)
    return Compared(first, words, ours.counters, ours.persistent)


def last_words(ended: Ended) -> str:
    lines = (ended.stdout + ended.stderr).strip().splitlines()
    return "\n".join(lines[-12:])
