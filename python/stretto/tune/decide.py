"""Which way wins, from what was measured: pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stretto.data.contests import NATIVE, Way
from stretto.stats.summary import quantile
from stretto.tune.rules import Evidence, Rule

# Stretto's has to be faster than the MPI's own by so much, and in its slower quarter, too: what
# is no gain for certain is left as the program has it.
_WORTH_IT = 0.97

Times = Sequence[float]  # of rounds, ns


@dataclass(frozen=True)
class Quarters:
    """The median and the quartiles around it."""

    median: float
    low: float
    high: float


def spread(times: Times) -> Quarters:
    """Of all rounds of all launches."""
    return Quarters(*(quantile(times, share) for share in (0.5, 0.25, 0.75)))


def winner(by_way: Mapping[Way, Mapping[str, Times]], usual: Way) -> Way:
    """The way that costs least over all patterns of arrivals, each counting as much.

    A pattern's lateness itself is waited for whichever way is taken, so that times are added, not
    their ratios. `usual` is what runs without a rule, and stays unless another is surely faster.
    """
    costs = {way: _cost(of_pattern) for way, of_pattern in by_way.items()}
    best = min(costs, key=lambda way: costs[way].median)
    if best == usual or usual not in costs:
        return best
    own, before = costs[best], costs[usual]
    is_worth_it = own.median < _WORTH_IT * before.median and own.high < before.low
    return best if is_worth_it else usual


def _cost(of_pattern: Mapping[str, Times]) -> Quarters:
    spreads = [spread(times) for times in of_pattern.values()]
    return Quarters(
        *(sum(getattr(each, name) for each in spreads) for name in ("median", "low", "high"))
    )


def rules_from(winners: Mapping[int, Way]) -> list[Rule]:
    """The winners by size as rules: one changes half-way, in powers, between two sizes measured."""
    rules: list[Rule] = []
    sizes = sorted(winners)
    for size, after in zip(sizes, [*sizes[1:], None], strict=True):
        way = winners[size]
        if after is not None and winners[after] == way:
            continue
        # Never up to the size after it, where 0 would reach 1: limits rise.
        limit = None if after is None else min(math.isqrt(max(size, 1) * after), after - 1)
        rules.append(rule_of(way, limit))
    return rules


def rule_of(way: Way, up_to_bytes: int | None) -> Rule:
    """Of one of the MPI's own algorithms it has that one's name."""
    name = way.of_mpi if way.algorithm == NATIVE and way.of_mpi else way.algorithm
    return Rule(name, up_to_bytes, way.segment, way.radix)


def evidence(size: int, pattern: str, way: Way, times: Times) -> Evidence:
    """As it is written down."""
    found = spread(times)
    name = f"{NATIVE}:{way.of_mpi}" if way.of_mpi else way.algorithm
    return Evidence(
        bytes=size,
        pattern=pattern,
        algorithm=name,
        median_us=_rounded(found.median),
        low_us=_rounded(found.low),
        high_us=_rounded(found.high),
        rounds=len(times),
        segment_bytes=way.segment,
        radix=way.radix,
    )


def _rounded(ns: float) -> float:
    return float(f"{ns / 1e3:.4g}")
