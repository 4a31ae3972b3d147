"""IMB-MPI1: blocking collectives and point-to-point of the Intel MPI Benchmarks (imb_tables.py)."""

import re

from stretto.data.imported import Imported
from stretto.data.importers.imb_tables import read_tables

NAME = "imb"
TITLE = "IMB-MPI1"
MARK = re.compile(r"\bMPI Benchmark(?:s| Suite) .{1,40}, MPI-1 part")


def read(text: str) -> Imported:
    """All tables of a text; of IMB-NBC too, where they stand in the same file."""
    return read_tables(text, NAME)
