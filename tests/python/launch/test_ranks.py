"""What the guardian makes of the connections of ranks, and of strangers."""

import errno
import gc
import random
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stretto.launch import ranks as module
from stretto.launch import roll_call
from stretto.launch.connection import MOST_LINES, RankConnection
from stretto.launch.deaths import NOTICES, JobRanks, Lost
from stretto.launch.peers import Peer
from stretto.launch.ranks import Ranks
from stretto.launch.roll_call import NO_NAME, RollCall


class Launch:
    """A guardian's ear, and those who connect to it over TCP."""

    def __init__(self) -> None:
        self.poll = select.epoll()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.ranks = Ranks(self.poll, [self.listener], "key")
        self.lines: list[socket.socket] = []

    def connect(self, words: bytes = b"") -> socket.socket:
        line = socket.create_connection(self.listener.getsockname())
        self.lines.append(line)
        line.sendall(words)
        return line

    def rank(self, number: int, size: int, job: str) -> socket.socket:
        """One that has asked whether all run Stretto, of which the guardian has heard."""
        told = f"rank {number} pid 5 host h key key\nof {size} in {job} runs this\n"
        line = self.connect(told.encode())
        self.hear_all()
        return line

    def hear_all(self) -> None:
        """All that has been said by now, and who has gone by now."""
        while ready := self.poll.poll(0.02):
            for fd, _ in ready:
                self.ranks.hear(fd)

    def end(self) -> None:
        for line in (*self.lines, self.listener, self.poll):
            line.close()


@pytest.fixture
def launch() -> Iterator[Launch]:
    launch = Launch()
    yield launch
    launch.end()


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
            assert ranks.listeners.listens_again_at is not None
            ranks.listeners.listen_again()
            assert [fd for fd, _ in poll.poll(0)] == [listener.fileno()]


