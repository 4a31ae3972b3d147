"""Options that several verbs take."""

import math
import re
from pathlib import Path
from typing import Annotated

import typer

from stretto.errors import InputError

# Options end where the program begins: what follows is the program's own.
PROGRAM_FOLLOWS = {"allow_interspersed_args": False}

ProgramAndArgs = Annotated[
    list[str],
    typer.Argument(metavar="PROGRAM", help="The program, unmodified, and its arguments."),
]
_MOST_RANKS = 1 << 24  # of any machine; launchers take more for fewer, or for none
RankCount = Annotated[
    int,
    typer.Option("--ranks", "-n", "-np", min=1, max=_MOST_RANKS, help="How many ranks to start."),
]


def _is_a_time(seconds: float | None) -> float | None:
    if seconds is not None and math.isnan(seconds):
        raise typer.BadParameter("nan is no time")
    return seconds


Timeout = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0.001,
        callback=_is_a_time,
        help="Kill a launch that runs longer, with every process it started (exit code 4).",
    ),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        metavar="COLLECTIVE=NAME",
        help="Force an algorithm, or 'native' for the MPI's own; repeatable. "
        "`stretto schedule list` names them.",
    ),
]
Progress = Annotated[
    bool,
    typer.Option(
        "--progress",
        help="Also move the program's own long MPI_Isend and MPI_Irecv along while it computes; "
        "Open MPI sends up to 1 MiB by TCP unasked then.",
    ),
]
Prepare = Annotated[
    str | None,
    typer.Option("--prepare", metavar="COMMAND", help="The shell runs it before each launch."),
]
FreshDir = Annotated[
    bool,
    typer.Option("--fresh-dir", help="Each launch in its own copy of the working directory."),
]
Warmup = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Before the runs, so many launches of each side that are not counted.",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the plain command that does the same.")
]
LauncherPath = Annotated[
    str | None,
    typer.Option(
        "--launcher", metavar="PATH", help="The mpirun, mpiexec or srun to use, not the found one."
    ),
]
LauncherArgs = Annotated[
    str, typer.Option(metavar="WORDS", help="More arguments for the launcher, quoted as one word.")
]
KeepIn = Annotated[
    Path | None,
    typer.Option("--output", metavar="DIR", help="Keep it in a run folder, for stretto report."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]


_NANOSECONDS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


def nanoseconds_of(text: str) -> float:
    """The time a person means: 500ns, 2.5us, 10ms, 1s."""
    match = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)\s*(ns|us|µs|ms|s)", text.strip())
    if match is None:
        raise typer.BadParameter(f"{text!r} is no time: write 500ns, 2.5us, 10ms or 1s")
    return float(match[1]) * _NANOSECONDS[match[2]]


def bytes_of(text: str) -> int:
    """The bytes a person means: 4096, 64K, 1M, 2GiB (powers of two)."""
    match = re.fullmatch(r"(\d{1,18})\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no size: write 4096, 64K, 1M or 2G")
    number, unit = match.groups()
    return int(number) << 10 * " KMG".index(unit.upper() or " ")


def elements_of(option: str, size: str, element_bytes: int) -> int:
    """So many elements have that size. Raises InputError."""
    total = bytes_of(size)
    if total % element_bytes:
        raise InputError(f"{option} {size} is no whole number of {element_bytes}-byte elements")
    return total // element_bytes
