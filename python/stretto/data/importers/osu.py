"""OSU micro-benchmarks (OMB), versions 5 to 7: blocking, nonblocking, persistent, point-to-point.

A title, perhaps settings, the names of columns, and a line a size:

    # OSU MPI Allreduce Latency Test v7.4
    # Datatype: MPI_INT.
    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
    4                       1.40              1.31              1.52        1000

What columns there are depends on the test and on -f (full), -c (validation), -z (percentiles) and
-D (derived datatypes), so they are read from their names. Without a size (barriers) the table is
one line. Times of collectives are averages over repetitions; mean, min and max are over ranks. How
many ranks there were is said by no line but that of pairs. osu_init prints a sentence instead.

Source: c/util/osu_util_mpi.c (print_only_header, print_only_header_nbc, print_stats), 5.3 to 7.5.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, SAMPLES, VERDICT, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of
from stretto.data.importers.names import COLLECTIVES, operation_of

NAME = "osu"
TITLE = "OSU micro-benchmarks"

_TITLE = re.compile(
    r"^\s*(?:# ?)?OSU (?P<api>[A-Z][\w+]{1,15}?)(?P<memory>-[A-Z][A-Z ]{2,20})?"
    r"[ _](?P<name>[\w/ -]{1,80}) [Tt]est(?: v?(?P<version>\d[\w.-]{0,20}))?\s*$"
)
MARK = re.compile(r"# OSU MPI[-_ ]|\bOSU [A-Z][\w+]{1,15}[-_ ].{1,100} [Tt]est v?\d")

_FORMS = (("non-blocking ", "nonblocking"), ("persistent ", "persistent"))
_SETTING = re.compile(
    r"^# (Datatype|Window creation|Synchronization|Number of Sender threads"
    r"|Number of Receiver threads|Number of forked processes in (?:sender|receiver)): *(.+?)\.?$"
)
_BUFFERS = re.compile(r"^# ((?:Send Buffer|Rank 0 Memory) on .+)$")
_PAIRS = re.compile(r"^# \[ pairs: (\d{1,9}) \] \[ window size: (\w+) \]\s*$")
# Lines have no blanks at their ends: one more \s* would take the square of a run of them.
_COMMENT = re.compile(r"^#\s*(?:Overall = Coll\. Init \+ Compute \+ MPI_Test \+ MPI_Wait)?$")
_STARTUP = re.compile(
    r"^nprocs: (\d{1,9}), min: (\d{1,15}) ms, max: (\d{1,15}) ms, avg: (\d{1,15}) ms\s*$"
)

_LATENCY = Column("latency", "mean", "us")
_COLUMNS = {
    "size": BYTES,
    "iterations": SAMPLES,
    "validation": VERDICT,
    "transmit size": Column("transmitted", "raw", "B"),
    "latency(us)": _LATENCY,
    "avg latency(us)": _LATENCY,
    "min latency(us)": Column("latency", "min", "us"),
    "max latency(us)": Column("latency", "max", "us"),
    "bandwidth(mb/s)": Column("bandwidth", "mean", "MB/s"),
    "mb/s": Column("bandwidth", "mean", "MB/s"),
    "messages/s": Column("message_rate", "mean", "1/s"),
    "overall(us)": Column("overall", "mean", "us"),
    "compute(us)": Column("compute", "mean", "us"),
    "coll. init(us)": Column("initiation", "mean", "us"),
    "mpi_test(us)": Column("test", "mean", "us"),
    "mpi_wait(us)": Column("wait", "mean", "us"),
    "pure comm.(us)": Column("communication", "mean", "us"),
    "min comm.(us)": Column("communication", "min", "us"),
    "max comm.(us)": Column("communication", "max", "us"),
    "overlap(%)": Column("overlap", "mean", "%"),
}
_NAMES = sorted(_COLUMNS, key=len, reverse=True)
_COLUMN = re.compile(
    r"\s+(?:P(?P<percent>\d{1,2}) Tail (?P<tail>Lat\(us\)|BW\(MB/s\))|(?P<name>"
    + "|".join(re.escape(name).replace(r"\(", r" ?\(").replace(r"\ ", " ") for name in _NAMES)
    + r"))(?=\s|$)",
    re.IGNORECASE,
)


def columns_of(text: str) -> list[Column] | None:
    """The columns that a line names, or None where it names anything else."""
    text = " " + text.strip().removeprefix("#").strip()
    columns: list[Column] = []
    at = 0
    while at < len(text):
        found = _COLUMN.match(text, at)
        if found is None:
            return None
        at = found.end()
        if found["name"]:
            columns.append(_COLUMNS[found["name"].lower().replace(" (", "(")])
        elif found["tail"].lower().startswith("lat"):
            columns.append(Column("latency", f"p{int(found['percent'])}", "us"))
        else:
            columns.append(Column("bandwidth", f"p{int(found['percent'])}", "MB/s"))
    return columns or None


def row_of_test(name: str) -> ImportedRow:
    """What the name of a test says of all its rows: "Non-blocking Allreduce Latency"."""
    name, form = f"{name.lower()} ", ""
    for word, means in _FORMS:
        if word in name:
            name, form = name.replace(word, ""), means
    name = name.strip()
    if name == "latency":
        return about("pingpong", form or "blocking")
    operation, usual = operation_of(re.sub(r" personalized exchange|[ _]latency", "", name))
    if operation not in COLLECTIVES:
        operation = operation_of(name)[0]
    return about(operation, form or usual)


def _test_of(title: re.Match[str]) -> ImportedRow:
    """What a title says of all rows below it."""
    name = title["name"]
    variant = (title["memory"] or "").lstrip("-").strip()
    if after := re.search(r"-(cuda managed|cuda|rocm|openacc|sycl|managed)\b", name.lower()):
        variant = after[1].upper()  # as in MPI_Put-CUDA
        name = name[: after.start()] + name[after.end() :]
    if title["api"] != "MPI":
        variant = f"{title['api']} {variant}".strip()
    return replace(row_of_test(name), variant=variant)


def _startup(line: str, like: ImportedRow, number: int) -> list[ImportedRow] | None:
    """What osu_init prints, in ms."""
    found = _STARTUP.match(line)
    if found is None:
        return None
    of = replace(like, ranks=int(found[1]), line=number, metric="latency", unit="us")
    times = zip(("min", "max", "mean"), found.groups()[1:], strict=True)
    return [replace(of, statistic=name, value=1e3 * float(time)) for name, time in times]


def read(text: str) -> Imported:
    """All tables of a text, of one test or of many."""
    found = Findings()
    like: ImportedRow | None = None
    columns: list[Column] = []
    for at, line in lines_of(text):
        if title := _TITLE.match(line):
            like, columns = _test_of(title), []
            if title["version"]:
                found.note_version(title["version"])
        elif not line.strip():
            continue
        elif like is None:
            found.unknown.append((at, line))
        elif named := columns_of(line):
            columns = named
        elif setting := _SETTING.match(line):
            found.note(setting[1].lower(), setting[2])
            if setting[1] == "Datatype":
                like = replace(like, datatype=setting[2])
        elif buffers := _BUFFERS.match(line):
            found.note("buffers", buffers[1])
        elif pairs := _PAIRS.match(line):
            like = replace(like, ranks=2 * int(pairs[1]))
            found.note("pairs", pairs[1])
            found.note("window size", pairs[2])
        elif not _COMMENT.match(line):
            rows = rows_of(line.split(), columns, like, at) if columns else None
            found.add(at, line, rows or _startup(line, like, at))
    return found.imported(NAME)
