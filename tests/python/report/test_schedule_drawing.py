"""The picture holds every message and every local step, where the schedule puts them."""

import xml.etree.ElementTree as ET

import msgspec
import pytest

from stretto.data.schedules import Cost, LayoutLevel, RankSteps, Region, Schedule, Step
from stretto.report.schedule_drawing import draw

SVG = "{http://www.w3.org/2000/svg}"
OUTPUT = Region("recv", 0, 4)
INPUT = Region("send", 0, 4)


def schedule(ranks: list[RankSteps], end: float) -> Schedule:
    cost = Cost(1, 4, 1, 1, 4, 4, 4, 0, alpha=1.0, beta=4.0, gamma=4.0)
    return Schedule("reduce", "pair", len(ranks), 4, 0, 2, 0, False, cost, end, ranks)


@pytest.fixture
def pair() -> Schedule:
    """Rank 1 sends to rank 0, which copies its own and adds what arrives."""
    send = Step("send", "send send[0,4) to rank 0", [], 0.0, 2.0, peer=0, source=INPUT)
    recv = Step("recv", "recv from rank 1", [], 0.0, 2.0, peer=1, target=OUTPUT)
    copy = Step("copy", "copy <own>", [], 0.0, 0.0, source=INPUT, target=OUTPUT)
    add = Step("reduce", "reduce", [0, 1], 2.0, 3.0, source=INPUT, target=OUTPUT)
    return schedule([RankSteps(0, [recv, copy, add]), RankSteps(0, [send])], end=3.0)


def parts(picture: str, css_class: str) -> list[ET.Element]:
    return [each for each in ET.fromstring(picture).iter() if each.get("class") == css_class]


def test_message_runs_from_the_senders_lane_to_the_receivers(pair: Schedule) -> None:
    (message,) = parts(draw(pair), "message")
    hover = next(line for line in message.iter(f"{SVG}line") if line.get("class") == "hover")
    lanes = [line.get("y1") for line in parts(draw(pair), "lane")]
    assert [hover.get("y1"), hover.get("y2")] == [lanes[1], lanes[0]]
    assert float(hover.get("x1", "")) < float(hover.get("x2", ""))


def test_message_tells_what_moves(pair: Schedule) -> None:
    (message,) = parts(draw(pair), "message")
    assert message.findtext(f"{SVG}title") == "rank 1 to rank 0: send[0,4) to recv[0,4), 4 elements"


def test_reductions_last_and_copies_are_seen_though_they_do_not(pair: Schedule) -> None:
    # The first of each is a step, the second the legend's.
    copy, reduce = (parts(draw(pair), kind)[0] for kind in ("copy", "reduce"))
    assert 0 < float(copy.get("width", "")) < float(reduce.get("width", ""))
    assert float(reduce.get("x", "")) > float(copy.get("x", ""))


def test_words_are_escaped(pair: Schedule) -> None:
    assert "copy &lt;own&gt;" in draw(pair)


def test_signals_are_told_from_messages() -> None:
    signal = Step("send", "signal to rank 1", [], 0.0, 1.0, peer=1, source=Region("send", 0, 0))
    await_ = Step("recv", "await rank 0", [], 0.0, 1.0, peer=0, target=Region("send", 0, 0))
    picture = draw(schedule([RankSteps(0, [signal]), RankSteps(0, [await_])], end=1.0))
    assert len(parts(picture, "message signal")) == 1
    assert "a signal" in picture


def test_ranks_of_a_host_lie_together_on_a_band() -> None:
    layout = [LayoutLevel("socket", [0, 1, 2, 3]), LayoutLevel("host", [0, 1, 0, 1])]
    nothing = schedule([RankSteps(0, []) for _ in range(4)], end=0.0)
    bands, lanes = [], {}
    for each in ET.fromstring(draw(msgspec.structs.replace(nothing, layout=layout))).iter():
        if each.get("class") == "host":
            top = float(each.get("y", ""))
            bands.append((top, top + float(each.get("height", ""))))
        elif (each.text or "").startswith("rank "):
            lanes[each.text] = float(each.get("y", ""))
    assert sorted(lanes, key=lambda rank: lanes[rank]) == ["rank 0", "rank 2", "rank 1", "rank 3"]
    on = [[rank for rank, y in lanes.items() if top < y < end] for top, end in bands]
    assert on == [["rank 0", "rank 2"], ["rank 1", "rank 3"]]


def test_without_a_layout_there_are_no_bands(pair: Schedule) -> None:
    assert parts(draw(pair), "host") == []


def test_a_single_rank_with_nothing_to_do_has_its_lane() -> None:
    picture = draw(schedule([RankSteps(0, [])], end=0.0))
    assert "rank 0" in picture
    assert parts(picture, "message") == []


def test_a_long_schedule_stays_legible(pair: Schedule) -> None:
    later = schedule(pair.ranks, end=1000.0)
    width = float(ET.fromstring(draw(later)).get("width", ""))
    assert width > 10 * 1000
