"""Tables of text: what the columns are, and a line of them as rows."""

import msgspec
from msgspec.structs import replace

from stretto.data.imported import ImportedRow
from stretto.data.importers.lines import number, whole


class Column(msgspec.Struct, frozen=True):
    """What a column has: a value, or what the values of its line are of.

    Such columns are "bytes", "ranks", "samples", "process", "repetition" and "group". "verdict"
    has Pass or Fail. A column in s becomes values in us.
    """

    metric: str
    statistic: str = ""
    unit: str = ""


BYTES = Column("bytes")
RANKS = Column("ranks")
SAMPLES = Column("samples")
PROCESS = Column("process")
REPETITION = Column("repetition")
GROUP = Column("group")
VERDICT = Column("verdict")

_COUNTS = (BYTES, RANKS, SAMPLES, PROCESS, REPETITION, GROUP)
_IN_US = {"s": 1e6}
_VERDICTS = {"pass": 0.0, "fail": 1.0}


def about(operation: str, form: str) -> ImportedRow:
    """A row of no value yet, from which those of a table are made."""
    return ImportedRow(operation, form, "", "", 0.0, "", 0)


def rows_of(
    words: list[str], columns: list[Column], like: ImportedRow, line: int
) -> list[ImportedRow] | None:
    """A line of a table as rows, or None where any word of it is not what its column has."""
    if len(words) != len(columns):
        return None
    of = replace(like, line=line)
    values: list[tuple[Column, float]] = []
    for word, column in zip(words, columns, strict=True):
        if column in _COUNTS:
            count = whole(word)
            if count is None:
                return None
            if column is GROUP:
                variant = f"{of.variant}, group {count}" if of.variant else f"group {count}"
                of = replace(of, variant=variant)
            else:
                of = replace(of, **{column.metric: count})
        elif column is VERDICT:
            verdict = _VERDICTS.get(word.lower())
            if verdict is None:
                return None
            values.append((Column("wrong", "raw"), verdict))
        else:
            value = number(word)
            if value is None:
                return None
            values.append((column, value))
    return [
        replace(
            of,
            metric=column.metric,
            statistic=column.statistic,
            value=value * _IN_US.get(column.unit, 1.0),
            unit="us" if column.unit in _IN_US else column.unit,
        )
        for column, value in values
    ]
