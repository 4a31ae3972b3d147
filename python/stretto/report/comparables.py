"""What a run of stretto bench, or a file of another suite, says that others can be compared with.

Figures of suites are compared with the same ones of our samples: a mean with a mean, and a time
of the slowest rank with one of the slowest rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import COMPUTE, BenchCell, Form, name_of
from stretto.data.bench_rows import over_launches
from stretto.data.imported import Imported, ImportedRow
from stretto.report.bench import BenchResult
from stretto.report.imported import RAW, invalid_repetitions, repetition_of, seconds_of
from stretto.stats.suite_figures import RANKS, SLOWEST, suite_figures
from stretto.stats.summary import median

TIME = "time"
_TIMES = ("latency", "communication")  # of nonblocking ones, the latter without other work
_OF_THE_SLOWEST = ("repro-mpi", "skampi", "nbcbench")
# Suites that give the bytes of all ranks' blocks where we give those of one.
_ALL_BLOCKS = {
    "osu": ("reduce_scatter", "reduce_scatter_block"),
    "omb-py": ("reduce_scatter", "reduce_scatter_block"),
    "imb": ("reduce_scatter", "reduce_scatter_block"),
    "imb-nbc": ("reduce_scatter", "reduce_scatter_block"),
    "nccl-tests": (
        *("allgather", "gather", "scatter", "alltoall", "reduce_scatter"),
        "reduce_scatter_block",
    ),
}
# What another suite names as we do, and does otherwise: with both neighbours, by four messages.
_OTHERWISE = {"imb": ("exchange",)}


@dataclass(frozen=True)
class Statistic:
    """What a figure is of; `over` has RANKS or SLOWEST, or "" of what is no time."""

    metric: str
    over: str
    name: str  # "mean"
    unit: str

    @property
    def words(self) -> str:
        """As a table says it."""
        if self.over == SLOWEST:
            return f"{self.name} of the slowest rank"
        if self.over == RANKS and self.name == "median":
            return "median over ranks of their medians"
        if self.over == RANKS:
            return f"{self.name} over ranks of their means"
        return f"{self.name} of {self.metric}".replace("_", " ")


@dataclass(frozen=True)
class Comparable:
    """One operation of one size, on all ranks; times in ns."""

    operation: str
    form: str
    bytes: int
    in_place: bool
    ranks: int | None  # None: the file does not say it
    by: str  # the implementation, or what a suite tells its tables apart by
    figures: dict[Statistic, list[float]] = field(compare=False)  # one for each launch

    @property
    def name(self) -> str:
        """As MPI calls the function."""
        return name_of(self.operation, self.form)

    @property
    def key(self) -> tuple[str, str, int, bool, int | None]:
        """What two that are compared have in common."""
        return self.operation, self.form, self.bytes, self.in_place, self.ranks


def of_run(result: BenchResult, run: BenchFolder) -> list[Comparable]:
    """Those of a run's cells that suites have, too: on all ranks, with no work and nobody late."""
    cells = {cell.number: cell for cell in result.record.plan.cells if as_suites_do(cell)}
    found: dict[tuple[int, str], list[dict[str, float]]] = {}
    (figures,) = over_launches(run.samples_by_launch(cells), suite_figures)
    # As they come the launches of one implementation follow each other: as of all at once.
    for row in figures.sort("implementation", "cell", "launch").iter_rows(named=True):
        found.setdefault((row["cell"], row["implementation"]), []).append(row)
    return [
        Comparable(
            operation=cells[number].operation,
            form=str(cells[number].form),
            bytes=cells[number].bytes,
            in_place=cells[number].in_place,
            ranks=result.record.plan.ranks,
            by=implementation,
            figures=_figures_of(cells[number], launches),
        )
        for (number, implementation), launches in found.items()
    ]


def as_suites_do(cell: BenchCell) -> bool:
    """Other suites measure the same: on all ranks, with no work and nobody late."""
    special = (cell.counts, cell.of_root, cell.compute_ns, cell.tests, any(cell.delays_ns))
    is_usual = cell.comm == "world" and not cell.fresh and not any(special)
    return cell.operation != COMPUTE and is_usual


