"""Which self-consistent performance guidelines measured times violate: guideline_list.py has them,
and what holds of any one operation is here: monotony, and robustness against splitting.

Times are those of operations: of each launch the time of the slowest rank. Sums are made launch by
launch. All are compared by a rank test of one side, corrected for all that are checked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stretto.stats.difference import adjusted, difference, rank_test
from stretto.stats.estimate import LEVEL, Interval
from stretto.stats.guideline_list import GUIDELINES, GuidelinePart

MONOTONY, SPLITTING = "monotony", "splitting"


@dataclass(frozen=True)
class Timed:
    """What was measured; `of_root`: all ranks' counts but the root's are 0."""

    operation: str
    bytes: int
    of_root: bool = False


# Of each launch, by its number, what the slowest rank took.
Times = Mapping[Timed, Mapping[int, float]]


@dataclass(frozen=True)
class GuidelineTest:
    """An operation, and what it is compared with."""

    operation: str
    bytes: int
    guideline: str
    instead: list[Timed]  # called one after the other
    algorithm: str
    took: list[float]  # by launch
    mock_up: list[float]


@dataclass(frozen=True)
class GuidelineVerdict:
    """A test with its outcome."""

    test: GuidelineTest
    factor: float  # how many times as long the operation takes
    interval: Interval
    p: float  # corrected

    def is_violated(self, least: float) -> bool:
        """Beyond chance, and by that share at least."""
        beyond = self.p <= 1 - LEVEL and self.interval.low > 1
        return beyond and self.factor >= 1 + least


@dataclass(frozen=True)
class Unchecked:
    """A guideline of a size whose mock-up has a part that was not measured."""

    operation: str
    bytes: int
    guideline: str
    missing: str  # the part


def guideline_tests(
    times: Times, ranks: int, formless: Times | None = None
) -> tuple[list[GuidelineTest], list[Unchecked]]:
    """All that can be tested of one implementation, and what cannot.

    `formless` is what mock-ups may call besides, whatever the form of `times`: it has one only.
    """
    parted = {**(formless or {}), **times}
    tests: list[GuidelineTest] = []
    unchecked: list[Unchecked] = []
    for guideline in GUIDELINES:
        for what in _sizes_of(times, guideline.operation):
            parts = [_part(parted, part, what.bytes, ranks) for part in guideline.parts]
            instead = [part for part in parts if isinstance(part, Timed)]
            if len(instead) == len(parts):
                tests += _test(parted, what, guideline.words, instead, guideline.algorithm)
            else:
                missing = next(part for part in parts if isinstance(part, str))
                unchecked.append(Unchecked(what.operation, what.bytes, guideline.words, missing))
    for operation in dict.fromkeys(what.operation for what in times):
        tests += _of_one(times, _sizes_of(times, operation))
    return tests, unchecked


def judged(tests: Sequence[GuidelineTest]) -> list[GuidelineVerdict]:
    """Corrected for all of them."""
    chances = [rank_test(each.mock_up, each.took, greater=True) for each in tests]
    return [
        GuidelineVerdict(each, found.ratio, found.interval, p)
        for each, p in zip(tests, adjusted(chances), strict=True)
        for found in [difference(each.took, each.mock_up)]
    ]


def _sizes_of(times: Times, operation: str) -> list[Timed]:
    """From the smallest up."""
    found = [it for it in times if it.operation == operation and it.bytes and not it.of_root]
    return sorted(found, key=lambda it: it.bytes)


def _part(times: Times, part: GuidelinePart, size: int, ranks: int) -> Timed | str:
    """The smallest measured one that has room for what is needed, or what is missing.

    A mock-up may pad, but not to twice what is needed and more: that would test nothing.
    """
    needed = part.bytes(size, ranks)
    fitting = [
        it
        for it in times
        if (it.operation, it.of_root) == (part.operation, part.of_root)
        and needed <= it.bytes < 2 * needed
    ]
    if fitting:
        return min(fitting, key=lambda it: it.bytes)
    counts = ", all of it the root's" if part.of_root else ""
    return f"{part.operation} of {needed} B{counts}"


def _of_one(times: Times, sizes: Sequence[Timed]) -> Iterator[GuidelineTest]:
    """More takes no less than less, and no longer than the same in pieces."""
    for at, what in enumerate(sizes):
        if at + 1 < len(sizes):
            more = sizes[at + 1]
            words = f"{MONOTONY}: {what.operation} <= {what.operation} of {more.bytes} B"
            yield from _test(times, what, words, [more])
        pieces = [it for it in sizes[:at] if what.bytes % it.bytes == 0]
        if pieces:
            number = what.bytes // pieces[-1].bytes
            words = f"{SPLITTING}: {what.operation} <= {number} of {pieces[-1].bytes} B"
            yield from _test(times, what, words, [pieces[-1]] * number)


def _test(
    times: Times, what: Timed, guideline: str, instead: list[Timed], algorithm: str = ""
) -> Iterator[GuidelineTest]:
    launches = sorted(set(times[what]).intersection(*(times[part] for part in instead)))
    took = [times[what][launch] for launch in launches]
    mock_up = [sum(times[part][launch] for part in instead) for launch in launches]
    if launches and min(*took, *mock_up) > 0:
        yield GuidelineTest(
            what.operation, what.bytes, guideline, instead, algorithm, took, mock_up
        )
