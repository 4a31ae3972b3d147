"""What a benchmark's run folder says: per rank class, never only a mean."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from stretto.data.bench_folder import BenchFolder, BenchRecord, Launched, wrong_cells
from stretto.data.bench_plan import COMPUTE, BenchCell
from stretto.data.bench_rows import CellState, over_launches
from stretto.errors import InputError
from stretto.stats.difference import Difference, adjusted, difference, launches_needed
from stretto.stats.estimate import LEVEL, Estimate, estimate
from stretto.stats.rank_classes import entries_over, of_launches, of_ranks, skews_of, summary_of
from stretto.stats.warm_up import warm_ups_of, warm_ups_over

Figure = Callable[[pl.DataFrame], pl.DataFrame]

ENOUGH_VALID, TOO_FEW_VALID = 0.8, 0.2
_INVALID = "invalid"
_MOST_LAUNCHES = 0.5


@dataclass(frozen=True)
class BenchRow:
    """One cell of one implementation on the ranks of one class; times in ns."""

    cell: BenchCell
    rank_class: str
    implementation: str
    launches: list[float]  # of each its median, of the median rank
    time: Estimate
    minimum: float  # of the rank that is fastest, as a median over launches
    p95: float
    maximum: float
    ranks: int
    repetitions: int
    outliers: int
    valid: float  # share of the repetitions, from 0 to 1
    skew_median: float | None
    skew_p95: float | None
    warmup_calls: float | None = None  # before those that count, of the median launch
    changing: float | None = None  # share of launches in which these were not alike in the end

    @property
    def is_changing(self) -> bool:
        """In most launches calls had not come to be alike when those that count began."""
        return (self.changing or 0) > _MOST_LAUNCHES


@dataclass(frozen=True)
class Compared:
    """A row against the same of the first implementation."""

    row: BenchRow
    difference: Difference  # above 1: the row's took less
    p: float  # corrected for all comparisons of the run

    @property
    def differs(self) -> bool:
        """It does so beyond chance."""
        return self.p <= 1 - LEVEL


@dataclass(frozen=True)
class BenchResult:
    """A benchmark, ready to be shown."""

    record: BenchRecord
    rows: list[BenchRow]
    compared: list[Compared]
    not_measured: list[tuple[str, BenchCell, CellState]]  # by implementation
    warnings: list[str]
    # What rows and what compares them are made of, launch by launch: as `of_launches` has them.
    launches: pl.DataFrame = field(compare=False)

    @property
    def is_wrong(self) -> bool:
        """Something had a wrong result."""
        return bool(wrong_cells(self.record))

    @property
    def least_valid(self) -> float:
        """Of the cells that were measured, the least share of repetitions that are valid."""
        if any(state.state == _INVALID for _, _, state in self.not_measured):
            return 0.0
        return min((row.valid for row in self.rows), default=1.0)


def still_changing(row: BenchRow) -> str:
    """In words; empty where its calls were alike."""
    if not row.is_changing:
        return ""
    return f"still changing after {row.warmup_calls or 0:.0f} calls"


def cells_frame(cells: Sequence[BenchCell]) -> pl.DataFrame:
    """A row a cell, as stats have them; samples have the roots."""
    return pl.DataFrame(
        {
            "cell": [cell.number for cell in cells],
            "operation": [cell.operation for cell in cells],
            "form": [str(cell.form) for cell in cells],
            "bytes": [cell.bytes for cell in cells],
            "root": [cell.root for cell in cells],
        },
        schema={
            "cell": pl.Int64,
            "operation": pl.String,
            "form": pl.String,
            "bytes": pl.Int64,
            "root": pl.Int64,
        },
    )


def summarise(folder: BenchFolder) -> BenchResult:
    """Everything there is to show of a complete run. Raises InputError where it is not."""
    record = folder.record()
    if not folder.complete:
        raise InputError(
            f"{folder.path} is not finished: run the same stretto bench again to resume it"
        )
    plan = record.plan
    known = cells_frame(plan.cells)
    figures = over_launches(folder.samples_by_launch(), *figures_of_rows(known))
    rows, entries = rows_over(plan.cells, *figures), entries_over(figures[1])
    lost = [*_not_measured(folder, record), *_without_valid(entries, plan.cells)]
    compared = [*_compared(rows, plan.implementations)]
    warnings = [*_warnings(record, rows)]
    return BenchResult(record, rows, compared, lost, warnings, of_launches(figures[0]))


def rows_of(samples: pl.DataFrame, cells: Sequence[BenchCell]) -> list[BenchRow]:
    """A row a (cell, rank class, implementation) that has a valid repetition."""
    return rows_over(cells, *over_launches([samples], *figures_of_rows(cells_frame(cells))))


def rows_of_run(
    folder: BenchFolder, cells: Sequence[BenchCell]
) -> tuple[list[BenchRow], pl.DataFrame]:
    """The same of all launches of a complete run, and what they are made of, as `of_launches` has
    it. Raises EnvironmentUnusable."""
    figures = over_launches(folder.samples_by_launch(), *figures_of_rows(cells_frame(cells)))
    return rows_over(cells, *figures), of_launches(figures[0])


def figures_of_rows(known: pl.DataFrame) -> tuple[Figure, Figure, Figure]:
    """Of a launch, what `rows_over` takes: what each rank took, when each repetition began, and
    how long it was warmed up; `known` is what `cells_frame` gives."""
    return partial(of_ranks, cells=known), skews_of, warm_ups_of


def rows_over(
    cells: Sequence[BenchCell],
    ranks: pl.DataFrame,
    skews: pl.DataFrame,
    warm_ups_each: pl.DataFrame,
) -> list[BenchRow]:
    """A row a (cell, rank class, implementation) that has a valid repetition, of what
    `figures_of_rows` made of all launches."""
    by_number = {cell.number: cell for cell in cells}
    entered, warmed = entries_over(skews), warm_ups_over(warm_ups_each)
    launches = of_launches(ranks).filter(pl.col("median_ns").is_not_null())
    key = ["cell", "implementation", "rank_class"]
    medians = {
        tuple(row[name] for name in key): row["median_ns"]
        for row in launches.group_by(key).agg("median_ns").iter_rows(named=True)
    }
    entries = {(row["cell"], row["implementation"]): row for row in entered.iter_rows(named=True)}
    warm_ups = {(row["cell"], row["implementation"]): row for row in warmed.iter_rows(named=True)}
    found = []
    for row in summary_of(ranks).sort(key).iter_rows(named=True):
        of_launch = medians.get(tuple(row[name] for name in key))
        if not of_launch:
            continue
        entry = entries[row["cell"], row["implementation"]]
        warm_up = warm_ups[row["cell"], row["implementation"]]
        found.append(
            BenchRow(
                cell=by_number[row["cell"]],
                rank_class=row["rank_class"],
                implementation=row["implementation"],
                launches=of_launch,
                time=estimate(of_launch),
                minimum=row["min_ns"],
                p95=row["p95_ns"],
                maximum=row["max_ns"],
                ranks=row["ranks"],
                repetitions=row["repetitions"],
                outliers=row["outliers"],
                valid=entry["valid"],
                skew_median=entry["skew_median_ns"],
                skew_p95=entry["skew_p95_ns"],
                warmup_calls=warm_up["warmup_calls"],
                changing=warm_up["changing"],
            )
        )
    return found


def _compared(rows: Sequence[BenchRow], implementations: Sequence[str]) -> Iterator[Compared]:
    first = {
        (row.cell.number, row.rank_class): row
        for row in rows
        if row.implementation == implementations[0]
    }
    pairs = [
        (row, first[row.cell.number, row.rank_class])
        for row in rows
        if row.implementation != implementations[0]
        and (row.cell.number, row.rank_class) in first
        and row.cell.operation != COMPUTE
        and min(*row.launches, *first[row.cell.number, row.rank_class].launches) > 0
    ]
    found = [difference(base.launches, row.launches) for row, base in pairs]
    corrected = adjusted([each.p for each in found])
    for (row, _), each, p in zip(pairs, found, corrected, strict=True):
        yield Compared(row, each, p)


def _not_measured(
    folder: BenchFolder, record: BenchRecord
) -> Iterator[tuple[str, BenchCell, CellState]]:
    """Cells that were skipped, failed or were wrong, once for each implementation and reason."""
    by_number = {cell.number: cell for cell in record.plan.cells}
    made = Counter(launched.implementation for launched in record.launches)
    each = Counter(
        (launched.implementation, state.cell, state.state, reason_of(state))
        for launched in record.launches
        for state in launched.states
    )
    seen = set()
    for launched in record.launches:
        for state in launched.states:
            key = (launched.implementation, state.cell, state.state, reason_of(state))
            if state.state == "done" or state.cell not in by_number or key in seen:
                continue
            seen.add(key)
            named = state
            if state.state == "wrong":
                why = _words_of_wrong(folder, record, launched, state)
                named = CellState(state.cell, state.state, why)
            elif each[key] < made[launched.implementation]:
                counted = f"in {each[key]} of {made[launched.implementation]} launches"
                words = f"{state.why}, {counted}" if state.why else counted
                named = CellState(state.cell, state.state, words)
            yield launched.implementation, by_number[state.cell], named


def reason_of(state: CellState) -> str:
    """What tells apart how a cell was skipped; how it failed may be told otherwise each time."""
    return state.why if state.state == "skipped" else ""


def _words_of_wrong(
    folder: BenchFolder, record: BenchRecord, launched: Launched, state: CellState
) -> str:
    """The first wrong byte of a cell in a launch, where a rank said which, and how many results."""
    way = record.plan.implementations.index(launched.implementation)
    said = folder.said_of_wrong(launched.launch, way, state.cell)
    results = "result" if state.why == "1" else "results"
    why = f"{state.why} {results} in launch {launched.launch}"
    return f"{said}; {why}" if said else why


def _without_valid(
    entered: pl.DataFrame, cells: Sequence[BenchCell]
) -> Iterator[tuple[str, BenchCell, CellState]]:
    """Cells that were measured in vain."""
    by_number = {cell.number: cell for cell in cells}
    for row in entered.filter(valid=0).iter_rows(named=True):
        why = f"none of its {row['repetitions']} repetitions is valid"
        cell = by_number[row["cell"]]
        yield row["implementation"], cell, CellState(cell.number, _INVALID, why)


def _warnings(record: BenchRecord, rows: Sequence[BenchRow]) -> Iterator[str]:
    facts = [launched.facts for launched in record.launches if launched.facts]
    if any(each.crowded for each in facts):
        yield (
            "ranks share cores: times have waiting for cores in them, and ranks are synchronised "
            "by a barrier instead of at times"
        )
    if any(each.clock != "shared" for each in facts):
        worst = max(each.clock_residual_ns for each in facts)
        unsure = max(each.clock_uncertainty_ns for each in facts)
        yield (
            f"clocks of several hosts, by models that are off by {worst:.0f} ns at most; how far "
            f"hosts' clocks are from each other is known to {unsure:.0f} ns, by so much more ranks "
            "may have begun apart than the entry skew says"
        )
    few = [row for row in rows if row.valid < ENOUGH_VALID]
    if few:
        worst_row = min(few, key=lambda row: row.valid)
        yield (
            f"{len(few)} of {len(rows)} rows have less than {ENOUGH_VALID:.0%} valid repetitions, "
            f"{worst_row.cell.name} of {worst_row.cell.bytes} B {worst_row.valid:.0%}: "
            "try --sync barrier, or fewer ranks"
        )
    if changing := [row for row in rows if row.is_changing]:
        worst_row = max(changing, key=lambda row: row.warmup_calls or 0)
        yield (
            f"calls of {len(changing)} of {len(rows)} rows had not come to be alike when those "
            f"that count began, {worst_row.cell.name} of {worst_row.cell.bytes} B by "
            f"{worst_row.implementation} {still_changing(worst_row)}: give it longer by budget_ms "
            "or warmup of a plan, or a calmer machine"
        )
    comparisons = len({(row.cell.number, row.rank_class) for row in rows})
    comparisons *= len(record.plan.implementations) - 1
    fewest = min((len(row.launches) for row in rows), default=0)
    if comparisons and fewest < (needed := launches_needed(comparisons)):
        yield (
            f"after {fewest} launches no difference can be told from chance, of so many "
            f"comparisons ({comparisons}): it takes {needed}"
        )
    if wrong := len(wrong_cells(record)):
        yield (
            f"{wrong} of {len(record.plan.cells) * len(record.plan.implementations)} cells had "
            'wrong results, and their times are left out: "Not measured, or wrong" names them'
        )
    machine = record.provenance
    if machine.load_before > 0.5:
        yield f"the machine was not idle before: its load was {machine.load_before:.2f}"
