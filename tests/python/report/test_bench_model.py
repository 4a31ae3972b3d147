"""Rows of a benchmark beside predictions."""

from dataclasses import replace

import pytest

from stretto.data.bench_plan import BenchCell, Form
from stretto.data.bench_predictions import Predicted
from stretto.report.bench import BenchRow
from stretto.report.bench_model import Modelled, curves, modelled, sentences, summary
from stretto.stats.estimate import estimate

BCAST = BenchCell(0, "bcast", Form.NONBLOCKING, bytes=2048)


def row(maximum: float, rank_class: str = "non-root", cell: BenchCell = BCAST) -> BenchRow:
    return BenchRow(
        cell=cell,
        rank_class=rank_class,
        implementation="native",
        launches=[1.0],
        time=estimate([1.0]),
        minimum=1.0,
        p95=2.0,
        maximum=maximum,
        ranks=3,
        repetitions=9,
        outliers=0,
        valid=1.0,
        skew_median=None,
        skew_p95=None,
    )


def one(maximum: float, predicted: float, floor: float = 10) -> Modelled:
    return Modelled(row(maximum), Predicted(predicted, floor, "ring"))


@pytest.mark.parametrize(
    ("measured", "residual", "is_off"),
    [(125.0, 0.25, False), (126.0, 0.26, True), (75.0, -0.25, False), (74.0, -0.26, True)],
)
def test_off_is_more_than_a_quarter(measured: float, residual: float, is_off: bool) -> None:
    found = one(measured, 100)
    assert (found.residual, found.is_off) == (pytest.approx(residual), is_off)


def test_what_is_off_is_said_and_counted() -> None:
    found = [one(1500, 1000), one(1100, 1000), one(400, 1000)]
    longer, shorter = sentences(found)
    of = "ibcast of 2.00 KiB, non-root ranks, by native"
    assert longer == f"{of}: 1.50 µs measured, 1.00 µs predicted (ring): 50% longer"
    assert shorter == f"{of}: 400 ns measured, 1.00 µs predicted (ring): 60% shorter"
    assert summary(found) == "1 of 3 rows are within 25% of what is predicted"


def test_rows_without_a_prediction_are_left_out() -> None:
    rows = [row(5), row(5, "root"), row(5, cell=BenchCell(1, "scan", bytes=8))]
    predictions = {
        (0, "non-root", "native"): Predicted(4, 1, "ring"),
        (1, "non-root", "native"): Predicted(0, 0, "nothing moves"),
    }
    assert [each.row for each in modelled(rows, predictions)] == rows[:1]


def test_a_curve_is_of_the_slowest_class_at_each_size() -> None:
    long = BenchCell(1, "bcast", Form.NONBLOCKING, bytes=4096)
    found = [
        Modelled(row(9, cell=long), Predicted(300, 50, "ring")),
        one(9, 100, floor=20),
        replace(one(9, 120, floor=0), row=row(9, "root")),
    ]
    assert curves(found) == {("ibcast", "native"): [(2048, 120, 20), (4096, 300, 50)]}
