"""What an MPI's own algorithms are to `stretto tune` and `stretto export`, and what its files of
rules have in common with other MPIs'."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from msgspec.structs import replace

from stretto.data.contests import NATIVE
from stretto.errors import InputError
from stretto.tune.rules import CollectiveRules, Tuned

Settings = tuple[tuple[str, str], ...]  # names and values of variables


@dataclass(frozen=True)
class Where:
    """What decides which algorithms an MPI has: `version` of it, as far as it is known, whether
    all hosts have as many ranks, and the names and values of what the user has set."""

    ranks: int
    hosts: int = 1
    version: tuple[int, ...] = ()
    is_even: bool = True
    settings: Settings = ()


# The names of a collective's algorithms there.
Algorithms = Callable[[str, Where], list[str]]


@dataclass(frozen=True)
class Format:
    """One way to tell an MPI its algorithms; `use` says what to do with the {file}, and `remarks`
    what a user has to know of what is written, by lines."""

    write: Callable[[Tuned], str]
    use: str
    remarks: Callable[[Tuned], list[str]]


def _all_in_one(_collective: str, _algorithm: str) -> int:
    return 0


@dataclass(frozen=True)
class OwnSettings:
    """An MPI, whose name and version begin with `product`."""

    product: str
    algorithms: Algorithms
    forced: Callable[[Mapping[str, str]], dict[str, str]]  # makes ranks take these, by collective
    formats: Mapping[str, Format]
    # Whether a variable of that name and value chooses, and would instead of what is measured.
    chooses: Callable[[str, str], bool]
    # By collective and algorithm: what is of different stages is never forced in one launch, as
    # an algorithm of one may call others that would be forced, too.
    stage: Callable[[str, str], int] = _all_in_one

    def is_of(self, mpi: str) -> bool:
        """Whether `mpi`, as its launcher says it, is this one."""
        return _is_of(mpi, self.product)

    def chosen_by(self, settings: Settings) -> str | None:
        """The name of the first of these that chooses; one without a value does not."""
        return next((name for name, value in settings if value and self.chooses(name, value)), None)


# Whether an MPI cannot go by these rules, as not all its ranks would by the same.
Unsafe = Callable[[CollectiveRules], bool]


def name_of(collective: str) -> str:
    """What MPIs call it: they have another reduce_scatter, whose blocks are of different sizes."""
    return "reduce_scatter_block" if collective == "reduce_scatter" else collective


def version_of(tuned: Tuned, product: str) -> tuple[int, ...]:
    """That of the MPI that was measured. Raises InputError where it is another one, or says no
    version."""
    mpi = tuned.fingerprint.mpi
    if not _is_of(mpi, product):
        raise InputError(f"the rules are {mpi}'s, not {product}'s")
    version = version_in(mpi)
    if not version:
        raise InputError(f"the rules are of '{mpi}', which names no version like 5.0")
    return version


def version_in(mpi: str) -> tuple[int, ...]:
    """That which an MPI's launcher says with its name; empty where it says none."""
    found = re.match(r"[^\d.]*(\d+(?:\.\d+)+)", mpi)
    return () if found is None else tuple(int(part) for part in found[1].split("."))


def _is_of(mpi: str, product: str) -> bool:
    return re.match(rf"{re.escape(product)}(?!\w)", mpi) is not None


def groups(
    tuned: Tuned,
    product: str,
    known: Mapping[str, object],
    algorithms: Algorithms,
    is_unsafe: Unsafe,
) -> dict[str, list[CollectiveRules]]:
    """What can be written, by collective, the fewest ranks first. Rules say nothing of hosts.

    `known`: the collectives that have rules. Raises InputError.
    """
    version = version_of(tuned, product)
    with_rules = [each for each in tuned.collective if each.mpi_rule]
    if not with_rules:
        raise InputError(
            "there are no rules of the MPI's own algorithms: measure with "
            "stretto tune --native-algorithms"
        )
    if unknown := next((each.name for each in with_rules if each.name not in known), None):
        raise InputError(f"{product} has no rules of '{unknown}'")
    safe = [each for each in with_rules if not is_unsafe(each)]
    if not safe:
        raise InputError(f"no rules are left: {not_written(tuned, product, is_unsafe)}")
    for each in safe:
        _check_algorithms(
            each, product, algorithms(each.name, Where(each.ranks, each.hosts, version, each.even))
        )
    ordered = sorted(safe, key=lambda each: (each.name, each.ranks))
    found = {name: list(of) for name, of in groupby(ordered, key=lambda each: each.name)}
    for name, of in found.items():
        ranks = [each.ranks for each in of]
        if len(set(ranks)) < len(ranks):
            raise InputError(f"{name} was measured on as many ranks of different numbers of hosts")
    return found


def not_written(tuned: Tuned, product: str, is_unsafe: Unsafe) -> str:
    """Which rules are left out of every file, as one line; empty where none are.

    Ranks that look up different sizes would run different algorithms: wrong data, or a hang.
    """
    named = [f"{each.name} on {each.ranks} ranks" for each in tuned.collective if is_unsafe(each)]
    if not named:
        return ""
    return (
        f"not written: {', '.join(sorted(named))}: rules that change with the size, which "
        f"{product} cannot look up safely for these"
    )


def ranges(of: CollectiveRules, blocks: int = 1) -> Iterator[tuple[int, int | None, str]]:
    """The first and the last size and the algorithm; an MPI counts so many blocks together."""
    start = 0
    for rule in of.mpi_rule:
        # Up to the last byte of so many blocks, so that no size is without a rule.
        end = None if rule.up_to_bytes is None else (rule.up_to_bytes + 1) * blocks - 1
        yield start, end, rule.algorithm
        start = 0 if end is None else end + 1


def within(of: CollectiveRules, largest: int, blocks: int = 1) -> CollectiveRules:
    """Without the rules that begin beyond the largest size that an MPI reads: the last one before
    holds there, too."""
    starts = (start for start, _, _ in ranges(of, blocks))
    rules = [rule for start, rule in zip(starts, of.mpi_rule, strict=True) if start <= largest]
    return replace(of, mpi_rule=[*rules[:-1], replace(rules[-1], up_to_bytes=None)])


def _check_algorithms(of: CollectiveRules, product: str, known: list[str]) -> None:
    """Those of a file that was written by hand, or for another version."""
    names = (rule.algorithm for rule in of.mpi_rule)
    if unknown := next((name for name in names if name not in (NATIVE, *known)), None):
        raise InputError(f"{product} has no {of.name} algorithm '{unknown}'")
