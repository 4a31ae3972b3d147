"""Where a verb puts what its runs recorded."""

from pathlib import Path

from stretto.errors import InputError

_RUNS = Path("stretto-runs")


def run_folder(output: Path | None, name: str) -> Path:
    """The folder named by --output, or the next stretto-runs/<name>-<number>."""
    return output or _next(name)


def make_empty(folder: Path) -> None:
    """Create it; one that has something in it is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise InputError(f"--output {folder}: {error.strerror}") from error
    if not is_empty:
        raise InputError(f"--output {folder} is not empty: name a new folder")


def _next(name: str) -> Path:
    number = 1
    while (_RUNS / f"{name}-{number}").exists():
        number += 1
    return _RUNS / f"{name}-{number}"
