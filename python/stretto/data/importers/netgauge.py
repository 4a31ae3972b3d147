"""Netgauge 2.4: what it prints and the files that it writes, of the patterns that MPI users run.

one_one (and patterns that print alike) has a line a size, in three lengths, times in us:

    1 bytes 	 -> 1.97 us 	 == 4.06 Mbit/s
    1 - 0.21 0.22 0.21 0.30 - 1.97 2.01 1.98 2.40 - 3.33 3.98 4.04 4.06
    1 - 0.21 0.22 0.21 0.30 (0.01 2) - 1.97 2.01 1.98 2.40 (0.05 1) - 3.33 3.98 4.04 4.06

which are the size, then minimum, average, median and maximum (and deviation and how many are far
off) of the time in the send, of half of a round trip, and of the throughput. The short line has the
minimum of the time and the median of the throughput. loggp has a table in its file and sentences
on the screen; nbov a table of overheads; collvsnoise times of ten calls of a collective, without
and with other traffic (in parentheses how long that took), by iteration and summed up. Which
collective is fixed when netgauge is built and said nowhere.

Sources: ptrn_one_one.cpp, ptrn_loggp.cpp, ptrn_nbov.c, ptrn_collvsnoise.cpp, netgauge.c.
"""

import re

from msgspec.structs import replace

from stretto.data.imported import Imported, ImportedRow
from stretto.data.importers.columns import BYTES, RANKS, REPETITION, Column, about, rows_of
from stretto.data.importers.lines import Findings, lines_of, whole

NAME = "netgauge"
TITLE = "Netgauge"
MARK = re.compile(
    r"\bNetgauge v\d|# size n PRTT\(1,0,s\)|# datasize wait o\(send\)"
    r"|^.{0,40}?\d+ bytes\s{1,8}-> \S{1,30} us\s{1,8}== \S{1,30} Mbit/s"
    r"|^.{0,40}?# acc: \d+ \d+ \d+ ::",
    re.MULTILINE,
)

_INFO = re.compile(
    r"^# Info: +\(\d+\): Netgauge v(?P<version>\S{1,20}) .*?\(P=(?P<ranks>\d{1,9}),[^)]*\)"
    r" \((?P<command>.*)\)$"
)
_PATTERN = re.compile(r"(?:^| )-x +(\w{1,40})")
_TITLE = re.compile(
    r"^## Netgauge v(?P<version>\S{1,20}) - mode (?P<mode>\S{1,40}) -"
    r" .*?(?P<ranks>\d{1,9}) processes$"
)
_SETTING = re.compile(r"^# (Sysname|Nodename|Release|Version|Machine) *: (.*)$")
_REMARK = re.compile(
    r"^##(?:\s*$|  ? ?[A-Z]\.\.\.| +[A-Z]  ?-|\s{2,}\S| time-measurement)|^# ?\.*$"
    r"|^# Info: +\(\d+\): |^# initializing .{1,40} timer|^# to get (?:o|g,G): plot "
    r"|^Testing \d+ bytes \d+ times:\s*$|^\.+$"
)

_WORD = r"([^\s()|]{1,40})"
_FOUR = " ".join([_WORD] * 4)


def _line(*parts: str) -> re.Pattern[str]:
    """A line of these parts, however many blanks there are between words."""
    return re.compile(r"^\s*" + "".join(parts).replace(" ", r"\s+") + r"\s*$")


def _four(metric: str, unit: str) -> list[Column]:
    return [Column(metric, name, unit) for name in ("min", "mean", "median", "max")]


def _more(metric: str) -> list[Column]:
    return [Column(metric, "deviation", "us"), Column(metric, "outliers")]


_SEND, _LATENCY, _RATE = _four("send", "us"), _four("latency", "us"), _four("bandwidth", "Mbit/s")
_FOUR_AND = f"{_FOUR} \\({_WORD} {_WORD}\\)"
_PINGPONG = [
    (
        _line(rf"{_WORD} bytes -> {_WORD} us == {_WORD} Mbit/s"),
        [BYTES, _LATENCY[0], _RATE[2]],
    ),
    (
        _line(rf"{_WORD} - {_FOUR} - {_FOUR} - {_FOUR}"),
        [BYTES, *_SEND, *_LATENCY, *_RATE],
    ),
    (
        _line(rf"{_WORD} - {_FOUR_AND} - {_FOUR_AND} - {_FOUR}"),
        [BYTES, *_SEND, *_more("send"), *_LATENCY, *_more("latency"), *_RATE],
    ),
]

_TABLES = {
    "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)": (
        "loggp",
        _line(" ".join([_WORD] * 11)),
        [
            BYTES,
            Column("messages", "raw"),
            *(Column(name, "median", "us") for name in ("PRTT(1,0,s)", "PRTT(n,0,s)")),
            Column("PRTT(n,PRTT(1,0,s),s)", "median", "us"),
            *(Column(name, "median", "us") for name in ("L", "o_s", "o_r", "g")),
            Column("G", "median", "us/B"),
            Column("lsqu(g,G)", "raw"),
        ],
    ),
    "# datasize wait o(send) o(recv) | o(send test) o(recv test) | rtt": (
        "nbov",
        _line(rf"{_WORD} {_WORD} {_WORD} {_WORD} \| {_WORD} {_WORD} \| {_WORD}"),
        [
            BYTES,
            Column("delay", "raw", "us"),
            *(Column(name, "mean", "us") for name in ("send", "receive", "send_test")),
            *(Column(name, "mean", "us") for name in ("receive_test", "round_trip")),
        ],
    ),
}