def test_nothing_that_is_said_ends_the_guardian(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what strangers say nor what ranks do: numbers that are none above all."""
    random.seed(1)
    numbers = [
        "0",
        "1",
        "5",
        "-1",
        "\u00b2",
        "\u0663",
        "9" * 9,
        "9" * 5000,
        "",
        "x",
        "1\r",
        "\udc80",
    ]
    texts = ["h", "", "key", "-", "a b", "\u2028", "\x0b", "\x00", "x" * 5000, *numbers]
    forms = [
        "rank {n} pid {m} host {t} key key\n",
        "rank {n} pid {m} host {t} key {u}\n",
        "rank {n} pid 5 host h key key\nof {m} in {t} runs {u}\n",
        "rank 1 pid 5 host {t} key key\nof {m} in J runs {u}\n",
        "of {n} in {t} runs {u}\n",
        "aborts {n}\n",
        "done\n",
        "left\n",
        "\n",
        "{t}",
    ]
    for _ in range(300):
        said = "".join(
            form.format(
                n=random.choice(numbers),
                m=random.choice(numbers),
                t=random.choice(texts),
                u=random.choice(texts),
            )
            for form in random.choices(forms, k=random.randint(1, 4))
        )
        line = launch.connect(said.encode(errors="surrogateescape"))
        if random.random() < 0.7:
            line.close()
        for fd, _ in launch.poll.poll(0):
            launch.ranks.hear(fd)
    launch.hear_all()
    launch.ranks.deaths.end_by()
    until = launch.ranks.roll_call_until()
    assert until is not None
    monkeypatch.setattr(roll_call.time, "monotonic", lambda: until + 100)
    launch.ranks.end_roll_calls()
    assert launch.ranks.roll_call_until() is None


@pytest.mark.parametrize("more", [b"\n" * 2 * MOST_LINES, b"x" * 100_000])
def test_who_talks_without_end_is_not_heard(launch: Launch, more: bytes) -> None:
    talks = launch.rank(0, 2, "job")
    talks.sendall(more)
    launch.hear_all()
    talks.settimeout(20)
    with suppress(ConnectionResetError):
        assert talks.recv(1) == b""


@pytest.mark.parametrize("job", [NO_NAME, "of-a-batch-script"])
def test_a_death_ends_nobody_where_whose_job_it_was_is_not_known(launch: Launch, job: str) -> None:
    """As of two jobs of one size at once, of which a script handles the end of the first."""
    first = [launch.rank(number, 2, job) for number in range(2)]
    second = [launch.rank(number, 2, job) for number in range(2)]
    for line in (*first, second[1]):
        line.close()
        launch.hear_all()
    assert launch.ranks.deaths.end_by() is None
    second[0].close()
    alone = [launch.rank(number, 2, job) for number in range(2)]
    alone[1].close()
    launch.hear_all()
    assert launch.ranks.deaths.end_by() is not None


def test_who_has_not_asked_whether_all_run_stretto_is_not_missed(launch: Launch) -> None:
    """It cannot have begun to wait for another, nor another for it."""
    rank = launch.rank(0, 2, "job")
    for words in (b"", b"left\n", b"aborts 3\n"):
        line = launch.connect(b"rank 1 pid 5 host h key key\n" + words)
        launch.hear_all()
        assert launch.ranks.running() == [0]
        line.close()
        launch.hear_all()
    assert launch.ranks.deaths.first is None
    assert launch.ranks.deaths.end_by() is None
    rank.close()
    launch.hear_all()
    assert launch.ranks.deaths.first is not None


@pytest.mark.parametrize("reports", [False, True])
def test_how_ranks_ended_that_came_over_the_network_only_their_launcher_knows(
    launch: Launch, reports: bool
) -> None:
    launch.poll = select.epoll()
    launch.ranks = Ranks(launch.poll, [launch.listener], "key", reports_deaths=reports)
    for line in [launch.rank(number, 2, "job") for number in range(2)]:
        line.close()
    launch.hear_all()
    assert launch.ranks.deaths.cut_short is not reports


def test_how_long_a_launcher_may_take_to_notice_can_be_set(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, is_ended in (("0", False), ("1000000", True), ("", True)):
        monkeypatch.setenv(NOTICES, words)
        launch.ranks = Ranks(select.epoll(), [], "key")
        launch.ranks.deaths.add(Lost(0, 5, "h"), {7})
        assert (launch.ranks.deaths.end_by() is not None) is is_ended


def test_all_ranks_of_a_job_may_abort_it_without_a_look_at_all_others_each(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = 16
    lines = [launch.rank(number, ranks, "job") for number in range(ranks)]
    looks = 0
    is_of = RankConnection.is_of

    def counted(*of: object) -> bool:
        nonlocal looks
        looks += 1
        return is_of(*of)

    monkeypatch.setattr(RankConnection, "is_of", counted)
    for line in lines:
        line.sendall(b"aborts 3\n")
    launch.hear_all()
    assert looks <= ranks
    assert launch.ranks.deaths.first is not None
    assert launch.ranks.deaths.first.aborts == 3


def test_a_connection_costs_no_look_at_all_others(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    class Watched(RankConnection):
        def __getattribute__(self, name: str) -> object:
            nonlocal looks
            looks += name == "is_stranger"
            return super().__getattribute__(name)

    monkeypatch.setattr(module, "RankConnection", Watched)
    looks_by = []
    for number in range(8):
        launch.rank(number, 8, "job")
        looks_by.append(looks)
    assert looks_by[7] - looks_by[6] == looks_by[0]


def of_jobs() -> int:
    """How many accounts of jobs there are."""
    gc.collect()
    return sum(isinstance(each, RollCall | JobRanks) for each in gc.get_objects())


def test_of_jobs_that_have_ended_nothing_is_left(launch: Launch) -> None:
    """As of workers that a program starts all the time."""
    before = of_jobs()
    for _ in range(2):
        for number in range(100):
            words = f"rank 0 pid 5 host h key key\nof {1 + number % 2} in {number} runs this\n"
            launch.connect(words.encode())
        launch.hear_all()
        assert of_jobs() - before == 200
        assert launch.ranks.roll_call_until() is not None
        for line in launch.lines:
            line.close()
        launch.lines.clear()
        launch.hear_all()
        assert of_jobs() == before
        assert launch.ranks.roll_call_until() is None


def test_those_whose_roll_call_is_over_are_not_looked_at_for_its_time(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    def until(_roll: RollCall) -> None:
        nonlocal looks
        looks += 1

    for number in range(20):
        launch.rank(0, 1, f"job{number}")
    monkeypatch.setattr(RollCall, "until", property(until))
    launch.ranks.roll_call_until()
    launch.ranks.end_roll_calls()
    assert looks == 0


def test_a_host_that_is_gone_without_a_word_is_missed(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: list[socket.socket] = []

    def peer(connection: socket.socket, **how: bool) -> Peer:
        accepted.append(connection)
        return Peer(connection, **how)

    monkeypatch.setattr(module, "Peer", peer)
    launch.rank(0, 1, "job")
    (line,) = accepted
    assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) < 600
