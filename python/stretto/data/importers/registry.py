"""All importers, and which of them a text is for: recognised by what it says, not by its name."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from stretto.data.imported import Imported
from stretto.data.importers import (
    imb,
    imb_nbc,
    nbcbench,
    nccl_tests,
    netgauge,
    omb_py,
    osu,
    repro_mpi,
    skampi,
)
from stretto.data.importers.lines import decoded
from stretto.errors import InputError, reason


class Importer(msgspec.Struct, frozen=True):
    """A format: `mark` is in every text of it and in no other, `read` takes such a text apart."""

    name: str
    title: str
    mark: re.Pattern[str]
    read: Callable[[str], Imported]


IMPORTERS = [
    Importer(module.NAME, module.TITLE, module.MARK, module.read)
    for module in (osu, imb, imb_nbc, nccl_tests, repro_mpi, skampi, netgauge, nbcbench, omb_py)
]


def recognise(text: str) -> Importer | None:
    """The importer whose mark comes first in a text, or None.

    First, as a file may quote another suite below its own headings.
    """
    found = [(mark.start(), each) for each in IMPORTERS if (mark := each.mark.search(text))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def read_imported(path: Path) -> Imported:
    """A file of another suite.

    It may have no rows, where all its lines are unknown. Raises InputError where it cannot be read
    or is of no suite known here.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason(error)}") from error
    return imported_of(raw, str(path))


def imported_of(raw: bytes, path: str) -> Imported:
    """What such a file has in it; `path` is where it comes from. Raises InputError as above."""
    text = decoded(raw)
    importer = recognise(text)
    if importer is None:
        known = ", ".join(each.title for each in IMPORTERS)
        raise InputError(f"{path} is of no benchmark known here: known are {known}")
    return replace(importer.read(text), path=path)


def title_of(imported: Imported) -> str:
    """The suite that a file is of, with its version: "OSU micro-benchmarks 7.4"."""
    title = next(each.title for each in IMPORTERS if each.name == imported.format)
    return f"{title} {imported.version}" if imported.version else title
