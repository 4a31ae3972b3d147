"""LogGP parameters from what messages took."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stretto.model.machine import Message

TOLERANCE = 0.05  # a piece ends where a message's whole time would be further off

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Measured:
    """Messages of growing size, times in ns: arrays of one length."""

    bytes: Floats
    whole: Floats  # from the call of the send to the end of the receive
    send: Floats  # of that, the sender's CPU
    recv: Floats  # and the receiver's
    gap: Floats  # from one message to the next
    rendezvous: Bools  # it leaves when its receiver has answered


@dataclass(frozen=True)
class Piece:
    """Parameters of a range of sizes and how well they fit its measurements."""

    message: Message
    sizes: int  # measured
    worst: float  # relative error of a whole message's time


def fit(measured: Measured) -> list[Piece]:
    """Lines in the message's size, as few as it takes: protocols change with it.

    Least squares of relative errors, no parameter below 0; a piece is as long as TOLERANCE
    allows. What LogGP's terms mean: Alexandrov et al., SPAA 1995, and for the overhead per byte
    Hoefler et al., HPDC 2010.
    """
    pieces: list[Piece] = []
    begin, count = 0, len(measured.bytes)
    while begin < count:
        end = begin + 1
        best = _fit_range(measured, begin, end)
        while end < count and measured.rendezvous[end] == measured.rendezvous[begin]:
            longer = _fit_range(measured, begin, end + 1)
            if longer.worst > TOLERANCE:
                break
            best, end = longer, end + 1
        pieces.append(best)
        begin = end
    return pieces


def _fit_range(every: Measured, begin: int, end: int) -> Piece:
    part = slice(begin, end)
    size, whole = every.bytes[part], every.whole[part]
    # Both overheads together may not be more than the message takes.
    busy = np.minimum(every.send + every.recv, every.whole)
    if end == begin + 1:
        overheads, twice_per_byte = _alone(every.bytes, busy, begin)
        latency, gap_per_byte = _alone(every.bytes - 1, every.whole - busy, begin)
    else:
        overheads, twice_per_byte = line(size, busy[part], whole)
        # The wire takes what is left, so that the whole is right where its parts are not.
        left = np.maximum(whole - overheads - twice_per_byte * size, 0.0)
        latency, gap_per_byte = line(size - 1, left, whole)
    # Where an end is busy with the bytes, the gap grows as the overhead does, and not as the wire's
    # time: that is not the constant.
    apart = every.gap[part]
    gap, _ = line(size - 1, apart - gap_per_byte * (size - 1), whole)
    said = overheads + twice_per_byte * size + latency + gap_per_byte * (size - 1)
    senders = float(np.median(every.send[part] / (every.send[part] + every.recv[part])))
    return Piece(
        Message(
            from_bytes=0 if begin == 0 else int(size[0]),
            latency_ns=latency,
            send_overhead_ns=overheads * senders,
            recv_overhead_ns=overheads * (1 - senders),
            # One side may do all the work on the bytes; what counts is what both do together.
            overhead_ns_per_byte=twice_per_byte / 2,
            gap_ns=gap,
            gap_ns_per_byte=gap_per_byte,
            rendezvous=bool(every.rendezvous[begin]),
        ),
        sizes=end - begin,
        worst=float(np.max(np.abs(said - whole) / whole)),
    )


def _alone(size: Floats, value: Floats, at: int) -> tuple[float, float]:
    """Constant and slope, neither below 0, of a size that fits with none beside it: towards the
    next one that was measured or, of the last, from the one before. So sizes in between and
    larger ones cost more, too."""
    if len(size) == 1:
        return float(value[0]), 0.0
    one = min(at, len(size) - 2)
    rise = float((value[one + 1] - value[one]) / (size[one + 1] - size[one]))
    steepest = float(value[at] / size[at]) if size[at] > 0 else rise
    slope = min(max(rise, 0.0), max(steepest, 0.0))
    return max(float(value[at]) - slope * float(size[at]), 0.0), slope


def line(size: Floats, value: Floats, scale: Floats) -> tuple[float, float]:
    """Constant and slope, neither below 0, of least squares in units of `scale`."""
    constant = _least(np.ones_like(size), value, scale)
    slope = _least(size, value, scale)
    if len(size) == 1:
        return constant, 0.0
    rows = np.stack([np.ones_like(size), size], axis=1) / scale[:, None]
    both, *_ = np.linalg.lstsq(rows, value / scale)
    if both.min() >= 0:
        return float(both[0]), float(both[1])
    # The best is at a border: one of the two is 0.
    off = {
        answer: float(np.sum(((answer[0] + answer[1] * size - value) / scale) ** 2))
        for answer in ((constant, 0.0), (0.0, slope))
    }
    return min(off, key=off.__getitem__)


def _least(shape: Floats, value: Floats, scale: Floats) -> float:
    """The factor of `shape` that comes nearest to `value`."""
    weighted = shape / scale
    square = float(weighted @ weighted)
    return max(float(weighted @ (value / scale)) / square, 0.0) if square else 0.0
