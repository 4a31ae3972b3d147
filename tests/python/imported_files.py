"""The outputs of other suites in tests/python/data/imported, and rows sought in what was read."""

from pathlib import Path

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.registry import read_imported

FILES = Path(__file__).parent / "data" / "imported"


def imported(name: str) -> Imported:
    return read_imported(FILES / name)


def rows(of: Imported, **what: object) -> list[ImportedRow]:
    return [r for r in of.rows if all(getattr(r, name) == value for name, value in what.items())]


def value(of: Imported, **what: object) -> float:
    """Of the one row that is so."""
    [row] = rows(of, **what)
    return row.value
