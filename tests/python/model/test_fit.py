"""LogGP parameters from messages whose parameters are known, and from any others."""

import dataclasses

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.model.fit import TOLERANCE, Floats, Measured, Piece, fit, line
from stretto.model.machine import Message

SIZES = [1.0, *(float(4**power) for power in range(1, 12))]

EAGER = Message(
    latency_ns=1200,
    send_overhead_ns=300,
    recv_overhead_ns=500,
    gap_ns=150,
    gap_ns_per_byte=0.25,
)
RENDEZVOUS = Message(
    latency_ns=9000,
    send_overhead_ns=700,
    recv_overhead_ns=700,
    gap_ns=2000,
    gap_ns_per_byte=0.125,
    overhead_ns_per_byte=0.5,
    from_bytes=4096,
)


def whole_time(message: Message, size: float) -> float:
    """As src/topology/machine.hpp says it, from the sender's call to the receiver's end."""
    overheads = message.send_overhead_ns + message.recv_overhead_ns
    stream = max(size - 1, 0) * message.gap_ns_per_byte
    return overheads + 2 * message.overhead_ns_per_byte * size + message.latency_ns + stream


def measured(sizes: list[float], *messages: Message) -> Measured:
    """What a machine of these messages takes, without noise."""
    of = [max((m for m in messages if m.from_bytes <= s), key=_from) for s in sizes]
    pairs = list(zip(of, sizes, strict=True))
    return Measured(
        bytes=np.array(sizes),
        whole=np.array([whole_time(m, s) for m, s in pairs]),
        send=np.array([m.send_overhead_ns + m.overhead_ns_per_byte * s for m, s in pairs]),
        recv=np.array([m.recv_overhead_ns + m.overhead_ns_per_byte * s for m, s in pairs]),
        gap=np.array([m.gap_ns + m.gap_ns_per_byte * (s - 1) for m, s in pairs]),
        rendezvous=np.array([m.rendezvous for m, _ in pairs]),
    )


def _from(message: Message) -> int:
    return message.from_bytes


def near(message: Message) -> dict[str, object]:
    facts = msgspec.structs.asdict(message)
    return {name: pytest.approx(value, rel=1e-6, abs=1e-6) for name, value in facts.items()}


def facts(piece: Piece) -> dict[str, object]:
    return msgspec.structs.asdict(piece.message)


@pytest.mark.parametrize(
    "message",
    [
        EAGER,
        msgspec.structs.replace(RENDEZVOUS, from_bytes=0),
        msgspec.structs.replace(EAGER, gap_ns_per_byte=0.0),
        msgspec.structs.replace(EAGER, latency_ns=0.0, gap_ns=0.0),
    ],
)
def test_exact_times_give_exact_parameters(message: Message) -> None:
    (piece,) = fit(measured(SIZES, message))
    assert facts(piece) == near(message)
    assert piece.sizes == len(SIZES)
    assert piece.worst < 1e-9


def test_a_new_protocol_is_a_new_piece() -> None:
    pieces = fit(measured(SIZES, EAGER, RENDEZVOUS))
    assert [facts(piece) for piece in pieces] == [near(EAGER), near(RENDEZVOUS)]
    assert [piece.sizes for piece in pieces] == [6, 6]


def test_a_small_deviation_is_no_new_piece() -> None:
    times = measured(SIZES, EAGER)
    times.whole[::2] *= 1 + TOLERANCE / 2
    (piece,) = fit(times)
    assert 0 < piece.worst <= TOLERANCE


def test_one_size_costs_no_time_per_byte() -> None:
    (piece,) = fit(measured([64.0], EAGER))
    assert piece.sizes == 1
    assert piece.message.from_bytes == 0
    assert piece.message.gap_ns_per_byte == 0
    assert piece.message.overhead_ns_per_byte == 0
    assert whole_time(piece.message, 64) == pytest.approx(whole_time(EAGER, 64))


def test_a_size_that_fits_with_none_goes_towards_the_next() -> None:
    """So do larger ones than all that were measured, which cost more than the largest."""
    sizes = [1024.0, 2048.0, 4096.0, 8192.0]
    whole = np.array([10_000.0, 40_000.0, 30_000.0, 200_000.0])
    none = np.zeros(4)
    pieces = fit(Measured(np.array(sizes), whole, none + 1, none, none, none > 0))
    assert [piece.sizes for piece in pieces] == [1, 1, 1, 1]
    assert [whole_time(p.message, s) for p, s in zip(pieces, sizes, strict=True)] == (
        pytest.approx(whole)
    )
    # No less than the size itself, no more than in proportion.
    between = [whole_time(p.message, s * 1.5) for p, s in zip(pieces, sizes, strict=True)]
    assert between == pytest.approx([15_000, 40_000, 45_000, 300_000], rel=1e-3)


