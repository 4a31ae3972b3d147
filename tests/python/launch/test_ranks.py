"""What the guardian makes of connections that come and go between its looks."""

import errno
import select
import socket
import threading
from pathlib import Path

import pytest

from stretto.launch import ranks as module
from stretto.launch.ranks import Ranks


def test_connections_that_were_forgotten_since_the_poll_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STRANGER_S", -1.0)
    place = str(tmp_path / "line")
    with socket.socket(socket.AF_UNIX) as listener, select.epoll() as poll:
        listener.bind(place)
        listener.listen()
        ranks = Ranks(poll, [listener], "key")
        strangers = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        strangers[0].connect(place)
        ranks.hear(listener.fileno())
        strangers[0].send(b"word")
        ready = [fd for fd, _ in poll.poll()]
        strangers[1].connect(place)
        # The first is forgotten for the second, which may get its number and says nothing.
        hearing = threading.Thread(
            target=lambda: [ranks.hear(fd) for fd in (listener.fileno(), *ready)], daemon=True
        )
        hearing.start()
        hearing.join(timeout=20)
        assert not hearing.is_alive()
        # Nobody is there to be accepted, and the second is forgotten: nothing has its number.
        monkeypatch.setattr(module.time, "sleep", lambda _: None)
        ranks.hear(listener.fileno())
        for fd in ready:
            ranks.hear(fd)
        for stranger in strangers:
            stranger.close()


class Full(socket.socket):
    """A listener of a process that may have no more descriptors."""

    def accept(self) -> tuple[socket.socket, object]:
        raise OSError(errno.EMFILE, "Too many open files")


def test_who_cannot_be_accepted_does_not_keep_the_guardian_busy(tmp_path: Path) -> None:
    place = str(tmp_path / "line")
    with Full(socket.AF_UNIX) as listener, select.epoll() as poll:
        listener.bind(place)
        listener.listen()
        ranks = Ranks(poll, [listener], "key")
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(place)
            ranks.hear(listener.fileno())
            assert poll.poll(0) == []
            assert ranks.listens_again_at is not None
            ranks.listen_again()
            assert [fd for fd, _ in poll.poll(0)] == [listener.fileno()]
