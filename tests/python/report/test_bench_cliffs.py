"""What becomes of a cliff under another setting."""

import numpy as np
import pytest

from stretto.report.bench_cliffs import (
    Curve,
    Found,
    Probed,
    around,
    has_changed,
    sentences,
    verdicts,
)
from stretto.stats.cliffs import Cliff, cliffs

SIZES = [8 << power for power in range(11)]


def curve(jump_beyond: int, factor: float = 10, seed: int = 1) -> Curve:
    """LogGP-like, and `factor` times as long beyond a size."""
    random = np.random.default_rng(seed)
    return {
        size: [
            (500 + 0.2 * size) * (factor if size > jump_beyond else 1) * random.lognormal(0, 0.03)
            for _ in range(6)
        ]
        for size in SIZES
    }


@pytest.fixture(scope="module")
def cliff() -> Cliff:
    (found,) = cliffs(curve(256))
    return found


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (curve(256, seed=2), "stays"),
        (curve(2048), "moves"),
        (curve(1 << 20), "gone"),
        (curve(256, factor=2.5), "smaller"),
        (curve(256, factor=0.1), "gone"),  # one downward is another
    ],
)
def test_verdicts(cliff: Cliff, now: Curve, verdict: str) -> None:
    assert verdicts(cliff, now)[0] == verdict


def test_it_is_looked_for_around_itself(cliff: Cliff) -> None:
    assert around(cliff, SIZES) == [64, 128, 256, 512, 1024, 2048]


def test_sentences_name_what_it_goes_with(cliff: Cliff) -> None:
    probes = [Probed("eager limit", "A=1", "stays", cliff), Probed("TCP", "B=1", "gone", None)]
    found = [
        Found("gather", "non-root", "native", cliff, 1, 10, probes),
        Found("gather", "root", "native", cliff, 1, 10, probes[:1]),
        Found("gather", "root", "native", cliff, 1, 10, []),
    ]
    lines = [*sentences(found)]
    assert lines[0].endswith("it goes with TCP")
    assert "no setting that was tried moves it" in lines[1]
    assert lines[1].endswith("they may have had no effect")
    assert lines[2].endswith("trend has it")


def test_settings_that_changed_a_time_had_an_effect(cliff: Cliff) -> None:
    assert not has_changed(curve(256), curve(256, seed=2))
    assert has_changed(curve(256), curve(2048, seed=2))
    probes = [Probed("eager limit", "A=1", "stays", cliff, has_changed=True)]
    (line,) = sentences([Found("gather", "root", "native", cliff, 1, 10, probes)])
    assert line.endswith("no setting that was tried moves it")
