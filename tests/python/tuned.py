"""Rules for the tests of what is exported."""

from hypothesis import strategies as some

from stretto.tune.rules import CollectiveRules, Evidence, Fingerprint, Rule, Tuned

LARGEST = 1 << 20


def tuned(mpi: str, *collectives: CollectiveRules) -> Tuned:
    return Tuned(Fingerprint(mpi, "cpu", 2), list(collectives))


def of(
    name: str, ranks: int, rules: list[Rule], measured: list[Evidence] | None = None
) -> CollectiveRules:
    return CollectiveRules(name, ranks, 1, [Rule("native")], rules, measured or [])


def rules(names: list[str]) -> some.SearchStrategy[list[Rule]]:
    """Of some of those algorithms, for sizes up to limits that rise."""
    limits = some.lists(some.integers(0, LARGEST), max_size=4, unique=True).map(sorted)
    return limits.flatmap(
        lambda ends: some.tuples(*(some.sampled_from(names) for _ in [*ends, None])).map(
            lambda chosen: [
                Rule(name, end) for name, end in zip(chosen, [*ends, None], strict=True)
            ]
        )
    )
