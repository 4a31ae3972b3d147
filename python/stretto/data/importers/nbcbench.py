"""NBCBench 1.0 and 1.1, the benchmark of nonblocking collectives by the authors of Netgauge.

    #| benchmarking MPI_Bcast
    #| each measurement is repeated 50 times and the median (1) is printed
    #p size comp (tests) t_{comp} :: t_{MPI} | t_{NBC} t_{NBCCOMMOV} t_{TEST} t_{WAIT} ...
    2 4096 4096 (3)  25.99 ::  14.07 | 12.16 50.07 11.21 7.87 (24.08) (-0.98/-0.80) 2.86 3.10 ::

Times are in us and medians over repetitions of the slowest rank: the computation, the blocking
operation of the MPI, the nonblocking one by itself, the nonblocking one beside the computation, the
tests and the wait in it, what it took beyond the computation, which share of the communication was
hidden (of NBC's and of MPI's), and single calls of begin and test. Later versions may print the
blocking operation alone: "8 131072  :: 4656.79 ::".

Sources: output and its description in MTT (Performance/NBCBench.pm) and on its mailing list.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, RANKS, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of, number
from stretto.data.importers.names import operation_of

NAME = "nbcbench"
TITLE = "NBCBench"
MARK = re.compile(r"#\| benchmarking \w|#p size comp \(tests\)")

_BENCHMARK = re.compile(r"^#\| benchmarking (\w{1,60})\s*$")
_REPEATED = re.compile(r"^#\| each measurement is repeated (\d{1,9}) times\b")
_REMARK = re.compile(r"^#(?:\||-{2,}|~{2,}|p size |\s*$)")

_WORD = r"([^\s()/|]{1,40})"
_WHOLE = re.compile(
    rf"^\s*{_WORD}\s+{_WORD}\s+{_WORD}\s+\({_WORD}\)\s+{_WORD}\s+::\s+{_WORD}\s+\|"
    rf"\s+{_WORD}\s+{_WORD}\s+{_WORD}\s+{_WORD}\s+\({_WORD}\)\s+\({_WORD}/{_WORD}\)"
    rf"\s+{_WORD}\s+{_WORD}\s+::\s*$"
)
_BLOCKING = re.compile(rf"^\s*{_WORD}\s+{_WORD}\s+::\s+{_WORD}\s+::\s*$")


def _median(metric: str, unit: str = "us") -> Column:
    return Column(metric, "median", unit)


_COLUMNS = [
    RANKS,
    BYTES,
    Column("computed", "raw", "B"),
    Column("tests", "raw"),
    _median("compute"),
    _median("latency"),
    _median("communication"),
    _median("overall"),
    _median("test"),
    _median("wait"),
    _median("exposed"),
    _median("overlap", "%"),
    _median("overlap", "%"),
    _median("initiation"),
    _median("one_test"),
]
_OF_MPI = 5  # the column of the blocking operation
_SHARES = (11, 12)


def _rows(words: list[str], like: ImportedRow, at: int) -> list[ImportedRow] | None:
    """A whole line: shares become per cent, and that of MPI's time a variant."""
    for index in _SHARES:
        share = number(words[index])
        if share is None:
            return None
        words[index] = repr(100 * share)
    rows = rows_of(words, _COLUMNS, like, at)
    if rows is None:
        return None
    first = len(_COLUMNS) - len(rows)  # of ranks and bytes there are no rows
    rows[_OF_MPI - first] = replace(rows[_OF_MPI - first], form="blocking")
    rows[_SHARES[1] - first] = replace(rows[_SHARES[1] - first], variant="of MPI's")
    return rows


def read(text: str) -> Imported:
    """All benchmarks of a text."""
    found = Findings()
    like: ImportedRow | None = None
    for at, line in lines_of(text):
        if benchmark := _BENCHMARK.match(line):
            like = about(operation_of(benchmark[1])[0], "nonblocking")
            found.note("benchmark", benchmark[1])
        elif _REMARK.match(line):
            repeated = _REPEATED.match(line)
            if like is not None and repeated:
                like = replace(like, samples=int(repeated[1]))
            if line.startswith("#|") and line[2:].strip("- "):
                found.note("description", line[2:])
        elif line.strip():
            rows = None
            if like is not None and (whole_line := _WHOLE.match(line)):
                rows = _rows(list(whole_line.groups()), like, at)
            elif like is not None and (blocking := _BLOCKING.match(line)):
                columns = [RANKS, BYTES, _median("latency")]
                rows = rows_of(list(blocking.groups()), columns, replace(like, form="blocking"), at)
            found.add(at, line, rows)
    return found.imported(NAME)
