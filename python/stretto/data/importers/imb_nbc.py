"""IMB-NBC: nonblocking collectives of the Intel MPI Benchmarks (imb_tables.py).

A benchmark has a table of t_ovrl, t_pure, t_CPU and overlap: the operation beside computation, by
itself, and the computation by itself. That named NAME_pure has the table of a blocking one.
"""

import re

from stretto.data.imported import Imported
from stretto.data.importers.imb_tables import read_tables

NAME = "imb-nbc"
TITLE = "IMB-NBC"
MARK = re.compile(r"\bMPI Benchmark(?:s| Suite) .{1,40}, MPI-NBC part")


def read(text: str) -> Imported:
    """All tables of a text; of IMB-MPI1 too, where they stand in the same file."""
    return read_tables(text, NAME)
