"""stretto export: measured rules as an MPI's own settings, for runs without Stretto."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.errors import InputError
from stretto.tune.openmpi import classic_rules, json_rules, not_written
from stretto.tune.rules import Tuned, read_tuned

_WRITERS: dict[str, Callable[[Tuned], str]] = {"openmpi": classic_rules, "openmpi6": json_rules}
_USE = (
    "Use: mpirun --mca coll_tuned_use_dynamic_rules 1 "
    "--mca coll_tuned_dynamic_rules_filename {file} ..."
)


def export(
    rules: Annotated[
        Path, typer.Argument(metavar="FILE", help="What stretto tune --native-algorithms wrote.")
    ],
    to: Annotated[
        str, typer.Option(metavar="FORMAT", help=f"The MPI's format: {', '.join(_WRITERS)}.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where it goes; otherwise printed."),
    ] = None,
) -> None:
    """Write the MPI's own algorithms that stretto tune --native-algorithms chose as settings which
    the MPI reads itself: openmpi (a file of dynamic rules, as the version that was measured takes
    it) or openmpi6 (JSON).

    Example: stretto export tuned.toml --to openmpi -o rules.conf
    """
    if to not in _WRITERS:
        raise InputError(f"--to {to}: there are {', '.join(_WRITERS)}")
    tuned = read_tuned(rules)
    text = _WRITERS[to](tuned)
    if left_out := not_written(tuned):
        note(f"stretto: {left_out}")
    if output is None:
        print(text, end="")
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--output {output}: {error.strerror}") from error
    note(_USE.format(file=output))
