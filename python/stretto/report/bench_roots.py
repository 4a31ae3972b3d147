"""What an operation takes by its root, where each repetition has another one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import over_launches
from stretto.report.bench import BenchResult
from stretto.report.cell_words import cell_words
from stretto.report.plain_table import PlainTable
from stretto.report.words import significant
from stretto.stats.rank_classes import durations_by_root

_US = 1e-3
# A table has no more roots of a cell: those by which it takes longest.
MOST_SHOWN = 16


@dataclass(frozen=True)
class OfRoot:
    """One cell by one implementation, of the repetitions that one rank was the root of.

    Times in ns: medians over the launches' medians.
    """

    cell: BenchCell
    implementation: str
    root: int
    root_ns: float  # on the root
    others_ns: float | None  # on the median rank of the others; None where there is none
    slowest_ns: float  # on whichever rank it kept longest


def by_root(result: BenchResult, run: BenchFolder) -> list[OfRoot]:
    """Of all cells whose root moves: by cell and implementation, the slowest root first."""
    moving = {cell.number: cell for cell in result.record.plan.cells if cell.root_step}
    if not moving:
        return []
    (found,) = over_launches(run.samples_by_launch([*moving]), durations_by_root)
    if found.is_empty():
        return []
    key = ["cell", "implementation", "root"]
    times = pl.col("root_ns", "others_ns", "slowest_ns").median()
    names = result.record.plan.implementations
    rows = [
        OfRoot(moving[row.pop("cell")], **row)
        for row in found.group_by(key).agg(times).iter_rows(named=True)
    ]
    return sorted(
        rows,
        key=lambda it: (
            it.cell.number,
            names.index(it.implementation),
            -it.slowest_ns,
            it.root,
        ),
    )


def roots_table(found: Sequence[OfRoot]) -> PlainTable:
    """One operation's, all sizes, as `by_root` sorts them.

    Of many roots it has those that take longest, and what the others do.
    """
    rows = []
    for _, each in groupby(found, key=lambda it: (it.cell.number, it.implementation)):
        of_key = [*each]
        rows += [_figures(it) for it in of_key[:MOST_SHOWN]]
        if left := of_key[MOST_SHOWN:]:
            first = left[0]
            words = [cell_words(first.cell), f"{len(left)} others", first.implementation]
            rows.append([*words, "", "", f"{_us(left[-1].slowest_ns)}-{_us(first.slowest_ns)}"])
    heads = ["bytes", "root", "by", "on the root, us", "on the others, us", "slowest rank, us"]
    return PlainTable("", heads, rows)


def _figures(each: OfRoot) -> list[str]:
    times = each.root_ns, each.others_ns, each.slowest_ns
    return [cell_words(each.cell), str(each.root), each.implementation, *map(_us, times)]


def _us(ns: float | None) -> str:
    return "" if ns is None else significant(ns * _US)
