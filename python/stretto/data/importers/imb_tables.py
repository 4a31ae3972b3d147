"""The text that all programs of the Intel MPI Benchmarks (IMB) print, 3.2 to 2021.

A title, settings, the list of benchmarks, and a table a benchmark and process group:

    #----------------------------------------------------------------
    # Benchmarking Allreduce
    # #processes = 2
    #----------------------------------------------------------------
           #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
                4            5         0.63         0.70         0.66

Times are averages over the repetitions; min, max and avg are over ranks. t_ovrl and t_pure are
those of the slowest rank. With -multi benchmarks run in groups at once, and with -multi 1 each has
lines of its own. Mbytes are 2^20 bytes in versions 3 and 4, 10^6 later. A size that was left out
(time-out, out-of-mem, int-overflow) has a sentence and no values: such a line counts as unknown.

Source: src_c/IMB_output.c, IMB_declare.h; the program's own output of 2021.11.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, GROUP, SAMPLES, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of
from stretto.data.importers.names import REDUCTIONS, operation_of

_TITLE = re.compile(
    r"^#\s+Intel ?\(R\) MPI Benchmark(?:s| Suite) (?P<version>.{1,40}), MPI-\w{1,8} part\s*$"
)
_RULE = re.compile(r"^#-+\s*$")
_SETTING = re.compile(
    r"^# (Date|Machine|System|Release|Version|MPI Version|MPI Thread Environment"
    r"|Minimum message length in bytes|Maximum message length in bytes"
    r"|MPI_Datatype|MPI_Datatype for reductions|MPI_Op) *: *(.*)$"
)
_BENCHMARK = re.compile(r"^# Benchmarking (?P<multi>Multi-)?(?P<name>\w{1,60})\s*$")
_PROCESSES = re.compile(r"^# #processes = (\d{1,9})(?:; rank order \(rowwise\):)?$")
_GROUPS = re.compile(
    r"^# \( (\d{1,9}) groups of (\d{1,9}) processes each running simultaneous \)\s*$"
)
_LISTED = re.compile(r"^# \w{1,60}\s*$")
# What says nothing about a table: the ranks of groups, those that wait, and fixed sentences.
_REMARK = re.compile(
    r"^#[\s.]*$|^#\s+(?:Group +\d+: +)?[\d.][\d\s.]*$"
    r"|^# \( \d+ additional process(?:es)? waiting in MPI_Barrier\s*\)\s*$"
    r"|^# All processes entering MPI_Finalize\s*$"
    r"|^# Message lengths were user defined\s*$|^# New default behavior from Version 3\.2 on:\s*$"
    r"|^# {1,4}(?:the number of iterations per message size is cut down"
    r"|dynamically when a certain run time \(per message size sample\)"
    r'|is expected to be exceeded\. Time limit is defined by variable|"SECS_PER_SAMPLE" \('
    r"=> IMB_settings\.h\)|or through the flag => -time)\s*$"
)

_LATENCY = {name: Column("latency", name, "us") for name in ("min", "max", "mean")}
_COLUMNS = {
    "Group": GROUP,
    "#bytes": BYTES,
    "#repetitions": SAMPLES,
    "t[usec]": _LATENCY["mean"],
    "t_min[usec]": _LATENCY["min"],
    "t_max[usec]": _LATENCY["max"],
    "t_avg[usec]": _LATENCY["mean"],
    "Mbytes/sec": Column("bandwidth", "mean", "MB/s"),
    "Msg/sec": Column("message_rate", "mean", "1/s"),
    "t_ovrl[usec]": Column("overall", "max", "us"),
    "t_pure[usec]": Column("communication", "max", "us"),
    "t_CPU[usec]": Column("compute", "mean", "us"),
    "overlap[%]": Column("overlap", "mean", "%"),
    "defects": Column("wrong", "raw"),
}


def _columns_of(line: str, version: str | None) -> list[Column]:
    """The columns that a line names; none where it names anything else."""
    words = line.split()
    if "#repetitions" not in words or not set(words) <= set(_COLUMNS):
        return []
    columns = [_COLUMNS[word] for word in words]
    if re.match(r"V?[34]\.", version or ""):
        binary = Column("bandwidth", "mean", "MiB/s")
        columns = [binary if column.metric == "bandwidth" else column for column in columns]
    return columns


def _benchmark(found: re.Match[str], settings: dict[str, str]) -> ImportedRow:
    """What a heading says of all rows below it."""
    name = found["name"].removesuffix("_pure")
    operation, form = operation_of(name)
    if operation in REDUCTIONS:
        datatype, op = settings.get("MPI_Datatype for reductions"), settings.get("MPI_Op")
    else:
        datatype, op = settings.get("MPI_Datatype"), None
    variant = "pure" if name != found["name"] else ""
    return replace(about(operation, form), datatype=datatype, op=op, variant=variant)


def _variant(like: ImportedRow, more: str) -> ImportedRow:
    return replace(like, variant=f"{like.variant}, {more}" if like.variant else more)


class _Reader:
    """Where in the text the next line stands."""

    def __init__(self) -> None:
        self.found = Findings()
        self.like: ImportedRow | None = None
        self.columns: list[Column] = []
        self.within = ""  # "command" and "list" are blocks of lines whose form says little

    def take(self, at: int, line: str) -> None:
        if not self._heading(line) and not self._block(line) and not _REMARK.match(line):
            rows = None
            if self.like is not None and self.columns:
                rows = rows_of(line.split(), self.columns, self.like, at)
            self.found.add(at, line, rows)

    def _heading(self, line: str) -> bool:
        """Takes a line that looks like no other."""
        found = self.found
        if title := _TITLE.match(line):
            found.note_version(title["version"])
            self.like, self.columns, self.within = None, [], ""
        elif setting := _SETTING.match(line):
            if setting[2]:
                found.note(setting[1], setting[2])
        elif re.match(r"^# Calling sequence was:\s*$", line):
            self.within = "command"
        elif re.match(r"^# List of Benchmarks to run:\s*$", line):
            self.within = "list"
        elif _RULE.match(line):
            self.within = ""
        elif benchmark := _BENCHMARK.match(line):
            self.like, self.columns = _benchmark(benchmark, found.now), []
        elif self.like is None:
            return False
        elif processes := _PROCESSES.match(line):
            self.like = replace(self.like, ranks=int(processes[1]))
        elif groups := _GROUPS.match(line):
            at_once = f"{int(groups[1])} groups at once"
            self.like = _variant(replace(self.like, ranks=int(groups[2])), at_once)
        elif columns := _columns_of(line, found.now.get("version")):
            self.columns = columns
        else:
            return False
        return True

    def _block(self, line: str) -> bool:
        """Takes a line of the block that it stands in, if it is one."""
        if self.within == "command" and line.startswith("#"):
            if words := line[1:].strip():
                self.found.note("command", words)
                self.within = "command ends"
            return True
        if self.within == "command ends" and re.match(r"^#? {2,}\S", line):
            self.found.note_more("command", line.lstrip("#"))
            return True
        return self.within == "list" and _LISTED.match(line) is not None


def read_tables(text: str, name: str) -> Imported:
    """All tables of a text, whichever of the programs printed them."""
    reader = _Reader()
    for at, line in lines_of(text):
        if line.strip():
            reader.take(at, line)
        elif reader.within == "command ends":
            reader.within = ""
    return reader.found.imported(name)
