"""The outputs of other suites in tests/python/data/imported, and rows sought in what was read.

Those of IMB 2021.11 and of mpi4py's demos are of runs on one host. The others are set as the
suites' sources print, with figures of published outputs, and shortened; some lines of junk, of
wrong values and of other options were added to all but the former.
"""

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
