"""The options of `stretto simulate`, and what their words mean."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.options import nanoseconds_of
from stretto.errors import InputError
from stretto.model.arrivals import PATTERNS, Arrivals
from stretto.model.machine import presets
from stretto.native.simulations import Noise

_MOST_RANKS = 1 << 24

CollectiveOption = Annotated[str, typer.Argument(help="bcast, allreduce, ...")]
AlgorithmOrAllOption = Annotated[
    str, typer.Option(help="One of `stretto schedule list`, or all of them.")
]
ManyRanksOption = Annotated[
    int, typer.Option("--ranks", "-n", "-np", min=1, max=_MOST_RANKS, help="Ranks taking part.")
]
SizeOption = Annotated[
    str | None,
    typer.Option(
        "--bytes",
        metavar="SIZE",
        help="The vector's, or one rank's block in gather, scatter, allgather, alltoall and "
        "reduce_scatter; 1M unless given. In a barrier what a signal carries; 0 unless given.",
    ),
]
MachineFileOption = Annotated[
    str, typer.Option(metavar="FILE", help=f"A machine's TOML file, or {', '.join(presets())}.")
]
RanksPerHostOption = Annotated[
    int | None, typer.Option(min=1, help="Ranks per host, where the machine has another.")
]
ElementBytesOption = Annotated[int, typer.Option(min=1, help="One element's size.")]
SegmentOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="What a pipelined algorithm moves at once; 32K or so."),
]
RadixOption = Annotated[int, typer.Option(min=2, help="A k-nomial tree's fan-out.")]
RootOption = Annotated[int, typer.Option(min=0, help="A rooted collective's root.")]
ArrivalPatternOption = Annotated[
    str | None,
    typer.Option(
        "--arrivals",
        metavar="PATTERN:TIME",
        help=f"How late ranks come, by at most so much: {', '.join(PATTERNS)}; or last:1ms.",
    ),
]
NoiseOption = Annotated[
    str | None,
    typer.Option(metavar="PERIOD:TIME", help="What the system takes of each CPU: 10ms:25us, say."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Of random arrivals and of the noise.")]
ScalingOption = Annotated[bool, typer.Option(help="Simulate fewer ranks too, by powers of two.")]
PlotOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw the scaling curve: .svg, .png, .pdf.")
]
EngineOption = Annotated[
    str, typer.Option(metavar="ENGINE", help="any, events or rounds; the answer is the same.")
]


def arrivals_of(text: str | None) -> Arrivals | None:
    """What --arrivals says."""
    if text is None:
        return None
    pattern, colon, time = text.partition(":")
    if pattern not in PATTERNS or not colon:
        words = f"write PATTERN:TIME, PATTERN one of {', '.join(PATTERNS)}"
        raise InputError(f"--arrivals {text}: {words}")
    return Arrivals(pattern, nanoseconds_of(time))


def noise_of(text: str | None) -> Noise | None:
    """What --noise says."""
    if text is None:
        return None
    period, colon, lasts = text.partition(":")
    if not colon:
        raise InputError(f"--noise {text}: write PERIOD:TIME, as 10ms:25us")
    return Noise(nanoseconds_of(period), nanoseconds_of(lasts))
