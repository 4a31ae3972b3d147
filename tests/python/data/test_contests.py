"""The file of what was measured: damage is one line, as a program may have had its folder."""

from pathlib import Path

import msgspec
import pytest

from stretto.data.contests import (
    Contest,
    ContestPlan,
    Contests,
    ContestTimes,
    Pattern,
    Way,
    read_contests,
)
from stretto.errors import ApplicationFailed

NONE = Pattern("none", [0.0, 0.0])
WAYS = [Way("native"), Way("ring")]
PLAN = ContestPlan(3, [Contest(name, 8, [NONE], WAYS) for name in ("bcast", "allreduce")])


def measured(*cases: ContestTimes) -> Contests:
    return Contests("Open MPI 5.0.11", 2, 1, crowded=False, cases=list(cases))


def times(name: str, by_way: list[list[float]], size: int = 8) -> ContestTimes:
    return ContestTimes(name, size, [by_way])


BCAST = times("bcast", [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
ALLREDUCE = times("allreduce", [[1.0, 2.0], [2.0, 2.0]])  # long rounds: there are fewer


def test_what_was_planned_is_read(tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    found = measured(BCAST, ALLREDUCE)
    path.write_bytes(msgspec.json.encode(found))
    assert read_contests(path, PLAN) == found


@pytest.mark.parametrize(
    "cases",
    [
        [BCAST],
        [BCAST, ALLREDUCE, ALLREDUCE],
        [ALLREDUCE, BCAST],
        [BCAST, times("allreduce", [[1.0]])],  # of one way
        [BCAST, times("allreduce", [[1.0], []])],
        [BCAST, times("allreduce", [[1.0], [1.0]], size=9)],
        [BCAST, ContestTimes("allreduce", 8, [])],
        [BCAST, ContestTimes("allreduce", 8, [[[1.0], [1.0]], [[1.0], [1.0]]])],
    ],
)
def test_other_times_are_damage(cases: list[ContestTimes], tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    path.write_bytes(msgspec.json.encode(measured(*cases)))
    with pytest.raises(ApplicationFailed, match=r"times\.json is damaged: it has other times than"):
        read_contests(path, PLAN)


DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"\xff", b'{"mpi": ' + b"[" * DEEP + b"]" * DEEP + b"}", b"[" * DEEP],
)
def test_other_text_is_damage(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    path.write_bytes(text)
    with pytest.raises(ApplicationFailed, match=r"times\.json is damaged: ") as said:
        read_contests(path, PLAN)
    assert "\n" not in str(said.value)


def test_a_program_without_mpi_measured_nothing(tmp_path: Path) -> None:
    with pytest.raises(ApplicationFailed, match="it never came to MPI_Init"):
        read_contests(tmp_path / "times.json", PLAN)
