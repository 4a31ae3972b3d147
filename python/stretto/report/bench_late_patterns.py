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

HEADS = ["rank", "late by", "delayed by", "by others (*: not by chance)"]
# A table has no more ranks: those that are delayed most beyond their own lateness.
MOST_SHOWN = 16


@dataclass(frozen=True)
class DelayedRank:
    """One rank, in ns; by its own lateness and by others'."""

    rank: int
    late_ns: int
    beyond_ns: float  # by others' lateness
    is_sure: bool  # that is not by chance

    @property
    def delay_ns(self) -> float:
        """In all."""
        return self.late_ns + self.beyond_ns


@dataclass(frozen=True)
class PatternDelays:
    """One cell in which several ranks are late, by one implementation, until one stage.

    Of the ranks that take part, of which one or more are late.
    """

    cell: BenchCell
    implementation: str
    stage: str  # "end" or "start", which is the return of the call
    ranks: list[DelayedRank]

    @property
    def amplification(self) -> float:
        """The largest delay of any rank over the largest lateness: 1 is nobody beyond that."""
        return max(each.delay_ns for each in self.ranks) / max(self.lateness)

    @property
    def lateness(self) -> list[int]:
        """Of those that are late, in ns."""
        return [each.late_ns for each in self.ranks if each.late_ns]

    @property
    def title(self) -> str:
        """Of its table."""
        what = f"{self.cell.name} of {size(self.cell.bytes)}" if self.cell.bytes else self.cell.name
        count, latest = len(self.lateness), seconds(NS * max(self.lateness))
        ranks = f"{count} ranks are late, by up to" if count > 1 else "1 rank is late, by"
        return (
            f"{what} by {self.implementation}: {STAGES[self.stage]} where {ranks} {latest}; "
            f"the largest delay is {significant(self.amplification)} of that"
        )

    def table(self) -> PlainTable:
        """Of the ranks that others delay most."""
        by_harm = sorted(self.ranks, key=lambda it: (-it.beyond_ns, it.rank))
        shown = sorted(by_harm[:MOST_SHOWN], key=lambda it: it.rank)
        rows = [
            [
                str(it.rank),
                _time(it.late_ns) if it.late_ns else "",
                _time(it.delay_ns),
                _time(it.beyond_ns) + ("*" if it.is_sure else ""),
            ]
            for it in shown
        ]
        if left := by_harm[MOST_SHOWN:]:
            rows.append([f"{len(left)} others", "", "", f"{_time(left[0].beyond_ns)} at most"])
        return PlainTable(self.title, HEADS, rows)


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
        """How much later ranks get there than they came."""
        late = (
            samples.join(places, on="cell")
            .join(own, on=["cell", "rank"], how="left")
            .with_columns(pl.col("own_late_ns").fill_null(0))
        )
        lateness = late.select("cell", "rank", "own_late_ns").unique()
        got_there = reached(late).join(lateness, on=["cell", "rank"])
        alone = dict(places.select("cell", "alone").iter_rows())
        return got_there.with_columns(
            ns=pl.col("ns") - pl.col("own_late_ns"), cell=pl.col("cell").replace(alone)
        ).drop("own_late_ns")

    def of_alone(samples: pl.DataFrame) -> pl.DataFrame:
        """The same of each pattern that a cell without lateness is compared with."""
        alone = samples.filter(pl.col("cell").is_in(places["alone"].to_list()))
        once = reached(alone.with_columns(late_rank=-1, late_ns=0, own_late_ns=0))
        patterns_of = places.drop("cell").rename({"alone": "cell"})
        return once.drop("late_rank", "late_ns").join(patterns_of, on="cell")

    needed = {*places["cell"], *places["alone"]}
    found = delays(*over_launches(run.samples_by_launch(needed), of_alone, of_late))
    by_key = found.partition_by("late_rank", "stage", "implementation", as_dict=True)
    return [
        each
        for cell in patterns.values()
        for stage in STAGES
        for way in result.record.plan.implementations
        if (rows := by_key.get((-1 - cell.number, stage, way))) is not None
        and any((each := _of_one(rows, cell, way, stage)).lateness)
    ]


def _of_one(rows: pl.DataFrame, cell: BenchCell, implementation: str, stage: str) -> PatternDelays:
    ranks = [
        DelayedRank(rank, cell.late_ns.get(rank, 0), delay_ns, is_sure)
        for rank, delay_ns, is_sure in rows.select("rank", "delay_ns", "delayed").iter_rows()
    ]
    return PatternDelays(cell, implementation, stage, ranks)


def _time(ns: float) -> str:
    """A rank may be there sooner than where nobody is late."""
    return f"{'-' if ns < 0 else ''}{seconds(NS * abs(ns))}"
