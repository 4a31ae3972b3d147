"""What is said of ranks that have not come to MPI_Finalize."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from recorded import IRECV, profiled, rank

from stretto.data.profiles import OpenCall, Profile, Snapshot, read_profile
from stretto.errors import ApplicationFailed, InputError
from stretto.launch.profile import parse_every
from stretto.report.unfinished import unfinished_words

CALL = OpenCall("MPI_Irecv", IRECV.object, IRECV.offset, 2_000_000_000)


def test_of_ranks_that_have_finalized_nothing() -> None:
    assert not unfinished_words(Profile([rank(0, 9), rank(1, 9)], []))


def test_up_to_when_the_record_goes_and_why() -> None:
    ranks = [
        replace(rank(0, 4_000_000_000, 4), snapshot=Snapshot(7, "", [CALL])),
        replace(rank(2, 1_000_000_000, 4), snapshot=Snapshot(1, "MPI_Abort")),
        replace(rank(3, 4_000_000_000, 4), snapshot=Snapshot(1, "SIGTERM")),
    ]
    assert unfinished_words(Profile(ranks, [])) == (
        "not all ranks came to MPI_Finalize: the record goes to 4.00 s after MPI_Init "
        "(of rank 2 to 1.00 s); MPI_Abort ended rank 2, SIGTERM ended rank 3; of rank 1 there is "
        "none; rank 0 was in MPI_Irecv then, for 2.00 s"
    )


def test_snapshots_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 9), rank(1, 9)], {})
    (folder / "rank-1.json").unlink()
    with pytest.raises(ApplicationFailed, match="no profile of rank 1"):
        read_profile(folder, 2)
    assert len(read_profile(folder, 2, unfinished=True).ranks) == 1
    snapshot = replace(rank(1, 9), snapshot=Snapshot(3, ""))
    (folder / "rank-1.snapshot").write_bytes(msgspec.json.encode(snapshot))
    (folder / "rank-1.collectives-3").touch()
    found = read_profile(folder, 2, unfinished=True).ranks
    assert [each.snapshot is None for each in found] == [True, False]
    # Which a rank removes when it has written all.
    (folder / "rank-0.snapshot").write_bytes(msgspec.json.encode(snapshot))
    assert read_profile(folder, 2, unfinished=True).ranks == found


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("5m", 300), ("1h", 3600), ("7", 7)])
def test_a_rhythm_is_read(text: str, seconds: int) -> None:
    assert parse_every(text) == seconds


@pytest.mark.parametrize("text", ["0", "0.5s", "", "1d", "-3"])
def test_what_is_no_rhythm_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no time of at least a second"):
        parse_every(text)
