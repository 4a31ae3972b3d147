"""Whether launches computed the same, from the checksums that they printed."""

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import combinations

from stretto.data.samples import Sample, Side

_LONG = 60  # letters of a checksum: one of many values is no sentence


class Answers(StrEnum):
    """Whether both sides computed the same."""

    SAME = "same answers"
    DIFFERENT = "different answers"
    UNKNOWN = "answers not compared"


def compare_answers(samples: Sequence[Sample], tolerance: float = 0) -> tuple[Answers, str]:
    """Whether all launches of both sides printed one checksum, and in words.

    Numbers in it may differ by `tolerance`, as a share of the larger one.
    """
    native, stretto = (
        sorted({str(sample.checksum) for sample in samples if sample.side is side})
        for side in (Side.NATIVE, Side.STRETTO)
    )
    if all(sample.checksum is None for sample in samples):
        return Answers.UNKNOWN, "the program prints no checksum"
    texts = sorted({*native, *stretto})
    most = max((difference(*pair) for pair in combinations(texts, 2)), default=0.0)
    if tolerance and len(texts) > 1 and math.isfinite(most) and most <= tolerance:
        within = f"numbers differ by {most:.2g} of them at most, and may by {tolerance:g}"
        return Answers.SAME, f"{within}, in all {len(samples)} launches"
    is_of_numbers = len(texts) > 1 and math.isfinite(most)
    by = f"; numbers differ by {most:.2g} of them at most (--tolerance)" * is_of_numbers
    for side, found in (("its own MPI", native), ("Stretto", stretto)):
        if len(found) > 1:
            return Answers.DIFFERENT, f"launches under {side} differ: {_all(found)}{by}"
    if native != stretto:
        one, other = _where_they_differ(native[0], stretto[0])
        return Answers.DIFFERENT, f"{one} on its own MPI, {other} under Stretto{by}"
    return Answers.SAME, f"checksum {_short(native[0])} in all {len(samples)} launches"


def difference(first: str, second: str) -> float:
    """The largest of the numbers in two texts, as a share; infinite where words differ."""
    ours, theirs = first.split(), second.split()
    if len(ours) != len(theirs):
        return math.inf
    return max((_of_words(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)


def _of_words(first: str, second: str) -> float:
    if first == second:
        return 0.0
    try:
        a, b = (_number(word) for word in (first, second))
    except ValueError:
        return math.inf
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def _number(word: str) -> float:
    """Also as Fortran prints it: 1.5D-03. Raises ValueError."""
    return float(re.sub(r"(?<=[\d.])[dD](?=[+-]?\d)", "e", word))


def _where_they_differ(first: str, second: str) -> tuple[str, str]:
    """The first words that do, of texts that are too long."""
    ours, theirs = first.split(), second.split()
    if len(first) <= _LONG or len(ours) != len(theirs):
        return _short(first), _short(second)
    place = next(i for i, words in enumerate(zip(ours, theirs, strict=True)) if len(set(words)) > 1)
    return f"value {place + 1} of {len(ours)} is {_short(ours[place])}", _short(theirs[place])


def _all(found: Sequence[str]) -> str:
    more = f" and {len(found) - 2} more" if len(found) > 2 else ""
    if len(found) == 2 and len(found[0]) > _LONG:
        return ", ".join(_where_they_differ(found[0], found[1]))
    return ", ".join(map(_short, found[:2])) + more


def _short(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return f"{text[: _LONG - 20]}... ({len(text.split())} values)"
