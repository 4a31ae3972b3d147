"""What bytes take in a network, as a calibrated machine shows it."""

import pytest

from stretto.model.machine import Level, Message
from stretto.native.network_tolerance import _network_ns_per_byte


def level(*gaps: tuple[int, float], link: float = 0.0) -> Level:
    """Gaps per byte of the messages from so many bytes on."""
    pieces = [
        Message(100, 1, 1, 1, gap_ns_per_byte=gap, overhead_ns_per_byte=20, from_bytes=begin)
        for begin, gap in gaps
    ]
    return Level("network", pieces, link_ns_per_byte=link)


@pytest.mark.parametrize(
    ("gaps", "shown"),
    [
        ([(0, 40), (65536, 0)], 40),  # the first ones go on beyond 4 KiB
        ([(0, 40), (2048, 0)], 40),  # nothing else shows any
        ([(0, 4000), (64, 36), (65536, 0)], 36),
        ([(0, 0.8), (8192, 3.6), (16384, 0.8)], 0.8),  # one size leads to another protocol
        ([(0, 0), (8192, 3.6), (16384, 0)], 3.6),
        ([(0, 0)], 0),
    ],
)
def test_long_messages_show_it(gaps: list[tuple[int, float]], shown: float) -> None:
    assert _network_ns_per_byte(level(*gaps)) == shown


def test_a_link_says_it() -> None:
    assert _network_ns_per_byte(level((0, 1), link=0.1)) == 0.1
