"""Self-consistent performance guidelines, on made-up times."""

import pytest

from stretto.stats.guideline_list import GUIDELINES
from stretto.stats.guidelines import (
    GuidelineVerdict,
    Timed,
    guideline_tests,
    judged,
)

LAUNCHES = 8
Wanted = dict[Timed, float]


def times(wanted: Wanted) -> dict[Timed, dict[int, float]]:
    return {what: {n: time + 0.001 * n for n in range(LAUNCHES)} for what, time in wanted.items()}


def verdicts(wanted: Wanted, ranks: int = 4) -> dict[str, GuidelineVerdict]:
    tests, _ = guideline_tests(times(wanted), ranks)
    return {f"{it.test.guideline} ({it.test.bytes})": it for it in judged(tests)}


def violated(wanted: Wanted, ranks: int = 4, least: float = 0.05) -> list[str]:
    return [name for name, it in verdicts(wanted, ranks).items() if it.is_violated(least)]


def test_the_list_is_that_of_the_literature() -> None:
    assert len(GUIDELINES) == 23
    assert len({it.operation for it in GUIDELINES}) == 9
    assert len({(it.operation, it.parts) for it in GUIDELINES}) == 23


@pytest.mark.parametrize(("took", "names"), [(10, []), (15, ["bcast <= scatter + allgather (32)"])])
def test_a_bcast_is_no_slower_than_scatter_and_allgather(took: float, names: list[str]) -> None:
    wanted = {Timed("bcast", 32): took, Timed("scatter", 8): 4, Timed("allgather", 8): 7}
    assert violated(wanted) == names


@pytest.mark.parametrize(
    ("guideline", "parts"),
    [
        ("allgather <= gather + bcast", {"gather": 64, "bcast": 256}),
        ("allgather <= alltoall", {"alltoall": 64}),
        ("allgather <= allreduce", {"allreduce": 256}),
        ("allreduce <= reduce + bcast", {"reduce": 64, "bcast": 64}),
        (
            "allreduce <= reduce_scatter_block + allgather",
            {"reduce_scatter_block": 16, "allgather": 16},
        ),
        ("allreduce <= reduce_scatter + allgatherv", {"reduce_scatter": 16, "allgatherv": 16}),
        ("alltoall <= alltoallv", {"alltoallv": 64}),
        ("gather <= allgather", {"allgather": 64}),
        ("gather <= reduce", {"reduce": 256}),
        ("reduce <= allreduce", {"allreduce": 64}),
        ("reduce <= reduce_scatter_block + gather", {"reduce_scatter_block": 16, "gather": 16}),
        ("reduce_scatter_block <= reduce + scatter", {"reduce": 256, "scatter": 64}),
        ("reduce_scatter_block <= allreduce", {"allreduce": 256}),
        ("scan <= exscan + reduce_local", {"exscan": 64, "reduce_local": 64}),
        ("scatter <= bcast", {"bcast": 256}),
        ("scatter <= scatterv", {"scatterv": 64}),
    ],
)
def test_parts_have_the_bytes_that_they_need(guideline: str, parts: dict[str, int]) -> None:
    operation = guideline.partition(" ")[0]
    wanted = {Timed(operation, 64): 100.0}
    wanted |= {Timed(part, size): 10.0 for part, size in parts.items()}
    tests, _ = guideline_tests(times(wanted), 4)
    (test,) = [it for it in tests if it.guideline == guideline]
    assert [(it.operation, it.bytes) for it in test.instead] == list(parts.items())
    assert test.mock_up[0] == 10 * len(parts)


def test_sums_are_made_launch_by_launch() -> None:
    found = {
        Timed("allreduce", 64): {0: 5.0, 1: 5.0, 3: 5.0},
        Timed("reduce", 64): {0: 1.0, 1: 2.0, 2: 9.0},
        Timed("bcast", 64): {1: 3.0, 0: 1.0, 3: 7.0},
    }
    tests, _ = guideline_tests(found, 4)
    (test,) = [it for it in tests if it.guideline == "allreduce <= reduce + bcast"]
    assert (test.took, test.mock_up) == ([5, 5], [2, 5])


def test_a_mock_up_may_pad_but_not_to_twice_what_is_needed() -> None:
    wanted = {Timed("bcast", 64): 9.0, Timed("scatter", 32): 1.0, Timed("allgather", 32): 1.0}
    tests, unchecked = guideline_tests(times(wanted), 3)
    assert "bcast <= scatter + allgather" in [it.guideline for it in tests]
    tests, unchecked = guideline_tests(times(wanted), 4)
    assert "bcast <= scatter + allgather" not in [it.guideline for it in tests]
    missing = {it.guideline: it.missing for it in unchecked}
    assert missing["bcast <= scatter + allgather"] == "scatter of 16 B"
    assert missing["bcast <= allgatherv"] == "allgatherv of 64 B, all of it the root's"


def test_all_of_it_the_roots() -> None:
    wanted = {
        Timed("bcast", 64): 9.0,
        Timed("allgatherv", 64): 1.0,
        Timed("allgatherv", 64, of_root=True): 2.0,
    }
    tests, _ = guideline_tests(times(wanted), 4)
    (test,) = [it for it in tests if it.guideline == "bcast <= allgatherv"]
    assert test.mock_up[0] == 2


def test_more_takes_no_less() -> None:
    wanted = {Timed("scan", 8): 9.0, Timed("scan", 16): 5.0, Timed("scan", 64): 9.0}
    assert violated(wanted) == ["monotony: scan <= scan of 16 B (8)"]


def test_in_pieces_it_takes_no_less() -> None:
    wanted = {Timed("scan", 8): 1.0, Timed("scan", 12): 1.0, Timed("scan", 64): 9.0}
    assert violated(wanted) == ["splitting: scan <= 8 of 8 B (64)"]
    assert "splitting: scan <= 8 of 8 B (64)" in verdicts({**wanted, Timed("scan", 24): 2})


def test_little_and_chance_are_no_violation() -> None:
    wanted = {Timed("gather", 8): 10.4, Timed("gatherv", 8): 10.0}
    (verdict,) = verdicts(wanted).values()
    assert verdict.p < 0.05
    assert not verdict.is_violated(0.05)
    assert verdict.is_violated(0.01)
    few = {
        what: {0: it[0], 1: it[1]} for what, it in times({**wanted, Timed("gather", 8): 90}).items()
    }
    (verdict,) = judged(guideline_tests(few, 4)[0])
    assert not verdict.is_violated(0.05)


def test_what_has_no_bytes_has_no_guidelines() -> None:
    assert guideline_tests(times({Timed("barrier", 0): 1.0, Timed("comm_dup", 0): 2.0}), 4) == (
        [],
        [],
    )
