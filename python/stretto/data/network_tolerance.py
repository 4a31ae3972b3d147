"""How much slower a network may be before a program is: what is kept of it in a run folder."""

from pathlib import Path

import msgspec

from stretto.data.json_file import json_file
from stretto.data.whole_file import write_whole

_FILE = "network_tolerance.json"


class Bearable(msgspec.Struct, frozen=True):
    """By which share of its time the program is slower, and with how much. None: never."""

    slower: float
    added_latency_ns: float | None
    bandwidth_divisor: float | None


class NetworkTolerance(msgspec.Struct, frozen=True):
    """Of one run in virtual time, on the machine that it had."""

    level: str  # of the machine: its last
    latency_ns: float  # there, of the shortest message
    bit_per_s: float | None  # there, of the longest; None: bytes cost nothing
    # So many times the added latency adds to the time, while it is short; a message that its
    # receiver answers first counts three times.
    messages_in_a_row: float
    bears: list[Bearable]
    by_latency: list[tuple[float, float]]  # ns that were added, and the share of time that did
    by_bandwidth: list[tuple[float, float]]  # what it was divided by, and that share
    most_latency_ns: float  # that was tried
    most_divisor: float


def store_network_tolerance(found: NetworkTolerance, folder: Path) -> None:
    """What `network_tolerance_in` reads. Raises EnvironmentUnusable where that cannot be."""
    write_whole(folder / _FILE, msgspec.json.encode(found))


def network_tolerance_in(folder: Path) -> NetworkTolerance | None:
    """None where the run was not asked for it. Raises EnvironmentUnusable where it is damaged."""
    return json_file(folder / _FILE, NetworkTolerance)
