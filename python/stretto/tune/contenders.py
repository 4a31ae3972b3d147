"""Which ways to run a call are worth measuring, by what they are estimated at."""

from stretto.data.contests import NATIVE, Way
from stretto.data.schedules import Explanation

# What is estimated at more than so many times the fastest is not measured, and never more than
# so many of Stretto's.
_WORTH_IT = 1.5
_MOST = 3

USUAL = Way(NATIVE)


def contenders(answer: Explanation) -> list[Way]:
    """The MPI's own first, and the best of Stretto's."""
    priced = [each for each in answer.candidates if each.ns is not None]
    limit = _WORTH_IT * priced[0].ns if priced and priced[0].ns is not None else 0.0
    near = [each for each in priced if each.ns is not None and each.ns <= limit][:_MOST]
    # One without a time is the only one of its kind.
    return [USUAL, *(Way(each.algorithm, each.segment, each.radix) for each in near)]
