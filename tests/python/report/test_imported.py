"""Values of other suites as lines."""

import pytest
from msgspec.structs import replace

from stretto.data.imported import ImportedRow
from stretto.report.imported import lines_of_rows, plain_number, seconds_of

ROW = ImportedRow("allreduce", "nonblocking", "latency", "raw", 2.0, "us", 1, bytes=8)


def test_raw_values_of_a_launch_are_one_line() -> None:
    first = [replace(ROW, repetition=at, value=at, launch=0) for at in (1, 2, 9)]
    second = replace(ROW, repetition=1, launch=1)
    mean = replace(ROW, statistic="mean", value=4.0)
    lines = lines_of_rows([*first, second, mean])
    assert [(it.name, it.statistic, it.words) for it in lines] == [
        ("iallreduce", "median of 3", "2.00 µs"),
        ("iallreduce", "raw", "2.00 µs"),
        ("iallreduce", "mean", "4.00 µs"),
    ]


def test_what_differs_stays_apart() -> None:
    rows = [replace(ROW, repetition=0, variant=variant) for variant in ("", "CUDA")]
    rows += [replace(rows[0], in_place=True), replace(rows[0], metric="wait")]
    rows += [replace(ROW, statistic="mean", process=3)]
    details = [it.details for it in lines_of_rows(rows)]
    assert details == ["", "CUDA", "in place", "", "process 3"]


@pytest.mark.parametrize(
    ("unit", "value", "words"),
    [
        ("us", 12.345, "12.3 µs"),
        ("s", 0.5, "500 ms"),
        ("us", float("nan"), "nan us"),
        ("MB/s", 0.00042, "0.00042 MB/s"),
        ("1/s", 1234567, "1234567 1/s"),
        ("%", 12.34, "12.3 %"),
        ("", 3, "3"),
    ],
)
def test_values_have_their_units(unit: str, value: float, words: str) -> None:
    (line,) = lines_of_rows([replace(ROW, unit=unit, value=value)])
    assert line.words == words


def test_times_are_seconds_and_other_values_none() -> None:
    assert seconds_of(ROW) == pytest.approx(2e-6)
    assert seconds_of(replace(ROW, unit="MB/s")) is None
    assert plain_number(0.5) == "0.5"
