"""Makes a sequence that fails as small as it can be and still fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sequence_runs import Batch, Compared, Failure, Simpler, compare

# A sequence takes a fraction of a second, and a shorter one that hangs is waited for often.
HANGS_AFTER_S = 8.0
TRIES = 3  # as a failure may depend on timing
COUNTS = (0, 1, 3, 64, 1000)


def fewest(items: Sequence[int], fails: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """A subset of `items` that fails and of which each single one is needed.

    `items` must fail. Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
    input", IEEE TSE 28(2), 2002: only complements, as the actions of a sequence mostly
    rest on earlier ones.
    """
    left = tuple(items)
    parts = 2
    while len(left) >= 2:
        size = -(-len(left) // parts)
        for start in range(0, len(left), size):
            rest = left[:start] + left[start + size :]
            if fails(rest):
                left, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(left))
    return left


def ids(batch: Batch) -> list[int]:
    """Of the actions that a batch of one sequence still has."""
    return [int(line.split(":")[0].removeprefix("#")) for line in batch.in_words()]


def shrink(batch: Batch, failure: Failure) -> tuple[Batch, Compared] | None:
    """The smallest batch of one sequence that still fails, and how; None where none fails alone."""
    best = replace(batch, first=failure.sequence, count=1)
    tries = 1
    while (found := _failing(best, failure, 1)) is None:
        tries += 1
        if tries > TRIES:
            return None

    def still_fails(smaller: Batch) -> bool:
        nonlocal best, found
        outcome = _failing(smaller, failure, tries)
        if outcome is not None:
            best, found = smaller, outcome
        return outcome is not None

    def drop_actions() -> None:
        simpler = best.simpler
        fewest(
            ids(best), lambda keep: still_fails(replace(best, simpler=replace(simpler, keep=keep)))
        )

    drop_actions()
    for smaller in _simplifications():
        still_fails(replace(best, simpler=smaller(best.simpler)))
    for count in COUNTS:
        if still_fails(replace(best, simpler=replace(best.simpler, most_count=count))):
            break
    for ranks in range(1, best.ranks):
        if still_fails(replace(best, ranks=ranks)):
            break
    drop_actions()
    return best, found


def _simplifications() -> list[Callable[[Simpler], Simpler]]:
    return [
        lambda simpler: replace(simpler, prompt=True),
        lambda simpler: replace(simpler, in_turn=True),
        lambda simpler: replace(simpler, plain=True),
    ]


def _failing(batch: Batch, like: Failure, tries: int) -> Compared | None:
    for _ in range(tries):
        outcome = compare(batch, HANGS_AFTER_S)
        if outcome.failure is not None and outcome.failure.native == like.native:
            return outcome
    return None
