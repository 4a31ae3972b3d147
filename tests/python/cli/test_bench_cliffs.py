"""What a setting under which a cliff is probed does to the search."""

import pytest

from stretto.cli import bench_cliffs
from stretto.errors import EnvironmentUnusable, StrettoError
from stretto.launch.bench import NothingMeasured
from stretto.launch.cliff_knobs import Probe


class _Failing:
    def __init__(self, failure: StrettoError) -> None:
        self.failure = failure

    def rows(self, *_: object, **__: object) -> list[object]:
        raise self.failure


def under(failure: StrettoError) -> object:
    probe = Probe("eager limit", "btl_vader_eager_limit=1")
    return bench_cliffs.curves_under(_Failing(failure), "setting-0", "gather", [8], probe)  # type: ignore[arg-type]


def test_an_mpi_that_does_not_run_with_it_is_an_answer() -> None:
    assert under(NothingMeasured("native measures nothing")) == {}


def test_a_disk_that_is_full_is_none() -> None:
    with pytest.raises(EnvironmentUnusable, match="no space"):
        under(EnvironmentUnusable("no space left"))
