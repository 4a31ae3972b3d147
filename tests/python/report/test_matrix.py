"""Who sends to whom: as the ranks recorded it, and as a picture."""

import numpy as np
import pytest
from recorded import rank

from stretto.data.profiles import Comm, Profile
from stretto.report.matrix import Pair, matrix_picture, pairs_of

CHANNEL = np.dtype(
    [
        *((name, "i4") for name in ("comm", "peer", "tag", "role")),
        *((name, "i8") for name in ("messages", "bytes")),
    ]
)
SENT, RECEIVED, ACCESSED = 1, 2, 5


def profile(*channels: list[tuple[int, ...]]) -> Profile:
    """Ranks that have, beside the world, a communicator in which they are the other way round."""
    count = len(channels)
    ranks = [rank(number, 1000, count) for number in range(count)]
    for number, each in enumerate(ranks):
        each.comms.append(Comm("ba", -1, count, count - 1 - number, False, False, 0, 1))
    rows = [np.array(each, dtype=CHANNEL) for each in channels]
    return Profile(ranks, [], [], rows)


def test_pairs_are_ranks_of_the_world_over_all_tags_the_heaviest_first() -> None:
    found = pairs_of(
        profile(
            [(0, 1, 7, SENT, 2, 20), (0, 1, 8, SENT, 1, 5), (1, 0, 0, SENT, 1, 100)],
            [(0, 0, 7, RECEIVED, 2, 20), (0, 1, 0, SENT, 3, 3)],
            [(0, 0, 0, ACCESSED, 4, 16)],
        )
    )
    assert found == [
        Pair(0, 2, messages=1, bytes=100),
        Pair(0, 1, messages=3, bytes=25),
        Pair(2, 0, accesses=4, accessed_bytes=16),
        Pair(1, 1, messages=3, bytes=3),
    ]
    assert pairs_of(Profile([rank(0, 10, 1)], [])) == []


def test_pairs_of_ranks_that_left_no_record_have_their_numbers() -> None:
    whole = profile([(0, 1, 7, SENT, 1, 9)], [], [(0, 1, 7, SENT, 2, 20)])
    found = pairs_of(Profile(whole.ranks[2:], [], [], whole.channels[2:]))
    assert found == [Pair(2, 1, messages=2, bytes=20)]


def test_the_picture_has_a_cell_a_pair() -> None:
    picture = matrix_picture([Pair(2, 0, 5, 4096, 2, 1024), Pair(0, 1, 1, 0)], 3)
    assert picture is not None
    assert (picture.bins, picture.ranks_a_bin) == (3, 1)
    assert [(cell.row, cell.column) for cell in picture.cells] == [(0, 1), (2, 0)]
    light, dark = picture.cells
    assert light.opacity < dark.opacity == 1
    assert dark.words == "rank 2 to rank 0: 5 messages, 4.00 KiB; 2 one-sided accesses, 1.00 KiB"
    assert picture.words == f"most from {dark.words}"
    assert matrix_picture([], 3) is None


@pytest.mark.parametrize("ranks", [33, 1000, 10_000])
def test_of_many_ranks_a_cell_is_of_several(ranks: int) -> None:
    pairs = [Pair(at, (at + 1) % ranks, 1, 8) for at in range(ranks)]
    picture = matrix_picture(pairs, ranks)
    assert picture is not None
    assert picture.bins <= 32
    assert len(picture.cells) <= 2 * picture.bins
    assert picture.bins * picture.ranks_a_bin >= ranks
    assert picture.cells[0].words.startswith("ranks 0 to ")
