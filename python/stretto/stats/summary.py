"""Order statistics of repeated measurements: the mean says nothing about skewed times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Where values are normal: their standard deviation over their median absolute deviation (MAD), and
# the standard error of their median over that of their mean.
DEVIATION_OF_MAD = 1.4826
ERROR_OF_MEDIAN = 1.2533


@dataclass(frozen=True)
class Summary:
    """The spread of a set of measurements."""

    minimum: float
    median: float
    maximum: float
    count: int


def summary(values: Sequence[float]) -> Summary:
    """Minimum, median and maximum of at least one value."""
    return Summary(min(values), median(values), max(values), len(values))


def median(values: Sequence[float]) -> float:
    """The middle value; of an even number the mean of the middle two."""
    return quantile(values, 0.5)


def quantile(values: Sequence[float], probability: float) -> float:
    """The value below which `probability` of the values lie, interpolated between neighbours."""
    if not values:
        raise ValueError("no values")
    return float(np.quantile(np.asarray(values, dtype=float), probability))
