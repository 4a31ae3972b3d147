"""The spread of a figure over some runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """Of times, in seconds, or of shares."""

    least: float
    median: float
    most: float

    @staticmethod
    def of(values: Sequence[float]) -> "Spread":
        return Spread(min(values), float(np.median(values)), max(values))

    @property
    def half_range(self) -> float:
        return (self.most - self.least) / 2
