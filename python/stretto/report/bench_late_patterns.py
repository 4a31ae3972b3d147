"""Who is delayed where several ranks come late at once, as in a program."""

from dataclasses import dataclass

import polars as pl

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import over_launches
from stretto.report.bench import BenchResult
from stretto.report.bench_late import STAGES, operation_of
from stretto.report.bench_plots import NS, is_plain
from stretto.report.plain_table import PlainTable
from stretto.report.words import seconds, significant, size
from stretto.stats.late_rank import delays, reached

# A table has no more ranks: those that are delayed most beyond their own lateness.
MOST_SHOWN = 16


@dataclass(frozen=True)
class DelayedRank:
    """One rank, in ns; its own lateness is part of its delay."""

    rank: int
    late_ns: int
    delay_ns: float
    is_sure: bool  # not by chance

    @property
    def beyond_ns(self) -> float:
        """By others' lateness."""
        return self.delay_ns - self.late_ns


@dataclass(frozen=True)
class PatternDelays:
    """One cell in which several ranks are late, by one implementation, until one stage."""

    cell: BenchCell
    implementation: str
    stage: str  # "end" or "start", which is the return of the call
    ranks: list[DelayedRank]

    @property
    def amplification(self) -> float:
        """The largest delay of any rank over the largest lateness: 1 is nobody beyond that."""
        return max(each.delay_ns for each in self.ranks) / max(self.cell.late_ns.values())

    @property
    def title(self) -> str:
        """Of its table."""
        what = f"{self.cell.name} of {size(self.cell.bytes)}" if self.cell.bytes else self.cell.name
        count, latest = len(self.cell.late_ns), seconds(NS * max(self.cell.late_ns.values()))
        return (
            f"{what} by {self.implementation}: {STAGES[self.stage]} where {count} ranks are late, "
            f"by up to {latest}; the largest delay is {significant(self.amplification)} of that"
        )

    def table(self) -> PlainTable:
        """Of the ranks that others delay most."""
        by_harm = sorted(self.ranks, key=lambda it: (-it.beyond_ns, it.rank))
        shown = sorted(by_harm[:MOST_SHOWN], key=lambda it: it.rank)
        rows = [
            [
                str(it.rank),
                _time(it.late_ns) if it.late_ns else "",
                _time(it.delay_ns) + ("*" if it.is_sure else ""),
                _time(it.beyond_ns),
            ]
            for it in shown
        ]
        if left := by_harm[MOST_SHOWN:]:
            rows.append([f"{len(left)} others", "", "", f"{_time(left[0].beyond_ns)} at most"])
        return PlainTable(self.title, ["rank", "late by", "delayed by", "beyond its own"], rows)


def pattern_delays(result: BenchResult, run: BenchFolder) -> list[PatternDelays]:
    """Of all cells in which more than one rank is late, where nobody is in another one."""
    cells = result.record.plan.cells
    plain = {operation_of(cell): cell.number for cell in cells if is_plain(cell)}
    patterns = {
        cell.number: cell for cell in cells if len(cell.late_ns) > 1 and operation_of(cell) in plain
    }
    if not patterns:
        return []
    # As of a late rank of its own each, of which there is none: no repetition begins by it.
    places = pl.DataFrame(
        [
            (number, plain[operation_of(cell)], -1 - number, max(cell.late_ns.values()))
            for number, cell in patterns.items()
        ],
        schema=["cell", "alone", "late_rank", "late_ns"],
        orient="row",
    )
    own = pl.DataFrame(
        [(number, *late) for number, cell in patterns.items() for late in cell.late_ns.items()],
        schema=["cell", "rank", "own_late_ns"],
        orient="row",
    )

    def of_late(samples: pl.DataFrame) -> pl.DataFrame:
        late = samples.join(places, on="cell").join(own, on=["cell", "rank"], how="left")
        lateness = pl.col("own_late_ns").fill_null(0)
        return reached(late.with_columns(own_late_ns=lateness, cell=pl.col("alone")))

    def of_alone(samples: pl.DataFrame) -> pl.DataFrame:
        undelayed = places.drop("cell").rename({"alone": "cell"})
        return pl.concat([reached(samples.join(it, on="cell")) for it in undelayed.iter_slices(1)])

    needed = {*places["cell"], *places["alone"]}
    found = delays(*over_launches(run.samples_by_launch(needed), of_alone, of_late))
    return [
        each
        for cell in patterns.values()
        for stage in STAGES
        for way in result.record.plan.implementations
        if (each := _of_one(found, cell, way, stage)).ranks
    ]


def _of_one(found: pl.DataFrame, cell: BenchCell, implementation: str, stage: str) -> PatternDelays:
    rows = found.filter(late_rank=-1 - cell.number, implementation=implementation, stage=stage)
    ranks = [
        DelayedRank(rank, cell.late_ns.get(rank, 0), delay_ns, is_sure)
        for rank, delay_ns, is_sure in rows.select("rank", "delay_ns", "delayed").iter_rows()
    ]
    return PatternDelays(cell, implementation, stage, ranks)


def _time(ns: float) -> str:
    """A rank may be there sooner than where nobody is late."""
    return f"{'-' if ns < 0 else ''}{seconds(NS * abs(ns))}"