def _figures_of(
    cell: BenchCell, launches: Sequence[dict[str, float]]
) -> dict[Statistic, list[float]]:
    # All suites give half of a round trip.
    part = 0.5 if cell.operation == "pingpong" else 1
    names = [(RANKS, name) for name in ("mean", "median", "min", "max")]
    names += [(SLOWEST, name) for name in ("mean", "median", "min", "max")]
    return {
        Statistic(TIME, over, name, "ns"): [part * row[f"{over}_{name}"] for row in launches]
        for over, name in names
    }


def of_import(imported: Imported, ranks: int | None) -> list[Comparable]:
    """All that a file has figures of; where it does not say how many ranks there were, `ranks`.

    Raw values become the median of their launch, of processes the median of theirs, without
    invalid repetitions; what a file has several times, as of outputs that were put together, is of
    a launch each.
    """
    rows: dict[tuple[str, str, int, bool, int | None, str], list[ImportedRow]] = {}
    invalid = invalid_repetitions(imported.rows)
    for row in imported.rows:
        size = _bytes_of(row, imported.format, ranks)
        if size is not None and repetition_of(row) not in invalid:
            by = ", ".join(filter(None, (row.variant, row.datatype, row.op)))
            name = row.operation
            if name in _OTHERWISE.get(imported.format, ()):
                name = f"{name} of {imported.format}"
            key = (name, row.form, size, bool(row.in_place), row.ranks or ranks, by)
            rows.setdefault(key, []).append(row)
    return [
        Comparable(*key, figures=_imported_figures(alike, imported.format))
        for key, alike in rows.items()
    ]


def ranks_of(imported: Imported) -> set[int]:
    """How many there were, as far as the file says."""
    return {row.ranks for row in imported.rows if row.ranks is not None}


def unplaced(imported: Imported, ranks: int | None) -> int:
    """Of how many values the bytes of a block cannot be known, as the number of ranks is not."""
    return sum(_bytes_of(row, imported.format, ranks) is None for row in imported.rows)


def _bytes_of(row: ImportedRow, suite: str, ranks: int | None) -> int | None:
    """As `stretto bench` has them; None where that cannot be known."""
    if row.operation not in _ALL_BLOCKS.get(suite, ()) or row.bytes is None:
        return row.bytes or 0
    known = row.ranks or ranks
    return row.bytes // known if known else None


def _imported_figures(rows: Sequence[ImportedRow], suite: str) -> dict[Statistic, list[float]]:
    # By launch and process, which are None where there is one value for all of them.
    found: dict[Statistic, dict[int, dict[int | None, list[float]]]] = {}
    for row in rows:
        seconds = seconds_of(row)
        is_time = seconds is not None and _is_of_the_operation(row)
        value = 1e9 * seconds if seconds is not None and is_time else row.value
        if not 0 < value < float("inf"):
            continue
        is_raw = row.statistic == RAW and (row.process, row.repetition) != (None, None)
        if row.statistic == RAW and not is_raw:
            continue
        what = Statistic(
            metric=TIME if is_time else row.metric,
            over=_over(row, suite, is_raw=is_raw) if is_time else "",
            name="median" if is_raw else row.statistic,
            unit="ns" if is_time else row.unit,
        )
        # What is there several times without a number, as in outputs put together, is a launch.
        launches = found.setdefault(what, {})
        launch = row.launch if row.launch is not None else 0
        if not is_raw and row.launch is None:
            launch = sum(row.process in launches[each] for each in launches)
        launches.setdefault(launch, {}).setdefault(row.process, []).append(value)
    return {
        what: [_of_processes(what.name, launches[launch]) for launch in sorted(launches)]
        for what, launches in found.items()
    }


def _over(row: ImportedRow, suite: str, *, is_raw: bool) -> str:
    if row.process is not None:
        return RANKS
    return SLOWEST if is_raw or suite in _OF_THE_SLOWEST else RANKS


def _of_processes(name: str, values: dict[int | None, list[float]]) -> float:
    """Over processes what the statistic is over: each one's median, or its mean."""
    if name == "median":
        return median([median(each) for each in values.values()])
    return sum(sum(each) / len(each) for each in values.values()) / len(values)


def _is_of_the_operation(row: ImportedRow) -> bool:
    """Not of the work beside it, or of a part of it."""
    return row.metric == "latency" or (row.metric in _TIMES and row.form == Form.NONBLOCKING)
