"""What ranks under Stretto print that have waited for long (src/engine/stall.cpp)."""

import re
from dataclasses import dataclass

_LINE = re.compile(
    r"^stretto: rank (\d{1,9}) has waited \d{1,9} s for ranks? ([\d, ]+)", re.MULTILINE
)


@dataclass(frozen=True)
class Stall:
    """One rank's wait."""

    rank: int
    peers: tuple[int, ...]  # whom it waits for


def stalls(printed: str) -> list[Stall]:
    """All that were printed."""
    return [
        Stall(int(rank), tuple(int(peer) for peer in re.findall(r"\d{1,9}", peers)))
        for rank, peers in _LINE.findall(printed)
    ]
