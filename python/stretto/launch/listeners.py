"""Where ranks connect to the guardian, whose descriptors may run out: standard library only."""

import errno
import os
import resource
import select
import socket
import time
from collections.abc import Callable

# How long nobody is accepted who connects while this process may have no more descriptors, unless
# one of its connections ends before.
FULL_S = 1.0
_TOO_MANY = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listeners:
    """The listening sockets, polled with all else the guardian waits for.

    One descriptor is kept in reserve, to tell those no for whom there are no others, one after
    the other. `make_room` closes descriptors that can be done without, and says whether it did.
    """

    def __init__(
        self, poll: select.epoll, listeners: list[socket.socket], make_room: Callable[[], bool]
    ) -> None:
        self._poll = poll
        self._by_fd = {listener.fileno(): listener for listener in listeners}
        self._make_room = make_room
        self._reserve = _reserved()
        self._last: int | None = None  # the connection that has the reserved one
        self._full: list[int] = []  # listeners where one waits who cannot be accepted
        self.listens_again_at: float | None = None
        for fd, listener in self._by_fd.items():
            listener.setblocking(False)
            poll.register(fd, select.EPOLLIN)

    def __contains__(self, fd: int) -> bool:
        return fd in self._by_fd

    def accept(self, fd: int) -> socket.socket | None:
        """Who waits there, unless it is gone again or cannot be accepted now."""
        listener = self._by_fd[fd]
        connection, is_full = _accept_at(listener)
        if is_full and self._make_room():
            connection, is_full = _accept_at(listener)
        if is_full and self._reserve is not None:
            os.close(self._reserve)
            connection, is_full = _accept_at(listener)
            self._last = connection.fileno() if connection is not None else None
            self._reserve = _reserved() if connection is None else None
        if is_full:
            self._stop_listening(fd)
        return connection

    def is_last(self, connection: int) -> bool:
        """Whether it has taken the last descriptor that there is."""
        return connection == self._last

    def closed(self, connection: int) -> None:
        """There is a descriptor for those who wait."""
        if self.is_last(connection):
            self._last = None
            self._reserve = _reserved()
        self.listen_again()

    def listen_again(self) -> None:
        """There may be a descriptor for those who wait."""
        for fd in self._full:
            self._poll.register(fd, select.EPOLLIN)
        self._full.clear()
        self.listens_again_at = None

    def take_no_more(self) -> None:
        """Only those who are there are heard from now on."""
        for fd in self._by_fd:
            if fd not in self._full:
                self._poll.unregister(fd)
        self._by_fd.clear()
        self._full.clear()

    def _stop_listening(self, fd: int) -> None:
        """Where one waits who cannot be accepted, every poll would find that and nothing else."""
        self._poll.unregister(fd)
        self._full.append(fd)
        self.listens_again_at = time.monotonic() + FULL_S


def limit_in_words() -> str:
    """Why a rank cannot be kept, for the line that says so."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"`stretto run` may have no more than {most} descriptors (ulimit -Hn), too few for"


def _accept_at(listener: socket.socket) -> tuple[socket.socket | None, bool]:
    """Who waits there, unless it is gone again; whether there is no descriptor for it."""
    try:
        return listener.accept()[0], False
    except OSError as error:
        return None, error.errno in _TOO_MANY


def _reserved() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return None
