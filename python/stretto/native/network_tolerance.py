"""How much slower the network may be before a recorded program is: its trace, replayed with it."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.data.network_tolerance import Bearable, NetworkTolerance
from stretto.data.virtual_times import SIM
from stretto.errors import InputError
from stretto.model.crossing import crossings
from stretto.model.machine import Level, Machine
from stretto.native.replay import replay

SLOWER = (0.01, 0.02, 0.05)
_LEAST_NS, _MOST_NS = 1.0, 1e9
_LEAST_MORE, _MOST_DIVISOR = 1e-3, 1e6
_LONG = 4096


@dataclass(frozen=True)
class TraceOnMachine:
    """A trace, and how it is replayed: `scenarios` as `native.replay` takes them, with "sim"."""

    trace: Path
    scenarios: str
    machine: Machine
    factor: int | None = None
    strong: bool = False


def network_tolerance(run: TraceOnMachine) -> NetworkTolerance:
    """Search for the latency that may be added, and what bandwidth may be divided by.

    Above the hosts, or at all levels of a machine that has nothing above them. Overheads but for
    what of them is the network's, the algorithms of collectives and how their times compare with
    those measured stay as they are.
    Raises InputError.
    """
    as_it_is = times_on(run, [(0.0, 1.0)])[0]

    def slower(by: Callable[[float], tuple[float, float]]) -> Callable[..., list[float]]:
        return lambda amounts: [
            time / as_it_is - 1 for time in times_on(run, [by(amount) for amount in amounts])
        ]

    added, by_latency = crossings(slower(lambda amount: (amount, 1.0)), _LEAST_NS, _MOST_NS, SLOWER)
    more, by_more = crossings(
        slower(lambda amount: (0.0, 1 + amount)), _LEAST_MORE, _MOST_DIVISOR - 1, SLOWER
    )
    level = run.machine.level[-1]
    per_byte = _network_ns_per_byte(level)
    return NetworkTolerance(
        level=level.name,
        latency_ns=level.message[0].latency_ns,
        bit_per_s=8e9 / per_byte if per_byte else None,
        messages_in_a_row=by_latency[1][1] * as_it_is / by_latency[1][0],
        bears=[
            Bearable(share, latency, None if excess is None else 1 + excess)
            for share, latency, excess in zip(SLOWER, added, more, strict=True)
        ],
        by_latency=by_latency,
        by_bandwidth=[(1 + excess, share) for excess, share in by_more],
        most_latency_ns=_MOST_NS,
        most_divisor=_MOST_DIVISOR,
    )


def _network_ns_per_byte(level: Level) -> float:
    """What bytes are seen to take in the network, as slow_network of src/topology/machine.cpp has
    it: an MPI's ends may seem to take what it does."""
    ends = [*(each.from_bytes for each in level.message[1:]), math.inf]
    pieces = list(zip(level.message, ends, strict=True))
    long = [(piece, end) for piece, end in pieces if end > _LONG]
    # Calibration doubles sizes: one alone has the slope to the next.
    several = [(piece, end) for piece, end in long if end > 2 * piece.from_bytes]
    shown = (
        max((piece.gap_ns_per_byte for piece, _ in some), default=0.0)
        for some in (several, long, pieces)
    )
    return level.link_ns_per_byte or next(filter(None, shown), 0.0)


def slowed(scenarios: str, networks: Sequence[tuple[float, float]]) -> str:
    """Scenario "sim" of the text, with so many ns added and bytes taking so many times as long."""
    each = re.split(r"(?m)^(?=scenario )", scenarios)
    sim = next((text for text in each if text.startswith(f"scenario {SIM}\n")), None)
    if sim is None:
        raise InputError(f"--network-tolerance: the run had no scenario {SIM}")
    rest = sim.partition("\n")[2]
    return "".join(
        f"scenario {number}\nnetwork {latency!r} {per_byte!r}\n{rest}"
        for number, (latency, per_byte) in enumerate(networks)
    )


def times_on(run: TraceOnMachine, networks: Sequence[tuple[float, float]]) -> list[float]:
    """In ns, with so many ns of latency added and bytes taking so many times as long."""
    text = slowed(run.scenarios, networks)
    ranks = replay(run.trace, text, run.factor, strong=run.strong).ranks
    times = [max(rank.clocks[i].end_ns for rank in ranks) for i in range(len(networks))]
    if min(times) <= 0:
        raise InputError("--network-tolerance: the program did nothing")
    return times
