"""OMB-Py, the OSU micro-benchmarks in Python, and what was made of them or they of.

    # OMB Python MPI Allreduce Test
    # Size (B)      Latency (us)
    4                      12.31

Bandwidths are titled "OMB-Py MPI Bandwidth Test"; nonblocking tests have columns as the tests in C
have, and the averages of the wait and of the call that begins. mpi4py's demo/osu_*.py print the
title "# MPI Allgather Latency Test" and the columns "Size [B]" and "Latency [us]", above bandwidths
too, which are MB/s. Ports to PyTorch print the same through a logger. Times are averages over
repetitions and ranks.

Sources: python/util/osu_util_mpi.py of OMB 6 and 7; demo/ of mpi4py 4.1.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of
from stretto.data.importers.osu import row_of_test

NAME = "omb-py"
TITLE = "OMB-Py"
MARK = re.compile(r"# OMB(?:-Py| Python) MPI |# Size \[B\] {1,40}Latency \[us\]")

_LOGGER = re.compile(r"^\[[\d :,-]{19,23}\] \{[\w.]{1,60}:\d{1,6}\} INFO - ")
_TITLE = re.compile(r"^# (?:OMB(?:-Py| Python) )?MPI (?P<name>[\w/ -]{1,80}) Test\s*$")
_COLUMNS = {
    "size (b)": BYTES,
    "size [b]": BYTES,
    "size": BYTES,
    "latency (us)": Column("latency", "mean", "us"),
    "latency [us]": Column("latency", "mean", "us"),
    "bandwidth (mb/s)": Column("bandwidth", "mean", "MB/s"),
    "bandwidth (gb/s)": Column("bandwidth", "mean", "GB/s"),
    "overall(us)": Column("overall", "mean", "us"),
    "compute(us)": Column("compute", "mean", "us"),
    "pure comm.(us)": Column("communication", "mean", "us"),
    "overlap(%)": Column("overlap", "mean", "%"),
    "wait avg(us)": Column("wait", "mean", "us"),
    "init avg(us)": Column("initiation", "mean", "us"),
}
_BY_DEMO = Column("bandwidth", "mean", "MB/s")


def _columns_of(line: str) -> list[Column]:
    """The columns that a line names; none where it names anything else."""
    names = re.split(r"\s{2,}|(?<=\))\s", line[1:].strip().lower())
    if not line.startswith("# ") or not set(names) <= set(_COLUMNS):
        return []
    return [_COLUMNS[name] for name in names]


def read(text: str) -> Imported:
    """All tables of a text. One without a title is of an operation that is unknown."""
    found = Findings()
    like: ImportedRow | None = None
    columns: list[Column] = []
    for at, whole in lines_of(text):
        line = _LOGGER.sub("", whole, count=1)
        if title := _TITLE.match(line):
            like, columns = row_of_test(title["name"]), []
        elif named := _columns_of(line):
            if like is None or columns:
                like = about("unknown", "blocking")
            columns = named
            if any(column.metric == "overall" for column in columns):
                like = replace(like, form="nonblocking")
            if "bandwidth" in like.operation and "[us]" in line:
                columns = [BYTES, _BY_DEMO]
        elif line.strip():
            rows = rows_of(line.split(), columns, like, at) if like and columns else None
            found.add(at, whole, rows)
    return found.imported(NAME)
