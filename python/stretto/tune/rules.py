"""The file that `stretto tune` writes and `stretto run --rules` takes, with its evidence."""

import itertools
from pathlib import Path
from typing import Annotated

import msgspec

from stretto.data.toml_text import facts, struct_of, whole_file, written
from stretto.errors import InputError

# One variable holds all rules, and the system takes none of more than 128 KiB.
_MOST_TEXT = 32_768


class Fingerprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the rules were measured."""

    mpi: str  # with its version, as its launcher says it
    cpu: str
    cpus: int
    launcher: str = ""
    rig: str = ""
    measured: str = ""  # when


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What runs calls of up to so many bytes, from the rule's before it on; None: of any size."""

    algorithm: str
    up_to_bytes: Annotated[int, msgspec.Meta(ge=0)] | None = None
    segment_bytes: Annotated[int, msgspec.Meta(ge=0)] = 0
    radix: Annotated[int, msgspec.Meta(ge=2)] = 2


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a call took in one pattern of arrivals: the mean of all ranks, and its quartiles."""

    bytes: int
    pattern: str
    algorithm: str
    median_us: float
    low_us: float
    high_us: float
    rounds: int
    segment_bytes: int = 0
    radix: int = 2


class CollectiveRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of one collective among so many ranks on so many hosts.

    `mpi_rule` chooses among the MPI's own algorithms only, where those were measured. `even`: all
    hosts have as many of the ranks; said where they have not.
    """

    name: str
    ranks: Annotated[int, msgspec.Meta(ge=2)]
    hosts: Annotated[int, msgspec.Meta(ge=1)]
    rule: Annotated[list[Rule], msgspec.Meta(min_length=1)]
    mpi_rule: list[Rule] = []
    measured: list[Evidence] = []
    even: bool = True


class Tuned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a file."""

    fingerprint: Fingerprint
    collective: list[CollectiveRules]

    def for_the_library(self) -> str:
        """The text of STRETTO_RULES (src/selection/tuned.hpp). Raises InputError."""
        words = [_word(each, rule) for each in self.collective for rule in each.rule]
        text = " ".join(words)
        if len(text) > _MOST_TEXT:
            raise InputError(f"{len(words)} rules are too many to hand to the ranks")
        return text

    def evidence(self, name: str, ranks: int, hosts: int) -> CollectiveRules | None:
        """What was measured of a collective among so many ranks."""
        wanted = (name, ranks, hosts)
        found = (each for each in self.collective if (each.name, each.ranks, each.hosts) == wanted)
        return next(found, None)


def _word(of: CollectiveRules, rule: Rule) -> str:
    size = "any" if rule.up_to_bytes is None else rule.up_to_bytes
    start = f"{of.name}:{of.ranks}:{of.hosts}:{size}:{rule.algorithm}"
    return f"{start}:{rule.segment_bytes}:{rule.radix}"


def rule_for(rules: list[Rule], length: int) -> Rule:
    """The one that a call of so many bytes goes by."""
    return next(each for each in rules if each.up_to_bytes is None or length <= each.up_to_bytes)


def read_tuned(path: Path) -> Tuned:
    """The rules of a file. Raises InputError with what is wrong in it."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    tuned = struct_of(text, Tuned, str(path))
    for each in tuned.collective:
        for rules in (each.rule, each.mpi_rule):
            _check(path, each, rules)
    groups = [(each.name, each.ranks, each.hosts) for each in tuned.collective]
    if twice := next((group for group in groups if groups.count(group) > 1), None):
        name, ranks, hosts = twice
        raise InputError(f"{path}: {name} on {ranks} ranks, {hosts} host(s): twice")
    return tuned


def _check(path: Path, of: CollectiveRules, rules: list[Rule]) -> None:
    sizes = [rule.up_to_bytes for rule in rules]
    limits = [size for size in sizes if size is not None]
    rises = all(a < b for a, b in itertools.pairwise(limits))
    if not rises or None in sizes[:-1] or (sizes and sizes[-1] is not None):
        raise InputError(
            f"{path}: {of.name} on {of.ranks} ranks: up_to_bytes must rise, and the last "
            "rule, and no other, has none"
        )
    for rule in rules:
        if not rule.algorithm or any(c in rule.algorithm for c in " :;\t\n"):
            raise InputError(f"{path}: '{rule.algorithm}' is no algorithm's name")


def toml_of(tuned: Tuned) -> str:
    """The file, as people read it: a line for each rule and each measurement."""
    about = [
        "# By `stretto tune`; `stretto run --rules` and `stretto explain --rules` take it.",
        "# Times: a call's, the mean of all ranks. Sizes: the vector's or one block's.",
    ]
    lines = ["", "[fingerprint]", *facts(tuned.fingerprint)]
    for each in tuned.collective:
        lines += ["", "[[collective]]"]
        about_ranks = ("name", "ranks", "hosts", *([] if each.even else ["even"]))
        lines += [f"{name} = {written(getattr(each, name))}" for name in about_ranks]
        for key in ("rule", "mpi_rule", "measured"):
            rows = getattr(each, key)
            if rows:
                lines += [f"{key} = [", *(f"  {{ {', '.join(facts(row))} }}," for row in rows), "]"]
    return whole_file(lines, about=about)
