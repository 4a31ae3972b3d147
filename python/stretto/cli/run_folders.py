"""Where a verb puts what its runs recorded."""

from pathlib import Path

from stretto.data.bench_claims import LOCK
from stretto.data.run_folder import make_numbered
from stretto.data.whole_file import PARTIAL
from stretto.errors import InputError, unwritable

RUNS = Path("stretto-runs")


def planned_folder(output: Path | None, name: str) -> Path:
    """The folder named by --output, or the next stretto-runs/<name>-<number>; nothing is made."""
    number = 1
    while (RUNS / f"{name}-{number}").exists():
        number += 1
    return output or RUNS / f"{name}-{number}"


def make_folder(output: Path | None, name: str, option: str = "--output") -> Path:
    """Create that folder for this process alone; one that has something in it is refused.

    `option` is what names it on the command line.
    """
    try:
        if output is None:
            RUNS.mkdir(exist_ok=True)
            return make_numbered(RUNS, name, 1)
        output.mkdir(parents=True, exist_ok=True)
        # A kill may have left no more than what a run begins with.
        is_empty = all(it.name == LOCK or it.suffix == PARTIAL for it in output.iterdir())
    except OSError as error:
        where = f"{option} {output}" if output else error.filename or RUNS
        raise unwritable(str(where), error) from error
    if not is_empty:
        raise InputError(f"{option} {output} is not empty: name a new folder")
    return output
