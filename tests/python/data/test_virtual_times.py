"""The times that ranks wrote in virtual runs."""

from pathlib import Path

import msgspec
import pytest

from stretto.data.virtual_times import Clock, CollectiveCallSite, Flags, RankTimes, read_times
from stretto.errors import ApplicationFailed

WHOLE = b"""{"rank": 1, "size": 2, "abi": "openmpi", "mpi": "Open MPI v4.1.4", "host": "node-3",
 "wall_ns": 5000, "involuntary_switches": 7, "computed_ns": 4000.5, "blocked_ns": 12.5,
 "clocks": [{"scenario": "sim", "end_ns": 4500.0}, {"scenario": "zero", "end_ns": 4000}],
 "flags": {"wildcards": 1, "polls": 2, "clock_reads": 3, "other_threads": 4, "not_followed": 5},
 "sites": [{"function": "MPI_Bcast", "object": "/bin/app", "offset": 64, "symbol": "main",
            "ranks": 2, "calls": 3, "bytes": 24, "waiting_ns": 1.5, "transfer_ns": 2.5}]}"""
REAL = b"""{"rank": 0, "size": 2, "abi": "openmpi", "mpi": "Open MPI v4.1.4", "host": "node-3",
 "wall_ns": 5000, "involuntary_switches": 0}"""


def test_all_ranks_are_read_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "rank-0.json").write_bytes(REAL)
    (tmp_path / "rank-1.json").write_bytes(WHOLE)
    first, second = read_times(tmp_path, 2)
    assert first == RankTimes(0, 2, "Open MPI v4.1.4", "node-3", 5000, 0)
    assert (first.clocks, first.flags, first.call_sites) == ([], Flags(), [])
    assert second.rank == 1
    assert second.computed_ns == 4000.5
    assert second.clocks == [Clock("sim", 4500), Clock("zero", 4000)]
    assert second.flags == Flags(1, 2, 3, 4, 5)
    site = CollectiveCallSite("MPI_Bcast", "/bin/app", 64, "main", 2, 3, 24, 1.5, 2.5)
    assert second.call_sites == [site]
    assert site.place == ("MPI_Bcast", "/bin/app", 64)


def test_nobody_is_asked_for_more_than_the_ranks(tmp_path: Path) -> None:
    (tmp_path / "rank-0.json").write_bytes(REAL)
    assert len(read_times(tmp_path, 1)) == 1
    assert read_times(tmp_path, 0) == []


def test_a_rank_that_wrote_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "rank-0.json").write_bytes(REAL)
    with pytest.raises(ApplicationFailed, match=r"^rank-1 wrote no times: it never"):
        read_times(tmp_path, 2)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ApplicationFailed, match=r"cannot write to .*nothing$") as failed:
        read_times(tmp_path / "nothing", 1)
    assert "\n" not in str(failed.value)
    assert failed.value.exit_code == 4


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        WHOLE[:-1],
        WHOLE + b"}",
        WHOLE.replace(b"5000", b'"long"'),
        WHOLE.replace(b'"rank": 1', b'"rank": 1.5'),
        WHOLE.replace(b'"end_ns"', b'"end"'),
        WHOLE.replace(b"4500.0", b"nan"),
        WHOLE.replace(b'"transfer_ns": 2.5', b'"transfer_ns": null'),
        WHOLE.replace(b"node", b"n\xffde"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "rank-0.json"
    file.write_bytes(text)
    with pytest.raises(ApplicationFailed) as failed:
        read_times(tmp_path, 1)
    assert str(failed.value).startswith(f"{file} is damaged: ")
    assert "\n" not in str(failed.value)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    for cut in range(len(WHOLE)):
        (tmp_path / "rank-0.json").write_bytes(WHOLE[:cut])
        with pytest.raises(ApplicationFailed, match="is damaged: "):
            read_times(tmp_path, 1)


def test_what_a_later_library_adds_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "rank-0.json").write_bytes(REAL[:-1] + b', "more": [1, {"than": "known"}]}')
    assert read_times(tmp_path, 1)[0] == msgspec.json.decode(REAL, type=RankTimes)
