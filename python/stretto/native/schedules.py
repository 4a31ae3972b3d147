"""Asks the native tool for schedules."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from stretto.data.schedules import Algorithm, Explanation, Proof, Schedule, Simulated
from stretto.errors import InputError
from stretto.native.ask import ask
from stretto.native.parts import schedule_tool


class Unsuited(InputError):
    """A simulation that is too large, or not possible this way."""


def algorithms(collective: str | None = None) -> list[Algorithm]:
    """All algorithms, or one collective's."""
    answer = _ask("list", *([collective] if collective else []))
    return [msgspec.json.decode(line, type=Algorithm) for line in answer.splitlines()]


def known_algorithms() -> dict[str, list[str]]:
    """The names of each collective's algorithms."""
    known: dict[str, list[str]] = {}
    for each in algorithms():
        known.setdefault(each.collective, []).append(each.algorithm)
    return known


def build(collective: str, algorithm: str, options: list[str]) -> Schedule:
    """All ranks' steps."""
    answer = _ask("show", collective, "--algorithm", algorithm, *options)
    return msgspec.json.decode(answer, type=Schedule)


def prove(chosen: list[Algorithm], max_ranks: int, workers: int) -> Iterator[Proof]:
    """Proofs as they are done, so many at a time; not in the order given."""
    limit = ["--max-ranks", str(max_ranks)]
    with ThreadPoolExecutor(workers) as pool:
        running = [
            pool.submit(_ask, "verify", each.collective, "--algorithm", each.algorithm, *limit)
            for each in chosen
        ]
        try:
            for done in as_completed(running):
                yield msgspec.json.decode(done.result(), type=Proof)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def simulate(collective: str, algorithm: str, options: list[str]) -> Simulated:
    """When the ranks are done. Raises Unsuited."""
    answer = ask(schedule_tool(), "simulate", collective, "--algorithm", algorithm, *options)
    if answer.is_no:
        raise Unsuited(answer.complaint)
    return msgspec.json.decode(answer.text, type=Simulated)


def explain(collective: str, options: list[str]) -> Explanation:
    """What a blocking call runs, and by what that is chosen."""
    return msgspec.json.decode(_ask("explain", collective, *options), type=Explanation)


def _ask(*words: str) -> bytes:
    """An answer that says itself whether it is a no, as a proof that names a fault."""
    return ask(schedule_tool(), *words).text
