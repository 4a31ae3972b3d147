"""The options of stretto bench, and the plan they make."""

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from stretto.cli.options import bytes_of
from stretto.data.bench_spec import Spec, read_spec
from stretto.errors import InputError
from stretto.launch.bench import NATIVE, STRETTO

_PLANS = Path(__file__).parents[1] / "plans"

Operations = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="OPERATION...",
        help="As MPI calls them: bcast, iallreduce, alltoallv, neighbor_allgather, gather_init; "
        "pingpong and exchange (with i before or _init behind), reduce_local, comm_dup, "
        "comm_split; allgatherv-of-root and reduce_scatter-of-root, where all counts but the "
        "root's are 0. Otherwise the usual 8.",
    ),
]
Ranks = Annotated[
    int | None, typer.Option("--ranks", "-n", "-np", min=1, help="How many; otherwise 2.")
]
Like = Annotated[
    str | None, typer.Option(metavar="PROGRAM", help="Measure the MPI that this one loads.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="The run folder.")
]
PlanFile = Annotated[
    str | None,
    typer.Option(
        "--plan",
        metavar="FILE",
        help="A TOML file, or the name of a plan that comes along (stretto bench plans); options "
        "given besides win.",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="Bytes: 8,64,1K or FROM:TO in powers of two (8:4M)."),
]
Implementations = Annotated[
    str | None,
    typer.Option(
        "--impl",
        metavar="LIST",
        help="native, stretto, stretto:allreduce=ring, native:KNOB=VALUE (+ between several; "
        "values may have commas); the others are compared with the first.",
    ),
]
Launches = Annotated[
    int | None, typer.Option(min=1, help="How often each is launched; otherwise 10.")
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Three launches, shorter ones: for a first look.")
]
Width = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Launch on until every interval is as narrow: 0.05 is 5 % of its median.",
    ),
]
MostLaunches = Annotated[
    int | None, typer.Option(min=1, help="But no more often than that; otherwise 50.")
]
Sync = Annotated[
    str | None,
    typer.Option(
        "--sync",
        metavar="SCHEME",
        help="How ranks begin together: none, barrier, double-barrier, dissemination, window, "
        "round-time; auto takes round-time, and barrier where ranks share cores.",
    ),
]
BufferOption = Annotated[
    str | None,
    typer.Option(
        "--buffers",
        metavar="USE",
        help="same, rewritten (before each repetition), unique (not used for long) or cold.",
    ),
]
Root = Annotated[
    str | None,
    typer.Option(metavar="ROOT", help="A rank, rotating:K (by K each time) or all (by 1)."),
]
CommOption = Annotated[
    str | None,
    typer.Option("--comm", metavar="RANKS", help="world, every-second, one-a-host, halves."),
]
DatatypeOption = Annotated[
    str | None, typer.Option("--datatype", help="byte, int, long, float or double.")
]
OpOption = Annotated[str | None, typer.Option("--op", help="sum, max, min, band or bor.")]
Counts = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Elements of each rank's block, a number for each rank, for operations that take "
        "counts, which then have one size.",
    ),
]
Compute = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Overlap: work beside a nonblocking operation, in times of what it takes alone: "
        "0.5,1,2,4.",
    ),
]
Tests = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="MPI_Tests within the work of --compute: 0,1,10,100."),
]
Late = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        help="Who comes late: each (one after the other), last, sorted, random, us for each rank "
        "(0,1000,0,0), a file of these, a line a pattern, or a run folder of stretto profile: as "
        "late as ranks came there.",
    ),
]
Delay = Annotated[float | None, typer.Option("--delay", metavar="US", help="By so much.")]
Skew = Annotated[
    float | None,
    typer.Option(
        metavar="US", min=0, help="Rank 0 enters so much later, to see that it is reported."
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Draws the order of launches and cells.")]


def spec_of(plan: str | None, given: dict[str, Any]) -> Spec:
    """The plan with the options that were given, those that are None left as they are there."""
    spec = _named_plan(plan) if plan else Spec()
    values = msgspec.to_builtins(spec) | {k: v for k, v in given.items() if v is not None}
    try:
        return msgspec.convert(values, Spec)
    except msgspec.ValidationError as error:
        raise InputError(f"stretto bench: {error}") from None


def _named_plan(plan: str) -> Spec:
    shipped = _PLANS / f"{plan}.toml"
    return read_spec(shipped if shipped.is_file() else Path(plan))


def shipped_plans() -> dict[str, Spec]:
    """The plans that come along, by name."""
    return {path.stem: read_spec(path) for path in sorted(_PLANS.glob("*.toml"))}


def sizes_of(text: str) -> list[int]:
    """Bytes of a list, or of a range in powers of two."""
    begin, colon, end = text.partition(":")
    if not colon:
        return [bytes_of(word) for word in text.split(",")]
    size, last = bytes_of(begin), bytes_of(end)
    if not 0 < size <= last:
        raise InputError(f"--sizes {text}: a range begins above 0 and ends no lower")
    sizes = []
    while size <= last:
        sizes.append(size)
        size *= 2
    return sizes


def implementations_of(text: str) -> list[str]:
    """Those of a list with commas between; values of settings may have commas, too.

    What follows a setting's comma belongs to its value unless it is called as an implementation
    is. What looks like a mistyped one is taken for one, which it is refused as.
    """
    found: list[str] = []
    for word in text.split(","):
        kind = re.split("[:#]", word)[0].lower()
        if (
            found
            and "=" in found[-1]
            and not get_close_matches(kind, (NATIVE, STRETTO), cutoff=0.8)
        ):
            found[-1] += f",{word}"
        else:
            found.append(word)
    return found


def numbers_of(option: str, text: str) -> list[float]:
    """A list of numbers."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"{option} {text}: write numbers, as 0,1,10") from None


def width_of(width: float) -> float:
    """Above 0, as any interval is. Raises InputError."""
    if not 0 < width < float("inf"):
        raise InputError(f"--width {width:g}: write a share above 0, as 0.05 for 5 % of the median")
    return width


def root_of(text: str) -> dict[str, int]:
    """A rank, or how it moves."""
    if text == "all":
        return {"root": 0, "root_step": 1}
    word, colon, step = text.partition(":")
    if word == "rotating" and (not colon or (step.isdecimal() and int(step))):
        return {"root": 0, "root_step": int(step or 1)}
    if text.isdecimal():
        return {"root": int(text), "root_step": 0}
    raise InputError(f"--root {text}: write a rank, rotating:K (K from 1 on) or all")


def counts_in(path: Path) -> list[int]:
    """Whole numbers, with spaces, commas or lines between."""
    try:
        return [int(word) for word in path.read_text().replace(",", " ").split()]
    except OSError as error:
        raise InputError(f"--counts {path}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"--counts {path}: {error}") from None
