"""Where a rising function of an amount comes to given values, asked at few amounts at a time."""

from collections.abc import Callable, Sequence

import numpy as np

Curve = list[tuple[float, float]]  # of an amount and the value there, by rising amounts

_RATIO = 4.0  # of an amount to the next that is tried first
_INSIDE = 8  # further amounts in a bracket
_ROUNDS = 2  # of them; then a bracket's ends are 2 % apart, and a line between them does


def crossings(
    values: Callable[[Sequence[float]], Sequence[float]],
    least: float,
    most: float,
    targets: Sequence[float],
) -> tuple[list[float | None], Curve]:
    """The least amounts at which the values come to each target, and all that was tried.

    `values` is asked for several amounts at once, of `least` to `most` and 0, where it is 0. None
    where it does not come to a target by `most`.
    """
    known = {0.0: 0.0}

    def ask(amounts: Sequence[float]) -> None:
        new = sorted({*amounts} - known.keys())
        if new:
            known.update(zip(new, values(new), strict=True))

    count = int(np.ceil(np.log(most / least) / np.log(_RATIO))) + 1
    ask(np.geomspace(least, most, count).tolist())
    for _ in range(_ROUNDS):
        brackets = [_bracket(known, target) for target in targets]
        ask([amount for ends in brackets if ends for amount in _inside(*ends)])
    return [_crossing(known, target) for target in targets], sorted(known.items())


def _bracket(known: dict[float, float], target: float) -> tuple[float, float] | None:
    """The first amount of a value that reaches the target, and the one before it."""
    before = 0.0
    for amount, value in sorted(known.items()):
        if amount > 0 and value >= target:
            return before, amount
        before = amount
    return None


def _inside(low: float, high: float) -> list[float]:
    ends = (low or high / _RATIO**2, high)
    return [float(each) for each in np.geomspace(*ends, _INSIDE + 2)[1:-1]]


def _crossing(known: dict[float, float], target: float) -> float | None:
    ends = _bracket(known, target)
    if ends is None:
        return None
    (low, high), (below, above) = ends, (known[end] for end in ends)
    return low + (high - low) * (target - below) / (above - below) if above > below else high
