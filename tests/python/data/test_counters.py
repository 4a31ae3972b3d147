import json
from pathlib import Path

import pytest

from stretto.data.counters import Handled, Passed, read_counters, summed
from stretto.errors import EnvironmentUnusable, StrettoError


def write_rank(folder: Path, rank: int, **changes: object) -> None:
    counters = {
        "rank": rank,
        "size": 2,
        "abi": "mpich",
        "mpi": "MPICH 5.0.2",
        "thread_level": "multiple",
        "hosts": 1,
        "oversubscribed": False,
        "handled": [{"call": "MPI_Bcast", "algorithm": "binomial", "calls": 5}],
        "passed": [{"call": "MPI_Scan", "reason": "not a schedule yet", "calls": 1}],
        "schedules_built": 2,
        "schedules_reused": 3,
        "progress_wakeups": 4,
    }
    (folder / f"rank-{rank}.json").write_text(json.dumps(counters | changes))


def test_ranks_come_in_order_and_add_up(tmp_path: Path) -> None:
    ring = {"call": "MPI_Bcast", "algorithm": "chain", "calls": 30}
    both = [{"call": "MPI_Bcast", "algorithm": "binomial", "calls": 5}, ring]
    for rank in (10, 2):
        write_rank(tmp_path, rank, handled=both)
    ranks = read_counters(tmp_path)
    assert [each.rank for each in ranks] == [2, 10]
    total = summed(ranks)
    assert total.handled == [
        Handled("MPI_Bcast", "chain", 60),
        Handled("MPI_Bcast", "binomial", 10),
    ]
    assert total.passed == [Passed("MPI_Scan", "not a schedule yet", 2)]
    assert (total.calls_handled, total.calls_passed) == (70, 2)
    assert (total.schedules_built, total.schedules_reused, total.progress_wakeups) == (4, 6, 8)


def test_no_files_are_no_ranks(tmp_path: Path) -> None:
    assert read_counters(tmp_path) == []


@pytest.mark.parametrize("text", ["", "{", '{"rank": 0}', '{"rank": "zero"}'])
def test_a_file_of_another_shape_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "rank-0.json").write_text(text)
    with pytest.raises(StrettoError, match=r"rank-0\.json"):
        read_counters(tmp_path)


def test_what_a_later_drop_in_adds_is_no_fault(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, something_new=1)
    assert len(read_counters(tmp_path)) == 1


@pytest.mark.parametrize(
    ("call", "collective"),
    [
        ("MPI_Iallreduce", "allreduce"),
        ("MPI_Gatherv_init", "gather"),
        ("MPI_Ireduce_scatter_block", "reduce_scatter"),
        ("MPI_Reduce_scatter", "reduce_scatter"),
        ("MPI_Reduce", "reduce"),
        ("MPI_Ineighbor_alltoallw", "neighbor_alltoall"),
    ],
)
def test_a_call_is_a_form_of_its_collective_and_of_no_other(call: str, collective: str) -> None:
    handled = Handled(call, "ring", 1)
    all_ = ("allreduce", "gather", "reduce_scatter", "reduce", "neighbor_alltoall")
    assert [each for each in all_ if handled.is_of(each)] == [collective]


def test_what_is_cut_off_is_no_bug_of_ours(tmp_path: Path) -> None:
    write_rank(tmp_path, 0)
    whole = (tmp_path / "rank-0.json").read_bytes()
    for bad in (whole[:-9], b"", b'"\xff"'):
        (tmp_path / "rank-0.json").write_bytes(bad)
        with pytest.raises(EnvironmentUnusable, match=r"rank-0\.json is not what the drop-in"):
            read_counters(tmp_path)
