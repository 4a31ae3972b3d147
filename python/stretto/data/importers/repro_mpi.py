"""ReproMPI, 0.9 to 1.1: summaries and raw times.

Settings as "#@name=value", the names of columns, and a line a size or a repetition:

    #@nprocs=4
                  test       nrep        count    runtime_sec
         MPI_Allreduce          0            1   0.0000109819

A summary (--summary) has total_nrep, valid_nrep and mean_sec, median_sec, min_sec, max_sec instead;
-v adds the process and replaces the run-time by when the call began and ended, by the local clock
and, with windows, by the global one; windows add an error code, which is 0 of a valid repetition. A
run-time is that of the slowest process. Sizes are counts of a datatype, whose size is a setting, or
bytes. Each time a run's settings begin, a launch does.

Sources: src/reprompi_bench/output_management/results_output.c and bench_info_output.c,
src/reprompi_bench/benchmark_lib/results_output.c.
"""

import re
from decimal import Decimal

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import (
    BYTES,
    PROCESS,
    REPETITION,
    SAMPLES,
    Column,
    about,
    rows_of,
)
from stretto.data.importers.lines import Findings, lines_of, number, whole
from stretto.data.importers.names import REDUCTIONS, operation_of

NAME = "repro-mpi"
TITLE = "ReproMPI"
MARK = re.compile(
    r"#@reproMPIcommitSHA1=|^.{0,80}?\btest +(?:nrep +|)(?:count|msize_bytes) +\w+", re.MULTILINE
)

_OPERATION = Column("operation")
_COUNT = Column("count")
_COLUMNS = {
    "test": _OPERATION,
    "measure_type": _OPERATION,
    "process": PROCESS,
    "proc": PROCESS,
    "nrep": REPETITION,
    "count": _COUNT,
    "msize_bytes": BYTES,
    "total_nrep": Column("attempted", "raw"),
    "valid_nrep": SAMPLES,
    "errorcode": Column("error_code", "raw"),
    "runtime_sec": Column("latency", "raw", "s"),
    "loc_tstart_sec": Column("start", "raw", "s"),
    "loc_tend_sec": Column("end", "raw", "s"),
    "gl_tstart_sec": Column("global_start", "raw", "s"),
    "gl_tend_sec": Column("global_end", "raw", "s"),
    **{f"{name}_sec": Column("latency", name, "s") for name in ("mean", "median", "min", "max")},
}
_SETTING = re.compile(r"^#@(\w{1,60})=(.*)$")
_COMMAND = re.compile(r"^#Command-line arguments: *(.*)$")
_FINISH = re.compile(r"^# (Benchmark started at|Execution time:) +(.*)$")
_LIST = re.compile(r"^#(?:MPI calls|Message sizes): *$|^#\s+\w{1,80}\s*$|^#\s*$")


def _columns_of(line: str) -> list[Column]:
    """The columns that a line names; none where it names anything else."""
    words = line.split()
    if not {"test", "measure_type"} & set(words) or not set(words) <= set(_COLUMNS):
        return []
    return [_COLUMNS[word] for word in words]


def _between(words: list[str], columns: list[Column], first: str, last: str) -> float | None:
    """From one time to another, in us; in decimals, as both may be since 1970."""
    times = {column.metric: word for word, column in zip(words, columns, strict=True)}
    if first not in times or not all(abs(number(times[at]) or 0) < 1e15 for at in (first, last)):
        return None
    return float((Decimal(times[last]) - Decimal(times[first])) * 1_000_000)


class _Reader:
    """What has been said of the lines that follow."""

    def __init__(self) -> None:
        self.found = Findings()
        self.columns: list[Column] = []
        self.launch: int | None = None

    def take(self, at: int, line: str) -> None:
        found = self.found
        if setting := _SETTING.match(line):
            self._setting(setting[1], setting[2].strip())
        elif command := _COMMAND.match(line):
            found.note("command", command[1])
        elif finish := _FINISH.match(line):
            found.note(finish[1].lower().rstrip(":"), finish[2])
        elif columns := _columns_of(line):
            self.columns = columns
        elif not _LIST.match(line):
            found.add(at, line, self._rows(line.split(), at))

    def _setting(self, name: str, value: str) -> None:
        self.found.note(name, value)
        if name == "reproMPIcommitSHA1":
            self.found.version = self.found.version or value
            self.launch = 0 if self.launch is None else self.launch + 1

    def _rows(self, words: list[str], at: int) -> list[ImportedRow] | None:
        if not self.columns or len(words) != len(self.columns):
            return None
        like = about("unknown", "blocking")
        rest: list[tuple[str, Column]] = []
        for word, column in zip(words, self.columns, strict=True):
            if column is _OPERATION:
                like = self._operation(like, word)
            elif column is _COUNT:
                count = whole(word)
                if count is None:
                    return None
                like = self._size(like, count)
            elif column is not PROCESS or word != "all":
                rest.append((word, column))
        values, columns = [word for word, _ in rest], [column for _, column in rest]
        rows = rows_of(values, columns, replace(like, launch=self.launch), at)
        for prefix in ("", "global_"):
            if rows and any(row.metric == f"{prefix}end" for row in rows):
                time = _between(values, columns, f"{prefix}start", f"{prefix}end")
                if time is not None:
                    metric = f"{prefix}latency"
                    rows = [*rows, replace(rows[0], metric=metric, value=time, unit="us")]
        return rows or None

    def _operation(self, like: ImportedRow, name: str) -> ImportedRow:
        operation, form = operation_of(name)
        return replace(
            like,
            operation=operation,
            form=form,
            ranks=whole(self.found.now.get("nprocs", "")),
            datatype=self.found.now.get("datatype"),
            op=self.found.now.get("operation") if operation in REDUCTIONS else None,
        )

    def _size(self, like: ImportedRow, count: int) -> ImportedRow:
        size = whole(self.found.now.get("datatype_size_bytes", ""))
        if size is None:
            return replace(like, variant=f"count {count}")
        return replace(like, bytes=count * size)


def read(text: str) -> Imported:
    """All lines of a text, of one launch or of several."""
    reader = _Reader()
    for at, line in lines_of(text):
        if line.strip():
            reader.take(at, line)
    return reader.found.imported(NAME)
