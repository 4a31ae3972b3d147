"""Who is told what when ranks ask whether all of them run Stretto."""

import socket
from collections.abc import Iterator

import pytest

from stretto.launch import roll_call
from stretto.launch.roll_call import NO_NAME, RollCall


class Asking:
    """Ranks that ask in one roll call, at times of the test's choice."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.now = 100.0
        monkeypatch.setattr(roll_call.time, "monotonic", lambda: self.now)
        self.roll = RollCall(name, 2)
        self.lines: list[tuple[socket.socket, socket.socket]] = []

    def ask(self, rank: int, what: str = "this") -> int:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        self.lines.append((ours, theirs))
        self.roll.hear(ours, rank, what)
        return len(self.lines) - 1

    def answer(self, number: int) -> str | None:
        try:
            return self.lines[number][1].recv(9).decode().strip()
        except BlockingIOError:
            return None


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    asking = Asking(monkeypatch, NO_NAME)
    yield asking
    for line in asking.lines:
        for end in line:
            end.close()


def test_jobs_without_names_that_ask_at_once_are_all_told_yes(pool: Asking) -> None:
    asked = [pool.ask(rank) for rank in (0, 0, 1, 0, 1, 1)]
    assert [pool.answer(each) for each in asked] == ["all"] * 6
    assert pool.roll.until is None


def test_jobs_without_names_and_with_other_settings_wait_for_their_own(pool: Asking) -> None:
    asked = [pool.ask(0), pool.ask(1, "that"), pool.ask(1)]
    assert [pool.answer(each) for each in asked] == ["all", None, "all"]
    late = pool.ask(0, "that")
    assert [pool.answer(each) for each in (asked[1], late)] == ["all", "all"]


def test_whole_jobs_without_names_wait_while_a_rank_of_another_is_missing(
    pool: Asking, capfd: pytest.CaptureFixture[str]
) -> None:
    """Who is whose nobody knows: yes to one rank of that job would be yes to half of it."""
    asked = [pool.ask(0), pool.ask(0), pool.ask(1)]
    assert [pool.answer(each) for each in asked] == [None] * 3
    pool.roll.end()
    assert [pool.answer(each) for each in asked] == ["not"] * 3
    assert "stretto: rank 1 of 2 came up without Stretto" in capfd.readouterr().err


def test_a_size_of_any_number_costs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        roll = RollCall(NO_NAME, 999_999_999)
        roll.hear(ours, 3, "this")
        roll.end()
        assert theirs.recv(9) == b"not\n"
    words = "ranks 0, 1, 2, 4, 5, 6, 7, 8 and 999999990 more of 999999999 came up without"
    assert words in capfd.readouterr().err


def test_who_waits_in_vain_is_told_no_in_bounded_time(
    pool: Asking, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = [pool.ask(0), pool.ask(1, "that")]
    assert pool.roll.until == 110.0
    pool.roll.end()
    assert [pool.answer(each) for each in asked] == ["not", "not"]
    assert "rank 0 runs Stretto this, rank 1 Stretto that" in capfd.readouterr().err


def test_where_one_is_refused_all_of_its_job_are_told_no_whenever_they_come(
    pool: Asking, capfd: pytest.CaptureFixture[str]
) -> None:
    waits = pool.ask(0)
    for rank in (1, 1):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            pool.roll.refuse(ours, rank, "too little of something for")
            assert theirs.recv(9) == b"not\n"
    assert [pool.answer(each) for each in (waits, pool.ask(0), pool.ask(1))] == ["not"] * 3
    assert pool.roll.until is None
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("stretto: too little of something for rank 1 of 2: the program runs")


def test_a_rank_that_is_gone_completes_no_job(pool: Asking) -> None:
    gone = pool.ask(1)
    pool.roll.withdraw(pool.lines[gone][0])
    assert pool.answer(pool.ask(0)) is None


def test_arrivals_do_not_put_off_the_end_for_ever(pool: Asking) -> None:
    pool.ask(0)
    for pool.now in (109.0, 118.0):
        pool.ask(0)
    assert pool.roll.until == 120.0


def test_a_job_with_a_name_whose_settings_differ_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = Asking(monkeypatch, "job")
    asked = [job.ask(0), job.ask(1, "that")]
    assert [job.answer(each) for each in asked] == ["not", "not"]
    for line in job.lines:
        for end in line:
            end.close()
