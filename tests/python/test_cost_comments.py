"""Every algorithm costs what its head comment says, counted on its schedules."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from cost_formula import Formula, ceil_log, cost_line

from stretto import native

COLLECTIVES = Path(__file__).resolve().parents[2] / "src" / "collectives"
FILES = sorted(COLLECTIVES.glob("*/*.cpp"))
SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 32, 33]
POWERS_OF_TWO = [2, 4, 8, 16, 32, 64]


def counted(file: Path, *options: int | str) -> dict[str, Fraction]:
    words = ["cost", file.parent.name, "--algorithm", file.stem, *map(str, options)]
    answer = subprocess.run(
        [native.schedule_tool(), *words], capture_output=True, text=True, check=True
    )
    cost = json.loads(answer.stdout)["cost"]
    return {name: Fraction(cost[name]) for name in ("alpha", "beta", "gamma")}


def cases(formula: Formula) -> list[tuple[int, int, int, int]]:
    """Ranks, segments, radix, and ranks a host."""
    sizes = POWERS_OF_TWO if formula.powers_of_two_only else SIZES
    sizes = [size for size in sizes if size > formula.above]
    segments = [1, 2, 5] if formula.uses_segments else [1]
    radixes = [2, 3, 4, 8] if formula.uses_radix else [2]
    return [
        (p, s, k, h)
        for p in sizes
        for h in ([h for h in POWERS_OF_TWO if h <= p] if formula.on_hosts else [1])
        for s in segments
        for k in radixes
        # logk(p) levels are full, and so cost what they say, only where p is a power of k.
        if not formula.uses_radix or k ** ceil_log(k, p) == p
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_algorithm_costs_what_its_comment_says(file: Path) -> None:
    formula = cost_line(file.read_text())
    for p, s, k, h in cases(formula):
        n = 3 * p * s
        options: list[int | str] = ["--ranks", p, "--count", n]
        if formula.uses_segments:
            options += ["--segment", n // s]
        if formula.uses_radix:
            options += ["--radix", k]
        if formula.on_hosts:
            options += ["--layout", f"host={h}"]
        said = formula.value(p=p, n=n, s=s, k=k, h=h)
        assert counted(file, *options) == said, f"p={p} n={n} s={s} k={k} h={h}"


def test_there_are_algorithms_to_compare() -> None:
    known = subprocess.run(
        [native.schedule_tool(), "list"], capture_output=True, text=True, check=True
    )
    listed = [json.loads(line) for line in known.stdout.splitlines()]
    assert {(each["collective"], each["algorithm"]) for each in listed} == {
        (file.parent.name, file.stem) for file in FILES
    }


def test_formula_reads_products_without_signs_and_continued_lines() -> None:
    source = (
        "// Idea.\n//\n// Cost, p = 2^k ranks, n elements: (p-2+s) alpha +\n"
        "// 2n(p-1)/p beta + logk(p) n gamma.\n// Good.\n\n#include <x>\n"
    )
    formula = cost_line(source)
    assert formula.powers_of_two_only
    assert not formula.on_hosts
    assert formula.value(p=8, n=16, s=3, k=3) == {"alpha": 9, "beta": 28, "gamma": 32}


@pytest.mark.parametrize(
    "line",
    [
        "no cost at all",
        "Cost, p ranks, n elements: 2 alpha",  # no full stop
        "Cost, p ranks, n elements: 2 delta.",
        "Cost, p ranks, n elements: (2 alpha.",
        "Cost, p ranks, n elements: lg(p) alpha + lg(p).",
        "Cost, p ranks, n elements: q alpha.",
    ],
)
def test_a_line_that_cannot_be_read_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        cost_line(f"// Idea.\n//\n// {line}\n").value(p=2, n=2, s=1, k=2)
