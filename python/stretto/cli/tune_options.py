"""The options of `stretto tune`, and what their words mean."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.cli.options import bytes_of
from stretto.cli.simulate_options import arrivals_of
from stretto.data.contests import Pattern
from stretto.data.profile_record import is_profile, read_record
from stretto.data.profiles import read_profile
from stretto.errors import InputError
from stretto.model.arrivals import PATTERNS
from stretto.report.program_calls import program_calls
from stretto.report.words import size as size_words

COLLECTIVES = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce_scatter",
    "scan",
    "exscan",
)
_NONE = "none"
_RANKS = "2"
_SIZES = "8,256,4K,64K,1M"
_COLLECTIVES = "bcast,reduce,allreduce,allgather,alltoall"
_SEED = 1  # of random arrivals
_MOST_BYTES = 64 << 20  # of a rank's buffer, which has room for all ranks' blocks of any collective

RankCounts = Annotated[
    str | None,
    typer.Option("--ranks", "-n", "-np", metavar="N,...", help="How many ranks to start, each; 2."),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE,...",
        help="The vector's, or one rank's block in gather, scatter, allgather, alltoall and "
        f"reduce_scatter; {_SIZES}.",
    ),
]
Collectives = Annotated[
    str | None,
    typer.Option(metavar="NAME,...", help=f"Those to tune, or all; {_COLLECTIVES}."),
]
Patterns = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN,...",
        help=f"How late ranks come: {_NONE}, or PATTERN:TIME, PATTERN one of "
        f"{', '.join(PATTERNS)}; all count alike; {_NONE} unless given.",
    ),
]
FromProfile = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Tune what a program that stretto profile has run calls: its ranks, collectives and "
        "sizes, and its ranks as late as they were.",
    ),
]
FromBench = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Tune what violates performance guidelines in a run of stretto bench: its ranks, and "
        "the collectives and sizes that stretto bench guidelines names.",
    ),
]
RoundCount = Annotated[
    int, typer.Option(min=1, max=1000, help="How often each way is measured in a launch.")
]
LaunchCount = Annotated[int, typer.Option(min=1, max=100, help="Launches; each starts afresh.")]
NativeAlgorithms = Annotated[
    bool,
    typer.Option(
        "--native-algorithms",
        help="Measure each of the MPI's own algorithms, too, for `stretto export`: those of "
        "Open MPI, Intel MPI or MPICH 5.0.",
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The rules, as TOML.")]


@dataclass(frozen=True)
class Subject:
    """What is to be tuned: calls among so many ranks, and the patterns in which ranks come."""

    ranks: int
    calls: list[tuple[str, int, list[Pattern]]]  # collective, bytes


def subjects_of(
    ranks: str | None, sizes: str | None, collectives: str | None, patterns: str | None
) -> list[Subject]:
    """What the options say. Raises InputError."""
    lengths = sorted({bytes_of(word) for word in (sizes or _SIZES).split(",")})
    names = _collectives_of(collectives or _COLLECTIVES)
    return fitting(
        [
            Subject(
                count,
                [
                    (name, length, patterns_of(patterns or _NONE, count))
                    for name in names
                    for length in ([0] if name == "barrier" else lengths)
                ],
            )
            for count in _rank_counts(ranks or _RANKS)
        ]
    )


def subjects_of_profile(run: Path) -> list[Subject]:
    """What a profiled program called. Raises InputError."""
    if not is_profile(run):
        raise InputError(f"--from-profile {run} is no run of stretto profile that came to its end")
    ranks = read_record(run).ranks
    found = program_calls(read_profile(run, ranks))
    calls = [
        (
            each.collective,
            each.bytes,
            [Pattern(f"as call {number}", late) for number, late in each.late_ns.items()],
        )
        for each in found
    ]
    if not calls:
        raise InputError(f"--from-profile {run}: no blocking collective of all ranks is in it")
    return fitting([Subject(ranks, calls)])


def _rank_counts(text: str) -> list[int]:
    """Without repetitions, the fewest first."""
    words = text.split(",")
    if not all(word.isdecimal() and 2 <= int(word) <= 1 << 20 for word in words):
        raise InputError(f"--ranks {text}: write numbers of 2 or more, such as 2,4")
    return sorted({int(word) for word in words})


def fitting(subjects: list[Subject]) -> list[Subject]:
    """Without calls that take too much memory, of which a line is said. Raises InputError."""
    fitting = []
    too_large = []
    for each in subjects:
        most = _MOST_BYTES // each.ranks
        calls = [call for call in each.calls if call[1] <= most]
        if len(calls) < len(each.calls):
            too_large.append(f"{size_words(most)} on {each.ranks} ranks")
        if calls:
            fitting.append(Subject(each.ranks, calls))
    if not fitting:
        raise InputError(f"nothing to measure: sizes may have {', '.join(too_large)}, at most")
    if too_large:
        note(f"stretto: larger sizes than {', '.join(too_large)} are left out")
    return fitting


def _collectives_of(text: str) -> list[str]:
    """Those that are named, in the usual order."""
    names = [*COLLECTIVES] if text == "all" else text.split(",")
    if unknown := next((name for name in names if name not in COLLECTIVES), None):
        raise InputError(f"--collectives: unknown '{unknown}': {', '.join(COLLECTIVES)}, or all")
    return [name for name in COLLECTIVES if name in names]


def patterns_of(text: str, ranks: int) -> list[Pattern]:
    """How late each of so many ranks is, in each pattern."""
    return [_pattern(word, ranks) for word in text.split(",")]


def _pattern(word: str, ranks: int) -> Pattern:
    if word == _NONE:
        return Pattern(_NONE, [0.0] * ranks)
    arrivals = arrivals_of(word)
    assert arrivals is not None
    return Pattern(word, arrivals.times(ranks, _SEED).tolist())
