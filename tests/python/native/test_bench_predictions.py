"""Predictions of a benchmark's cells, on the real native tool."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from stretto.data.bench_plan import BenchCell, Form
from stretto.errors import InputError
from stretto.model.machine import Collective, Machine, read_machine
from stretto.native.bench_predictions import Predictor, Surroundings, predictor
from stretto.native.schedules import Unsuited, explain, simulate

FOUR = Surroundings(ranks=4, hosts=4, crowded=False, cold=False)
BCAST = BenchCell(0, "bcast", bytes=1 << 16)


def ethernet(*measured: Collective) -> Machine:
    return replace(read_machine("ethernet-10g"), collective=[*measured])


@pytest.fixture
def predict() -> Iterator[Predictor]:
    with predictor(ethernet(Collective("bcast", 1 << 16, 4, 1000.0)), FOUR) as found:
        yield found


def simulated(predict: Predictor, name: str, algorithm: str, *options: str) -> list[float]:
    words = ["--ranks", "4", "--machine", predict.file, "--ends", "--element-bytes", "8"]
    return simulate(name, algorithm, [*words, "--count", str((1 << 16) // 8), *options]).ends_ns


def test_a_forced_algorithm_is_simulated(predict: Predictor) -> None:
    cell = BenchCell(0, "allreduce", bytes=1 << 16)
    found = predict.of(cell, "stretto:bcast=chain+allreduce=recursive_doubling")["all"]
    assert found.by == "recursive_doubling"
    assert found.ns == max(simulated(predict, "allreduce", "recursive_doubling"))
    assert 0 < found.floor_ns < found.ns


def test_stretto_runs_what_explain_says(predict: Predictor) -> None:
    options = ["--ranks", "4", "--hosts", "4", "--bytes", str(1 << 16), "--machine", predict.file]
    chosen = explain("bcast", options).chosen.algorithm
    assert predict.of(BCAST, "stretto")["non-root"].by == chosen


def test_of_the_mpi_the_measured_time_is_the_slowest_ranks(predict: Predictor) -> None:
    found = predict.of(BCAST, "native")
    assert max(each.ns for each in found.values()) == pytest.approx(1000)
    assert found["root"].ns < found["non-root"].ns
    assert {each.by for each in found.values()} == {"the MPI's, as calibrated"}
    assert "its own settings" in predict.of(BCAST, "native:coll_han_priority=100")["root"].by


def test_of_the_mpi_without_times_the_fastest_stands_for_it(predict: Predictor) -> None:
    cell = BenchCell(0, "gather", bytes=1 << 16, root=2)
    found = predict.of(cell, "native")["root"]
    assert found.by.endswith(", the fastest of Stretto's")
    ways = [simulated(predict, "gather", each, "--root", "2") for each in ("linear", "binomial")]
    assert found.ns == pytest.approx(min(max(each) for each in ways))


@pytest.mark.parametrize("form", [Form.NONBLOCKING, Form.PERSISTENT])
def test_other_forms_are_not_the_mpis_because_blocking_calls_are(form: Form) -> None:
    here = Surroundings(ranks=4, hosts=1, crowded=False, cold=False)
    cell = BenchCell(0, "gather", bytes=8)
    with predictor(ethernet(Collective("gather", 8, 4, 1000.0)), here) as predict:
        assert predict.of(cell, "stretto")["root"].by == "the MPI's, as calibrated"
        for text in ("stretto:STRETTO_SELECTION=stretto", "stretto:gather=linear"):
            assert "MPI" not in predict.of(cell, text)["root"].by
        assert "MPI" not in predict.of(replace(cell, form=form), "stretto")["root"].by
        forced = predict.of(replace(cell, form=form), "stretto:gather=native")
        assert forced["root"].by == "the MPI's blocking one, as calibrated"


@pytest.mark.parametrize(
    ("operation", "same"),
    [("alltoallw", "alltoall"), ("gatherv", "gather"), ("reduce_scatter_block", "reduce_scatter")],
)
def test_even_blocks_are_those_of_the_plain_function(
    predict: Predictor, operation: str, same: str
) -> None:
    found = [predict.of(BenchCell(0, each, bytes=1024), "stretto") for each in (operation, same)]
    assert found[0] == found[1]


def test_a_barrier_and_a_moving_root(predict: Predictor) -> None:
    assert predict.of(BenchCell(0, "barrier"), "stretto")["all"].floor_ns == 0
    assert [*predict.of(replace(BCAST, root_step=1), "native")] == ["all"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"compute_ns": 5}, "work"),
        ({"tests": 3}, "work"),
        ({"delays_ns": [0, 1]}, "late"),
        ({"comm": "halves"}, "communicator"),
        ({"counts": [1, 2]}, "lengths"),
        ({"operation": "reduce_scatter", "of_root": True}, "lengths"),
        ({"operation": "neighbor_alltoall"}, "topology"),
        ({"operation": "pingpong"}, "schedule"),
        ({"operation": "reduce_local"}, "schedule"),
        ({"bytes": 0}, "no data"),
        ({"bytes": 1 << 31}, "2 GiB"),
    ],
)
def test_what_is_not_simulated_is_said(
    predict: Predictor, changed: dict[str, Any], why: str
) -> None:
    with pytest.raises(Unsuited, match=why):
        predict.of(replace(BCAST, **changed), "native")


def test_hosts_must_be_in_the_machine() -> None:
    one_host = replace(ethernet(), level=ethernet().level[:1])
    here = replace(one_host, level=[replace(one_host.level[0], name="host", holds=None)])
    with pytest.raises(InputError, match="has no network"), predictor(here, FOUR):
        pass
    network = replace(ethernet(), level=ethernet().level[-1:])
    two_each = Surroundings(ranks=4, hosts=2, crowded=False, cold=False)
    with pytest.raises(InputError, match="2 ranks on a host"), predictor(network, two_each):
        pass