_LOGGP_TIME = _line(
    rf"n is {_WORD}, d is {_WORD}, o_r is {_WORD}, s is {_WORD}, the median latency in the test is"
    rf" {_WORD} \(us\)"
)
_LOGGP = _line(
    rf"L={_WORD} s={_WORD} o_s={_WORD} o_r={_WORD} g={_WORD} G={_WORD} \({_WORD} GiB/s\)"
    rf" lsqu\(g,G\)={_WORD}"
)
_LOGGP_COLUMNS = [
    Column("L", "median", "us"),
    BYTES,
    *(Column(name, "median", "us") for name in ("o_s", "o_r", "g")),
    Column("G", "median", "us/B"),
    Column("bandwidth", "median", "GiB/s"),
    Column("lsqu(g,G)", "raw"),
]

_NOISE_OF = ["without other traffic", "with other traffic"]
_NOISE = _line(rf"{_WORD} {_WORD} {_WORD} {_WORD} :: {_WORD} \({_WORD}\) {_WORD} \({_WORD}\)")
_NOISE_SUM = re.compile(
    rf"^# acc: {_WORD} {_WORD} {_WORD} :: {_WORD} \({_WORD}\), {_WORD} \({_WORD}\)\s*$"
)


def _noise(words: list[str], like: ImportedRow, at: int) -> list[ImportedRow] | None:
    """An iteration of collvsnoise: all ranks, those of the collective, the number, the size."""
    of = [RANKS, REPETITION, BYTES, Column("latency", "raw", "us"), Column("traffic", "raw", "us")]
    return _twice(words, [4, 6], words[1:4], of, like, at)


def _noise_sum(words: list[str], like: ImportedRow, at: int) -> list[ImportedRow] | None:
    of = [RANKS, BYTES, Column("latency", "mean", "us"), Column("latency", "median", "us")]
    return _twice(words, [3, 5], words[1:3], of, like, at)


def _twice(
    words: list[str],
    starts: list[int],
    fixed: list[str],
    columns: list[Column],
    like: ImportedRow,
    at: int,
) -> list[ImportedRow] | None:
    """The two values from each of the places on, one pair without and one with other traffic."""
    if whole(words[0]) is None:
        return None
    found: list[ImportedRow] = []
    for start, variant in zip(starts, _NOISE_OF, strict=True):
        of = replace(like, operation="collvsnoise", variant=f"{variant}, of {words[0]} ranks")
        rows = rows_of([*fixed, *words[start : start + 2]], columns, of, at)
        if rows is None:
            return None
        found += rows
    return found


class _Reader:
    """What has been said of the lines that follow."""

    def __init__(self) -> None:
        self.found = Findings()
        self.pattern = "pingpong"
        self.ranks: int | None = None
        self.table: tuple[str, re.Pattern[str], list[Column]] | None = None

    def take(self, at: int, line: str) -> None:
        found = self.found
        if info := _INFO.match(line):
            self._begin(info["version"], int(info["ranks"]))
            found.note("command", info["command"])
            pattern = _PATTERN.search(info["command"])
            self.pattern = pattern[1] if pattern and pattern[1] != "one_one" else "pingpong"
        elif title := _TITLE.match(line):
            self._begin(title["version"], int(title["ranks"]))
            found.note("mode", title["mode"])
        elif setting := _SETTING.match(line):
            found.note(setting[1].lower(), setting[2])
        elif line.strip() in _TABLES:
            self.table = _TABLES[line.strip()]
        elif (rows := self._rows(line, at)) or not _REMARK.match(line):
            found.add(at, line, rows)

    def _begin(self, version: str, ranks: int) -> None:
        self.found.note_version(version)
        self.ranks = ranks
        self.table = None

    def _rows(self, line: str, at: int) -> list[ImportedRow] | None:
        like = replace(about(self.pattern, "blocking"), ranks=self.ranks)
        for form, columns in _PINGPONG:
            if found := form.match(line):
                return rows_of(list(found.groups()), columns, like, at)
        if found := _LOGGP.match(line):
            return rows_of(
                list(found.groups()), _LOGGP_COLUMNS, replace(like, operation="loggp"), at
            )
        if found := _LOGGP_TIME.match(line):
            n, d, o_r, size, time = found.groups()
            of = replace(like, operation="loggp", variant=f"n={n}, d={d}, o_r={o_r}")
            return rows_of([size, time], [BYTES, Column("PRTT", "median", "us")], of, at)
        if found := _NOISE.match(line):
            return _noise(list(found.groups()), like, at)
        if found := _NOISE_SUM.match(line):
            return _noise_sum(list(found.groups()), like, at)
        if self.table is not None and (found := self.table[1].match(line)):
            of = replace(like, operation=self.table[0])
            return rows_of(list(found.groups()), self.table[2], of, at)
        return None


def read(text: str) -> Imported:
    """All lines of a text, of one pattern or of several."""
    reader = _Reader()
    for at, line in lines_of(text):
        if line.strip():
            reader.take(at, line)
    return reader.found.imported(NAME)
