"""stretto export: measured rules as an MPI's own settings, for runs without Stretto."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, unwritable
from stretto.tune.mpis import FORMATS
from stretto.tune.rules import read_tuned


def export(
    rules: Annotated[
        Path, typer.Argument(metavar="FILE", help="What stretto tune --native-algorithms wrote.")
    ],
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help=f"The MPI's format: {', '.join(FORMATS)}.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where it goes; otherwise printed."),
    ] = None,
) -> None:
    """Write the MPI's own algorithms that stretto tune --native-algorithms chose as settings which
    the MPI reads itself: openmpi (a file of dynamic rules, as the version that was measured takes
    it), openmpi-han (one of HAN, for several hosts), openmpi6 (JSON), impi (JSON for
    I_MPI_TUNING), impi-adjust (I_MPI_ADJUST_*, for a shell), or mpich and mpich-ch4 (JSON: MPICH
    5.0 needs both).

    Example: stretto export tuned.toml --to openmpi -o rules.conf
    """
    if to not in FORMATS:
        raise InputError(f"--to {to}: there are {', '.join(FORMATS)}")
    tuned = read_tuned(rules)
    format_ = FORMATS[to]
    text = format_.write(tuned)
    for line in format_.remarks(tuned):
        note(f"stretto: {line}")
    if output is None:
        print(text, end="")
        return
    try:
        put_whole(output, text.encode())
    except OSError as error:
        raise unwritable(f"--output {output}", error) from error
    note(f"Use: {format_.use.format(file=output.absolute())}")
