"""What is known of the process behind a connection."""

import errno
import os
import socket
from pathlib import Path

import pytest

from stretto.launch.peers import Peer


@pytest.mark.parametrize("why", [errno.EMFILE, errno.EACCES])
def test_who_cannot_be_looked_at_is_not_taken_for_dead(
    monkeypatch: pytest.MonkeyPatch, why: int
) -> None:
    def fails(*_: object, **__: object) -> str:
        raise OSError(why, os.strerror(why))

    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(ours)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_text", fails)
            assert not peer.is_dying()
            assert peer.ended_well() is None
        assert not peer.is_dying()
        peer.close()
