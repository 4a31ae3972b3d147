"""SKaMPI 5.

A block a measurement, and a line for each of its parameters' values:

    # SKaMPI Version 5.0 rev. 191
    # begin result "MPI_Bcast-nodes-length"
    nodes= 2 count= 1        1       6.6       0.1       54       3.1       6.6
    # end result "MPI_Bcast-nodes-length"
    # duration = 0.12 sec

After the parameters come the size in bytes, the time of the slowest process averaged over the
middle half of the repetitions, its standard error, how many repetitions there were, and times of
processes: of each one (--- where it has none), or, where there are more than are to be printed (16
by default), as many quantiles over them. Which of both they are is known where a parameter
is the number of processes (nodes); otherwise 16 and more are taken for quantiles. Times are in us,
unless the input set another unit, which the output does not say.

Sources: measurement.c, parser.y, main.c, accounting.c; sample outputs of doc/demo.sko.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, SAMPLES, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of, number, whole
from stretto.data.importers.names import operation_of

NAME = "skampi"
TITLE = "SKaMPI"
MARK = re.compile(r'# SKaMPI Version \d|\bbegin result "')

_VERSION = re.compile(r"^# SKaMPI Version (.{1,60})$")
_BEGIN = re.compile(r'^[#\s]*begin result "(?P<name>[^"]{1,200})"\s*$')
_END = re.compile(r'^[#\s]*end result "[^"]{0,200}"\s*$')
_SETTING = re.compile(r"^# (Started at|Finished at|Total runtime|duration =) *(.+)$")
_ACCOUNTING = re.compile(
    r"^# (?:global|user) accounting info\s*$|^# -{2,80}\s*$|^#\s*$"
    r"|^# (?:(?:user_)?acc_\w{2,8}_time|summed up total|total time) *= +[\d.naif-]+"
    r" +[\d.naif-]+%\s*$"
)
_PARAMETER = re.compile(r'\s*(\w{1,60})= (\[[^\]]*\]|"[^"]*"|<\w+>|\S+)')

_SUMMARY = [
    BYTES,
    Column("latency", "mean", "us"),
    Column("latency", "standard_error", "us"),
    SAMPLES,
]
_MOST_TIMES = 16


def _parameters(line: str) -> tuple[dict[str, str], str]:
    """The parameters that a line begins with, and the rest of it."""
    found: dict[str, str] = {}
    at = 0
    while parameter := _PARAMETER.match(line, at):
        found[parameter[1]] = parameter[2].strip('"')
        at = parameter.end()
    return found, line[at:]


def _of_processes(words: list[str], like: ImportedRow) -> list[ImportedRow] | None:
    """The times of processes, or quantiles over them."""
    values = [None if word == "---" else number(word) for word in words]
    if any(value is None and word != "---" for word, value in zip(words, values, strict=True)):
        return None
    many = len(words)
    each = like.ranks == many or (like.ranks is None and many < _MOST_TIMES)
    rows: list[ImportedRow] = []
    for index, value in enumerate(values):
        if value is None:
            continue
        of = replace(like, metric="latency", value=value, unit="us")
        if each:
            rows.append(replace(of, statistic="mean", process=index, ranks=many))
        else:
            percent = round(100 * index / (many - 1)) if many > 1 else 50
            rows.append(replace(of, statistic=f"p{percent}", variant=_with(of, "of processes")))
    return rows


def _with(like: ImportedRow, more: str) -> str:
    return f"{like.variant}, {more}" if like.variant else more


def _rows(line: str, name: str, at: int) -> list[ImportedRow] | None:
    """A line within the block of a measurement of this name."""
    parameters, rest = _parameters(line)
    words = rest.split()
    if len(words) < len(_SUMMARY):
        return None
    call, _, how = name.partition("-")
    operation, form = operation_of(call)
    ranks = whole(parameters.pop("nodes", ""))
    parameters.pop("count", None)
    others = [f"{key}={value}" for key, value in parameters.items()]
    like = replace(
        about(operation, form), ranks=ranks, variant=", ".join([how, *others][not how :])
    )
    summary = rows_of(words[: len(_SUMMARY)], _SUMMARY, like, at)
    if summary is None:
        return None
    times = _of_processes(words[len(_SUMMARY) :], summary[0])
    return None if times is None else [*summary, *times]


def read(text: str) -> Imported:
    """All measurements of a text."""
    found = Findings()
    name = ""
    for at, line in lines_of(text):
        if version := _VERSION.match(line):
            found.note_version(version[1].strip())
        elif begin := _BEGIN.match(line):
            name = begin["name"]
        elif _END.match(line):
            name = ""
        elif setting := _SETTING.match(line):
            found.note(setting[1].lower().removesuffix(" ="), setting[2])
        elif line.strip() and not _ACCOUNTING.match(line):
            found.add(at, line, _rows(line, name, at) if name else None)
    return found.imported(NAME)
