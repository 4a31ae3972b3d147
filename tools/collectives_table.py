"""Writes docs/collectives.md: what each algorithm can do, and the test that shows it.

Usage: .venv/bin/python tools/collectives_table.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from stretto.data.schedules import Algorithm
from stretto.native.schedules import algorithms

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "collectives.md"

# Tests by the mark a cell has: file, name.
TESTS = {
    "p": ("tests/unit/schedule/verify_test.cpp", "IsProvenUpToNineRanks"),
    "b": ("tests/unit/collectives/single_blocks_test.cpp", "WhoClaimsThemNamesOneAtATime"),
    "d": ("tests/mpi/test_dropin.py", "test_forced_algorithms_handle_the_calls"),
    "a": ("tests/mpi/test_api.py", "test_every_algorithm_matches_the_mpi"),
    "r": (
        "tests/differential/test_differential.py",
        "test_random_sequences_agree_with_each_algorithm_forced",
    ),
}
COLUMNS = (
    "collective",
    "algorithm",
    "proof",
    "nonblocking",
    "persistent",
    "in place",
    "any operation",
    "derived types",
    "unequal blocks",
    "intercommunicator",
    "neighbourhood",
)
REDUCTIONS = ("reduce", "allreduce", "reduce_scatter", "scan", "exscan")
# Whose schedules an intercommunicator's collectives run on (docs/decisions/0010).
BETWEEN_GROUPS = ("barrier", "bcast", "gather", "scatter", "alltoall")

HEAD = """# Collectives and algorithms

Written by `tools/collectives_table.py`; a test compares it with the code.

A character stands for the test that shows it (below), `-` for what the collective does not have,
`no` for what the algorithm does not do: there selection chooses another. Intercommunicators'
allgather runs on the algorithms of alltoall, their reduce_scatter on those of allreduce
([why](decisions/0010-two-groups.md)).
"""


def does(can: bool, mark: str) -> str:
    return mark if can else "no"


def between_groups(each: Algorithm) -> str:
    if each.collective in ("scan", "exscan") or each.collective.startswith("neighbor"):
        return "-"
    if each.collective in REDUCTIONS:
        return does(each.two_groups, "dr")
    if each.collective in ("gather", "scatter", "alltoall"):
        return does(each.single_blocks, "dr")
    return does(each.collective in BETWEEN_GROUPS, "dr")


def row(each: Algorithm) -> tuple[str, ...]:
    """The cells of one algorithm."""
    neighbourhood = each.collective.startswith("neighbor")
    no_data = each.collective == "barrier"
    in_place = not (no_data or neighbourhood or each.collective == "bcast" or each.two_groups)
    in_blocks = each.collective not in ("barrier", "bcast", "reduce", "allreduce", "scan", "exscan")
    types = "r" if each.two_groups or neighbourhood else "ar"
    return (
        each.collective,
        each.algorithm,
        "p",
        "dr",
        "r",
        "pr" if in_place else "-",
        does(each.keeps_rank_order, "pr") if each.collective in REDUCTIONS else "-",
        "-" if no_data else types,
        does(each.single_blocks, "br") if in_blocks else "-",
        between_groups(each),
        "pdr" if neighbourhood else "-",
    )


def check_tests() -> None:
    """Each named test must be there. Raises ValueError."""
    for file, name in TESTS.values():
        if not re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")):
            raise ValueError(f"{file} has no {name}")


def page() -> str:
    """The whole text."""
    check_tests()
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *map(row, algorithms())]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    legend = "\n".join(f"- **{mark}**: `{file}`, `{name}`" for mark, (file, name) in TESTS.items())
    return f"{HEAD}\n{table}\n\n{legend}\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 3
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
