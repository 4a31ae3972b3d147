"""Which ways to run a call are worth measuring, by what they are estimated at."""

from stretto.data.contests import NATIVE, Way
from stretto.data.schedules import Explanation, Priced

# What is estimated at more than so many times the fastest is not measured, and never more than
# so many of Stretto's.
_WORTH_IT = 1.5
_MOST = 3

USUAL = Way(NATIVE)


def contenders(answer: Explanation) -> list[Way]:
    """The MPI's own first, what runs the call without rules, and the best of Stretto's."""
    priced = [each for each in answer.candidates if each.ns is not None]
    limit = _WORTH_IT * priced[0].ns if priced and priced[0].ns is not None else 0.0
    near = [each for each in priced if each.ns is not None and each.ns <= limit][:_MOST]
    ways = [_way(each) for each in near]
    # Rules that were measured may choose what is estimated at more.
    usual = [_way(answer.chosen)] if answer.chosen.algorithm != NATIVE else []
    return [USUAL, *(way for way in usual if way not in ways), *ways]


def _way(priced: Priced) -> Way:
    return Way(priced.algorithm, priced.segment, priced.radix)
