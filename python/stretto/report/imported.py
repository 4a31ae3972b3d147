"""What a file of another suite says, as lines for people."""

from collections.abc import Sequence
from dataclasses import dataclass

from stretto.data.bench_plan import name_of
from stretto.data.imported import ImportedRow
from stretto.report.words import seconds, significant
from stretto.stats.summary import median

RAW = "raw"
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class ImportedLine:
    """One value of a file, or the median of the raw ones that are alike."""

    row: ImportedRow
    statistic: str  # "mean", or "median of 500"
    value: float  # in the row's unit

    @property
    def name(self) -> str:
        """As MPI calls the function."""
        return name_of(self.row.operation, self.row.form)

    @property
    def words(self) -> str:
        """The value with its unit."""
        scale = _SECONDS.get(self.row.unit)
        if scale is not None and 0 <= self.value < float("inf"):
            return seconds(self.value * scale)
        return f"{plain_number(self.value)} {self.row.unit}".rstrip()

    @property
    def details(self) -> str:
        """What tells it apart from others of that operation and size."""
        row = self.row
        place = "in place" if row.in_place else None
        launch = None if row.launch is None else f"launch {row.launch}"
        of_one = row.process is not None and row.statistic != RAW
        process = f"process {row.process}" if of_one else None
        return ", ".join(filter(None, (row.variant, row.datatype, row.op, place, launch, process)))


def seconds_of(row: ImportedRow) -> float | None:
    """A time in seconds; None of what is no time."""
    scale = _SECONDS.get(row.unit)
    return None if scale is None else row.value * scale


def invalid_repetitions(rows: Sequence[ImportedRow]) -> set[tuple[object, ...]]:
    """As `repetition_of` has them: those of which any process says that it came too late."""
    return {repetition_of(row) for row in rows if row.metric == "error_code" and row.value}


def repetition_of(row: ImportedRow) -> tuple[object, ...]:
    """What processes' raw values of one repetition have in common."""
    of = (row.operation, row.form, row.bytes, row.ranks, row.variant, row.datatype, row.op)
    return *of, row.in_place, row.launch, row.repetition


def lines_of_rows(rows: Sequence[ImportedRow]) -> list[ImportedLine]:
    """A line a value in the file's order, raw ones of a launch together by their median.

    Those of invalid repetitions are together, too, and never with valid ones.
    """
    invalid = invalid_repetitions(rows)
    alike: dict[tuple[object, ...], list[ImportedRow]] = {}
    for number, row in enumerate(rows):
        of = (row.operation, row.form, row.metric, row.unit, row.bytes, row.ranks, row.launch)
        key: tuple[object, ...] = (*of, row.in_place, row.datatype, row.op, row.variant)
        one_of_many = row.statistic == RAW and (row.repetition, row.process) != (None, None)
        key = (*key, _is_bad(row, invalid)) if one_of_many else (number,)
        alike.setdefault(key, []).append(row)
    return [_line_of(group, is_bad=_is_bad(group[0], invalid)) for group in alike.values()]


def _is_bad(row: ImportedRow, invalid: set[tuple[object, ...]]) -> bool:
    return row.metric != "error_code" and repetition_of(row) in invalid


def _line_of(group: Sequence[ImportedRow], *, is_bad: bool) -> ImportedLine:
    words = " invalid" if is_bad else ""
    if len(group) == 1:
        return ImportedLine(group[0], group[0].statistic + words, group[0].value)
    middle = median([each.value for each in group])
    return ImportedLine(group[0], f"median of {len(group)}{words}", middle)


def plain_number(value: float) -> str:
    """Three significant digits, but all digits of whole numbers."""
    if value == value // 1:
        return f"{value:.0f}"
    return significant(value) if abs(value) >= 1 else f"{value:.3g}"
