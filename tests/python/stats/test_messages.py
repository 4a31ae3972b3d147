"""Who waits for whom in messages, from made-up times."""

import polars as pl
import pytest

from stretto.stats.messages import RECEIVED, SENT, split, trusted

US = 1000


def side(role: int, rank: int, begin: float, **more: object) -> dict[str, object]:
    """One side of a message of rank 0's to rank 1 that was complete in a call of its own."""
    row: dict[str, object] = {
        "comm": "world",
        "source": 0,
        "dest": 1,
        "tag": 5,
        "number": 0,
        "role": role,
        "world_rank": rank,
        "begin": begin * US,
        "enter": begin * US,
        "leave": 0.0,
        "error": 0,
        "call": 0,
        "site": 0,
        "messages": 1,
    }
    given = {name: value * US for name, value in more.items() if name in ("enter", "leave")}  # type: ignore[operator]
    return row | more | given


def answer(*rows: dict[str, object]) -> dict[int, dict[str, float]]:
    """The one call of each rank."""
    frame = pl.DataFrame(list(rows))
    key = ["comm", "source", "dest", "tag"]
    channels = frame.group_by(*key, "role").agg(pl.len().alias("messages"))
    calls = split(frame, channels)
    return {row["world_rank"]: row for row in calls.iter_rows(named=True)}


def late(call: dict[str, float]) -> tuple[float, float, float, float]:
    return tuple(
        call[name] / (1 if name == "awaited" else US)
        for name in ("late_sender", "late_receiver", "rest", "awaited")
    )  # type: ignore[return-value]


def test_a_receive_waits_until_the_message_is_sent() -> None:
    found = answer(side(SENT, 0, 70, leave=71), side(RECEIVED, 1, 10, leave=80))
    assert late(found[1]) == (60, 0, 10, 0)
    # The receive was there before: nothing kept the send.
    assert late(found[0])[:3] == (0, 0, 1)


def test_a_send_that_could_not_end_before_waits_for_its_receive() -> None:
    found = answer(side(SENT, 0, 10, leave=80), side(RECEIVED, 1, 60, leave=81))
    assert late(found[0]) == (0, 50, 20, 1)
    assert late(found[1])[:3] == (0, 0, 21)


def test_a_send_that_ended_before_waited_for_nobody() -> None:
    found = answer(side(SENT, 0, 10, leave=12), side(RECEIVED, 1, 60, leave=61))
    assert late(found[0])[:3] == (0, 0, 2)


def test_a_wait_begins_later_than_its_receive() -> None:
    found = answer(side(SENT, 0, 70, leave=71), side(RECEIVED, 1, 10, enter=50, leave=80))
    assert late(found[1]) == (20, 0, 10, 0)


def test_of_many_the_last_one_was_waited_for() -> None:
    found = answer(
        side(SENT, 0, 30, leave=31),
        side(SENT, 2, 70, leave=71, source=2),
        side(RECEIVED, 1, 10, enter=20, leave=80, messages=2),
        side(RECEIVED, 1, 10, enter=20, leave=80, messages=2, source=2),
    )
    assert late(found[1]) == (50, 0, 10, 2)


def test_what_receives_do_not_explain_is_the_receivers() -> None:
    found = answer(
        side(SENT, 0, 10, enter=20, leave=80, messages=2),
        side(RECEIVED, 1, 75, leave=81),
        side(RECEIVED, 0, 10, enter=20, leave=80, messages=2, source=1, dest=0),
        side(SENT, 1, 70, leave=71, source=1, dest=0, call=1),
    )
    assert late(found[0]) == (50, 5, 5, 1)


def test_a_call_is_left_out_where_one_of_its_messages_is_not_known() -> None:
    found = answer(side(SENT, 0, 70, leave=71), side(RECEIVED, 1, 10, leave=80, messages=2))
    assert set(found) == {0}


def test_sends_without_a_receive_to_match_make_nothing_up() -> None:
    found = answer(
        side(SENT, 0, 10, leave=11),
        side(SENT, 0, 20, leave=21, number=1, call=1),
        side(RECEIVED, 1, 5, leave=12),
    )
    assert found == {}


def test_what_came_before_it_was_sent_is_another() -> None:
    found = answer(side(SENT, 0, 70, leave=71), side(RECEIVED, 1, 10, leave=20))
    assert found == {}


@pytest.mark.parametrize("comms", [1, 2])
def test_communicators_that_nothing_tells_apart_are_not_trusted(comms: int) -> None:
    row = {"comm": "x", "source": 0, "dest": 1, "tag": 0, "messages": 3}
    rows = [row | {"role": SENT}] * comms + [row | {"role": RECEIVED}]
    assert len(trusted(pl.DataFrame(rows))) == (1 if comms == 1 else 0)
