"""nccl-tests and rccl-tests, 2.0 on: what they print, and their JSON and CSV (nccl_records.py).

Settings as comments, the names of columns, and a line a size, out-of-place and in-place:

    # nThread 1 nGpus 8 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 ...
    #                                           out-of-place               in-place
    #  size   count   type  redop  root   time   algbw   busbw #wrong   time   algbw ...
    #   (B) (elements)                    (us)  (GB/s)  (GB/s)          (us)  (GB/s) ...
          8       2  float    sum    -1  58.63    0.00    0.00      0  49.68    0.00 ...

Columns differ by version and options: no root, error instead of #wrong, a timestamp, times of
iterations. Which operation it was is said from 2.17 on; before, it is the program that a line above
names (all_reduce_perf), or "unknown". Sizes are those of NCCL: of allgather, what a rank receives
from all.

Sources: src/common.cu, src/util.cu of both repositories.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import Column, about
from stretto.data.importers.lines import Findings, lines_of, number, whole
from stretto.data.importers.names import operation_of
from stretto.data.importers.nccl_records import decoded_object, read_document, read_record

NAME = "nccl-tests"
TITLE = "nccl-tests and rccl-tests"
MARK = re.compile(
    r"# nThread \d+ nGpus \d+ |^.{0,80}#\s{1,40}size\s{1,40}count\s{1,40}type\s"
    r'|numCycle,collective,|\{"numCycle":|"nccl_version":',
    re.MULTILINE,
)

_HEADER = re.compile(r"^#\s+size\s+count\s+type\s")
_PROGRAM = re.compile(r"\b([a-z]{2,10}(?:_[a-z0-9]{2,10}){0,3})_perf\b")
_PARAMETERS = re.compile(r"^# (nThread \d+ nGpus \d+ .*)$")
_ITERATIONS = re.compile(r"(?<!warmup )(?<!agg )\biters: (\d{1,9})\b")
_DEVICE = re.compile(
    r"^#\s+Rank\s+(?P<rank>\d{1,9})(?:\s+Group\s+(?P<group>\d{1,9}))?\s+Pid\s+\d+ on\s+\S+"
    r" device\s+\d+ \[\S+\] *(?P<name>.*)$"
)
_VERSION = re.compile(r"^# (?:nccl|rccl)-tests:? [Vv]ersion:? (\S+)(.*)$")
_SETTING = re.compile(
    r"^(?:# *)?(Out of bounds values|Avg bus bandwidth|GPU memory usage|NCCL version|RCCL version"
    r"|HIP version|ROCm version|Hostname|Librccl path|Per-Iteration Report|Blocking Enabled"
    r"|Parallel Init Enabled|Collective test starting)(?: *: *| +)(\S.*)$"
)
_COMMENT = re.compile(
    r"^#\s*$|^#\s+out-of-place(?: \(\+ per-iteration\))?\s+in-place(?: \(\+ per-iteration\))?\s*$"
    r"|^#\s+\(B\)\s+\(elements\)[\s()a-zA-Z/%]*(?:%Y-%m-%d %H:%M:%S)?$"
    r"|^# (?:Using devices|Writing JSON output to .*|Collective test concluded: \w+)\s*$"
    r"|^# Errors with asterisks indicate errors that have exceeded the maximum threshold\.?\s*$"
)

_COLUMNS = {
    "time": Column("latency", "mean", "us"),
    "cputime": Column("cpu_time", "mean", "us"),
    "algbw": Column("algorithm_bandwidth", "mean", "GB/s"),
    "busbw": Column("bus_bandwidth", "mean", "GB/s"),
    "#wrong": Column("wrong", "raw"),
    "error": Column("error", "max"),
    "i_min": Column("latency", "min", "us"),
    "i_max": Column("latency", "max", "us"),
    "i_p99": Column("latency", "p99", "us"),
    "i_cv%": Column("variation", "raw", "%"),
}
_TIMESTAMP = re.compile(r"\s\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")


def _columns_of(line: str) -> list[Column] | None:
    """The columns of values, out-of-place and then in-place, or None where one is unknown."""
    words = [word for word in line[1:].split()[3:] if word not in ("redop", "root", "timestamp")]
    if len(words) % 2 or not words or not set(words) <= set(_COLUMNS):
        return None
    return [_COLUMNS[word] for word in words]


def _values(words: list[str], columns: list[Column], like: ImportedRow) -> list[ImportedRow] | None:
    rows: list[ImportedRow] = []
    for word, column in zip(words, columns, strict=True):
        if word == "N/A":
            continue  # it was not checked
        value = number(word.rstrip("*"))
        if value is None:
            return None
        rows.append(
            replace(
                like,
                metric=column.metric,
                statistic=column.statistic,
                value=value,
                unit=column.unit,
            )
        )
    return rows


def _line(line: str, columns: list[Column], like: ImportedRow, at: int) -> list[ImportedRow] | None:
    """A size as rows. Without values of out-of-place it has half as many words."""
    words = _TIMESTAMP.sub("", line.rstrip()).split()
    half = len(columns) // 2
    for many in (2 * half, half):
        fixed, values = words[:-many], words[-many:]
        if 3 <= len(fixed) <= 5 and not any(map(_is_value, fixed[2:4])):
            break
    else:
        return None
    size, rest = whole(fixed[0]), fixed[3:]
    op = rest.pop(0) if rest and whole(rest[0].lstrip("-")) is None else None
    root_is_none = not rest or whole(rest[0].lstrip("-")) is not None
    if size is None or whole(fixed[1]) is None or len(rest) > 1 or not root_is_none:
        return None
    of = replace(like, line=at, bytes=size, datatype=fixed[2], op=None if op == "none" else op)
    rows = _values(values[-half:], columns[half:], replace(of, in_place=True))
    if many > half and rows is not None:
        first = _values(values[:half], columns[:half], replace(of, in_place=False))
        rows = None if first is None else first + rows
    return rows


def _is_value(word: str) -> bool:
    """A number with a point: neither a datatype nor a root."""
    return "." in word and number(word) is not None


class _Reader:
    """Where in the text the next line stands."""

    def __init__(self) -> None:
        self.found = Findings()
        self.operation = "unknown"
        self.columns: list[Column] = []
        self.samples: int | None = None
        self.ranks = 0
        self.csv: list[str] = []

    def take(self, at: int, line: str) -> None:
        if program := _PROGRAM.search(line):
            self.operation = program[1]
        if line.startswith(("{", "numCycle,")) or (self.csv and "," in line):
            self._record(at, line)
        elif line.strip() not in ("[", "]") and not self._heading(line):
            operation, form = operation_of(self.operation)
            like = replace(about(operation, form), samples=self.samples, ranks=self.ranks or None)
            rows = _line(line, self.columns, like, at) if self.columns else None
            self.found.add(at, line, rows)

    def _heading(self, line: str) -> bool:
        found = self.found
        if parameters := _PARAMETERS.match(line):
            found.note("parameters", parameters[1])
            iterations = _ITERATIONS.search(line)
            self.samples = int(iterations[1]) if iterations else None
            self.columns, self.ranks = [], 0
        elif device := _DEVICE.match(line):
            self.ranks += (device["group"] or "0") == "0"
            found.note("device", device["name"])
        elif version := _VERSION.match(line):
            found.note_version(version[1], version[2])
        elif setting := _SETTING.match(line):
            found.note(setting[1].lower(), setting[2])
        elif _HEADER.match(line):
            columns = _columns_of(line)
            self.columns = columns or []
            return columns is not None
        else:
            return _COMMENT.match(line) is not None
        return True

    def _record(self, at: int, line: str) -> None:
        words = [word.strip().strip('"') for word in line.strip().split(",")]
        if line.startswith("numCycle,"):
            self.csv = [word.lower().lstrip("#") for word in words]
        elif not line.startswith("{"):
            record = dict(zip(self.csv, words, strict=False))
            whole_line = len(words) == len(self.csv)
            self.found.add(at, line, read_record(record, at) if whole_line else None)
        elif (document := decoded_object(line.strip().rstrip(","))) is None:
            self.found.add(at, line, None)
        elif "results" in document:
            read_document(document, at, self.found)
        else:
            record = {name.lower(): value for name, value in document.items()}
            self.found.add(at, line, read_record(record, at))


def read(text: str) -> Imported:
    """All results of a text: of what is printed, of JSON a line, of JSON as a whole, of CSV."""
    reader = _Reader()
    lines = list(lines_of(text))
    document = None
    if lines[0][1].strip() == "{":  # laid out by another program
        document = decoded_object("\n".join(line for _, line in lines))
    if document is not None:
        read_document(document, 1, reader.found)
        return reader.found.imported(NAME)
    for at, line in lines:
        if line.strip():
            reader.take(at, line)
    return reader.found.imported(NAME)
