"""Whether the machine was, as the real runs began, what calibration had found."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stretto.data.virtual_times import RankTimes
from stretto.report.spread import Spread

# Beyond this factor two times of the exchange are of two states of the machine.
_FACTOR = 1.33
_NS = 1e-9


@dataclass(frozen=True)
class ShortExchange:
    """What a short exchange between two ranks takes, in seconds: a machine's cores may be near each
    other at one time and far apart at another, or shared."""

    calibrated: float
    real: Spread  # as the real runs began

    @staticmethod
    def of(
        normal: Sequence[Sequence[RankTimes]], virtual: Sequence[RankTimes]
    ) -> "ShortExchange | None":
        """From all ranks' times of the real runs, and of a virtual one; None where no exchange was
        measured in all of them."""
        calibrated = [each.modelled_exchange_ns for each in virtual]
        real = [_middle([each.exchange_ns for each in run]) for run in normal]
        modelled = _middle(calibrated)
        known = [each for each in real if each is not None]
        if not modelled or not known or len(known) < len(real):
            return None
        return ShortExchange(_NS * modelled, Spread.of([_NS * each for each in known]))

    @property
    def differs(self) -> bool:
        """Was the machine not what calibration found?"""
        return not 1 / _FACTOR < self.real.median / self.calibrated < _FACTOR or (
            self.real.most > _FACTOR * self.real.least
        )


def _middle(times: Sequence[float | None]) -> float | None:
    known = [each for each in times if each is not None]
    return float(np.median(known)) if known else None
