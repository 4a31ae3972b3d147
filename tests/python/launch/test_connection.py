"""What a rank says over its connection, whole lines at a time."""

import socket
from collections.abc import Iterator

import pytest

from stretto.launch.connection import RankConnection
from stretto.launch.deaths import Lost
from stretto.launch.peers import Peer

INTRODUCTION = "rank 3 pid 17 host here key secret\n"
QUESTION = "of 4 in job runs this\n"


@pytest.fixture
def connection() -> Iterator[RankConnection]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(ours)
        yield RankConnection(ours, 0.0, peer)
        peer.close()


def test_who_shows_the_key_is_no_stranger(connection: RankConnection) -> None:
    assert connection.hear(INTRODUCTION[:-5], "secret") == []
    assert connection.is_stranger
    assert connection.hear(INTRODUCTION[-5:], "secret") == [INTRODUCTION.strip()]
    assert not connection.is_stranger
    assert connection.account() == Lost(3, 17, "here")


def test_who_shows_another_key_is_not_heard(connection: RankConnection) -> None:
    assert connection.hear(INTRODUCTION, "another") is None


@pytest.mark.parametrize(
    ("last", "finalized", "left", "goes_on"),
    [
        ("", False, False, True),
        ("done\n", True, False, False),
        ("left\n", False, True, False),
        ("aborts 9\n", False, False, False),
        ("well\n", False, False, True),
    ],
)
def test_what_a_rank_says_last_is_how_it_ends(
    connection: RankConnection, last: str, finalized: bool, left: bool, goes_on: bool
) -> None:
    connection.hear(INTRODUCTION + QUESTION + last, "secret")
    assert connection.asks()
    assert connection.job == ("job", 4)
    assert (connection.has_finalized, connection.has_left) == (finalized, left)
    assert connection.goes_on() is goes_on
    assert connection.account().aborts == (9 if last.startswith("aborts") else None)
