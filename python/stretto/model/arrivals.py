"""When each rank comes to a collective: patterns of late ranks."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stretto.errors import InputError

Lateness = NDArray[np.float64]  # of each rank

# Each gives every rank its lateness as a share of the largest. Those with names of their own are
# from Faraj, Patarasuk and Yuan, "A study of process arrival patterns for MPI collective
# operations", IJPP 36(6), 2008, and Proficz, "Process arrival pattern aware algorithms", 2018.
_PATTERNS: dict[str, Callable[[int, np.random.Generator], Lateness]] = {
    "first": lambda ranks, _: _only(0, ranks),
    "last": lambda ranks, _: _only(ranks - 1, ranks),
    "ascending": lambda ranks, _: np.linspace(0, 1, ranks),
    "descending": lambda ranks, _: np.linspace(0, 1, ranks)[::-1],
    "half": lambda ranks, _: (np.arange(ranks) >= ranks // 2).astype(np.float64),
    "random": lambda ranks, random: random.uniform(0, 1, ranks),
    "exponential": lambda ranks, random: _scaled(random.exponential(1, ranks)),
}
PATTERNS = tuple(_PATTERNS)


@dataclass(frozen=True)
class Arrivals:
    """A pattern, and how late the latest rank may be."""

    pattern: str
    latest_ns: float

    def __post_init__(self) -> None:
        if self.pattern not in _PATTERNS:
            raise InputError(f"unknown arrival pattern '{self.pattern}': {', '.join(PATTERNS)}")

    def times(self, ranks: int, seed: int) -> Lateness:
        """Each rank's arrival in ns."""
        return self.latest_ns * _PATTERNS[self.pattern](ranks, np.random.default_rng(seed))


def _only(late: int, ranks: int) -> Lateness:
    times = np.zeros(ranks)
    times[late] = 1
    return times


def _scaled(times: Lateness) -> Lateness:
    scaled: Lateness = times / times.max()
    return scaled
