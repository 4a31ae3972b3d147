"""How the time of calls for messages is divided where not all ranks have finalized."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray
from recorded import rank

from stretto.data.profile_messages import read_channels, read_messages
from stretto.data.profiles import CallSite, Profile, RankProfile, Snapshot
from stretto.report.profile import summarise

SENT, RECEIVED = 1, 2
RECV = CallSite(
    *("MPI_Recv", "point-to-point", "/bin/app", 16, "main", 0, 2, 16, 400, 200, [(4, 2)]),
    message_ns=400,
)
SEND = replace(RECV, function="MPI_Send", offset=32)


def row(peer: int, role: int, begin: int, call: int, site: int) -> tuple[int, ...]:
    """One side of a message that its own call of 200 ns completed."""
    return (begin, begin, begin + 200, 0, call, 0, peer, 7, site, 1, role)


def rows(kind: Any, of: RankProfile, each: list[tuple[int, ...]]) -> NDArray[Any]:
    return np.array(each, dtype=kind(Path(), of).dtype)


def profile(ranks: list[RankProfile]) -> Profile:
    """Rank 1 receives a message of rank 0's, and one of rank 2's."""
    messages = {
        0: [row(1, SENT, 1100, 0, 0)],
        1: [row(0, RECEIVED, 1000, 0, 0), row(2, RECEIVED, 2000, 1, 0)],
        2: [row(1, SENT, 2150, 0, 0)],
    }
    channels = {
        0: [(0, 1, 7, SENT, 1, 8)],
        1: [(0, 0, 7, RECEIVED, 1, 8), (0, 2, 7, RECEIVED, 1, 8)],
        2: [(0, 1, 7, SENT, 1, 8)],
    }
    kept = [each.rank if each.snapshot is None else -1 for each in ranks]
    return Profile(
        ranks,
        [np.empty(0) for _ in ranks],
        [rows(read_messages, ranks[0], messages.get(number, [])) for number in kept],
        [rows(read_channels, ranks[0], channels.get(number, [])) for number in kept],
    )


def three() -> list[RankProfile]:
    """Ranks that have a call site each: one receives, the others send."""
    sites = [[SEND], [RECV], [SEND]]
    return [replace(rank(n, 9000, 3), call_sites=sites[n]) for n in range(3)]


def late_senders(ranks: list[RankProfile]) -> dict[str, float | None]:
    found = summarise(profile(ranks)).call_sites
    return {site.function: site.late_sender_s for site in found}


def test_calls_whose_messages_are_known_are_divided() -> None:
    assert late_senders(three())["MPI_Recv"] == pytest.approx(250e-9)


@pytest.mark.parametrize("is_missing", [True, False])
def test_calls_that_may_have_waited_for_a_rank_that_is_not_on_record_are_not(
    is_missing: bool,
) -> None:
    ranks = three()
    ranks[2:] = [] if is_missing else [replace(ranks[2], snapshot=Snapshot(1, ""))]
    assert late_senders(ranks)["MPI_Recv"] is None


def test_ranks_are_told_by_their_number_where_the_first_is_missing() -> None:
    ranks = three()[1:]
    ranks[0] = replace(ranks[0], call_sites=[replace(RECV, offset=48), RECV])
    found = profile(ranks)
    found.messages[0]["site"][:] = (0, 1)  # from rank 2 at a place of its own
    (site,) = [s for s in summarise(found).call_sites if s.late_sender_s]
    assert site.most_awaited is not None
    assert (site.place.offset, site.most_awaited[0]) == (RECV.offset, 2)