def test_overheads_of_more_than_the_message_are_cut() -> None:
    """Medians of different messages do not add up to one message."""
    times = measured([64.0], EAGER)
    (piece,) = fit(dataclasses.replace(times, send=times.whole, recv=times.whole))
    assert piece.message.latency_ns == pytest.approx(0)
    assert piece.message.send_overhead_ns == pytest.approx(piece.message.recv_overhead_ns)
    assert whole_time(piece.message, 64) == pytest.approx(times.whole[0])


def test_a_piece_ends_where_the_protocol_does() -> None:
    """Even where one line goes through all sizes."""
    asked = msgspec.structs.replace(EAGER, rendezvous=True, from_bytes=4096)
    pieces = fit(measured(SIZES, EAGER, asked))
    assert [(each.message.from_bytes, each.message.rendezvous) for each in pieces] == [
        (0, False),
        (4096, True),
    ]
    assert all(piece.worst < 1e-9 for piece in pieces)


def test_a_gap_that_grows_as_overheads_do_is_no_constant() -> None:
    """A rendezvous, whose receiver waits inside its call for the bytes."""
    waits = msgspec.structs.replace(
        EAGER, gap_ns=400.0, gap_ns_per_byte=0.0, overhead_ns_per_byte=20.0
    )
    sizes = [float(1 << power) for power in range(16, 23)]
    times = measured(sizes, waits)
    (piece,) = fit(dataclasses.replace(times, gap=400 + 40 * (times.bytes - 1)))
    assert piece.message.gap_ns == pytest.approx(400)
    assert piece.message.gap_ns_per_byte == pytest.approx(0, abs=1e-6)


def test_nothing_is_no_pieces() -> None:
    assert fit(measured([])) == []


times_ns = st.floats(1, 1e9)


@st.composite
def any_measured(draw: st.DrawFn) -> Measured:
    sizes = sorted(draw(st.sets(st.integers(1, 1 << 24), min_size=1, max_size=17)))
    columns = [
        np.array(draw(st.lists(times_ns, min_size=len(sizes), max_size=len(sizes))))
        for _ in range(4)
    ]
    rendezvous = draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    return Measured(np.array(sizes, dtype=np.float64), *columns, np.array(rendezvous, dtype=bool))


@given(times=any_measured())
def test_every_measured_message_is_as_near_as_was_said(times: Measured) -> None:
    pieces = fit(times)
    assert sum(piece.sizes for piece in pieces) == len(times.bytes)
    starts = [piece.message.from_bytes for piece in pieces]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    for size, whole in zip(times.bytes, times.whole, strict=True):
        piece = max(
            (each for each in pieces if each.message.from_bytes <= size),
            key=lambda each: each.message.from_bytes,
        )
        assert piece.worst <= TOLERANCE
        off = abs(whole_time(piece.message, size) - whole)
        assert off <= (piece.worst + 1e-6) * whole


@given(times=any_measured())
def test_no_parameter_is_negative(times: Measured) -> None:
    for piece in fit(times):
        assert all(value >= 0 for value in msgspec.structs.astuple(piece.message))
        assert piece.worst >= 0


def test_a_line_keeps_to_what_is_not_negative() -> None:
    size = np.array([1.0, 2.0, 3.0])
    one = np.ones(3)
    assert line(size, np.array([5.0, 7.0, 9.0]), one) == pytest.approx((3, 2))
    assert line(size, np.array([9.0, 6.0, 3.0]), one) == pytest.approx((6, 0))
    assert line(size, np.array([0.0, 3.0, 8.0]), one) == pytest.approx((0, 30 / 14))
    assert line(size, np.zeros(3), one) == (0, 0)


def squares(answer: tuple[float, float], size: Floats, value: Floats, scale: Floats) -> float:
    return float(np.sum(((answer[0] + answer[1] * size - value) / scale) ** 2))


@given(times=any_measured(), other=st.tuples(st.floats(0, 1e9), st.floats(0, 1e3)))
def test_no_other_line_is_nearer(times: Measured, other: tuple[float, float]) -> None:
    if len(times.bytes) == 1:
        return
    of = (times.bytes, times.send, times.whole)
    found = line(*of)
    best = squares(found, *of)
    steps = [(found[0] * a, found[1] * b) for a in (0.99, 1, 1.01) for b in (0.99, 1, 1.01)]
    for each in (other, *steps, (0.0, 0.0)):
        assert best <= squares(each, *of) * (1 + 1e-6) + 1e-9
