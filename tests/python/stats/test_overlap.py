"""Overlap by three formulas, in cases whose answer is plain."""

from collections.abc import Callable

import numpy as np
import pytest

from stretto.stats.overlap import imb_share, osu_percent, over_ideal


@pytest.mark.parametrize(
    ("total", "communication", "compute", "osu", "imb", "ideal"),
    [
        (100, 50, 100, 100, 1, 1),  # all of it behind the computation
        (150, 50, 100, 0, 0, 1.5),  # one after the other
        (125, 50, 100, 50, 0.5, 1.25),
        (100, 100, 25, 25, 1, 1),  # all that the computation is long enough for
        (125, 100, 25, 0, 0, 1.25),
        (200, 100, 100, 0, 0, 2),
        (200, 50, 100, -100, -1, 2),  # worse than one after the other: not cut off
        (90, 50, 100, 120, 1.2, 0.9),  # faster than the computation alone: neither
    ],
)
def test_overlap_of(
    total: float, communication: float, compute: float, osu: float, imb: float, ideal: float
) -> None:
    times = (total, communication, compute)
    assert osu_percent(*times) == pytest.approx(osu)
    assert imb_share(*times) == pytest.approx(imb)
    assert over_ideal(*times) == pytest.approx(ideal)


@pytest.mark.parametrize("formula", [osu_percent, imb_share, over_ideal])
def test_arrays_are_taken_element_by_element(formula: Callable[..., np.ndarray]) -> None:
    total, communication = np.array([100.0, 150, 125]), np.array([50.0, 60, 70])
    found = formula(total, communication, 100)
    assert found.shape == (3,)
    each = [formula(*times, 100) for times in zip(total, communication, strict=True)]
    assert found.tolist() == each


@pytest.mark.parametrize("times", [(0, 1, 1), (1, 0, 1), (1, 1, [1, 0]), (-1, 1, 1)])
def test_times_that_are_none_are_refused(times: tuple[object, object, object]) -> None:
    with pytest.raises(ValueError, match="positive"):
        osu_percent(*times)
