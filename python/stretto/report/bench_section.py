"""A benchmark as the report shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stretto.data.bench_folder import BenchFolder, BenchRecord
from stretto.data.imported import Imported
from stretto.report.bars import Tile
from stretto.report.bench import BenchResult
from stretto.report.bench_first_calls import first_calls
from stretto.report.bench_late import DelayMatrix, delay_matrices
from stretto.report.bench_late_patterns import PatternDelays, pattern_delays
from stretto.report.bench_model import BesideModel, model_table, sentences, summary
from stretto.report.bench_model_lines import with_model
from stretto.report.bench_overlap import BesideWork, beside_work, overlap_plots, overlap_table
from stretto.report.bench_plots import (
    BenchPlot,
    TimeSpans,
    comparison_plot,
    latency_plot,
    operations,
)
from stretto.report.bench_roots import OfRoot, by_root, roots_table
from stretto.report.line_drawing import DrawnPlot, draw_lines
from stretto.report.line_plot import LinePlot
from stretto.report.plain_table import PlainTable
from stretto.report.plots import SpansPlot, spans_plot
from stretto.report.suite_curves import with_suites
from stretto.report.words import percent


@dataclass(frozen=True)
class SampleFigures:
    """What is worked out from a run's samples besides its rows, for page and plots."""

    work: list[BesideWork]
    roots: list[OfRoot]
    late: list[DelayMatrix]
    late_at_once: list[PatternDelays]
    first_calls: PlainTable | None

    @staticmethod
    def of(result: BenchResult, run: BenchFolder) -> "SampleFigures":
        return SampleFigures(
            beside_work(result, run),
            by_root(result, run),
            [*delay_matrices(result, run)],
            pattern_delays(result, run),
            first_calls(result, run),
        )


@dataclass(frozen=True)
class ModelWords:
    """An operation beside what a machine's model says of it."""

    machine: str
    summary: str
    off: list[str]  # a sentence for each row that it does not explain, the furthest first
    table: PlainTable


@dataclass(frozen=True)
class OperationPart:
    """An operation: its picture, if it has one, and all figures."""

    name: str
    figure: DrawnPlot | SpansPlot | None
    comparison: DrawnPlot | None
    table: PlainTable
    overlaps: list[DrawnPlot]  # by size, the largest first
    overlap_table: PlainTable | None
    roots: PlainTable | None  # None: its root does not move
    late: list[DelayMatrix]
    late_at_once: list[PlainTable]  # where several ranks are
    model: ModelWords | None  # None: nothing of it is predicted


@dataclass(frozen=True)
class GuidelineWords:
    """What came of checking the run against performance guidelines."""

    sentence: str
    violated: PlainTable | None


@dataclass(frozen=True)
class BenchSection:
    """Everything the page shows of one benchmark."""

    record: BenchRecord
    name: str
    mpi: str
    headline: str
    tiles: list[Tile]
    warnings: list[str]
    operations: list[OperationPart]
    first_calls: PlainTable | None
    not_measured: PlainTable | None
    guidelines: GuidelineWords | None  # None: it has nothing that they are about


def bench_section(
    result: BenchResult,
    figures: SampleFigures,
    name: str,
    tables: Mapping[str, PlainTable],
    not_measured: PlainTable | None,
    guidelines: GuidelineWords | None,
    beside: BesideModel | None,
    suites: Sequence[Imported] = (),
) -> BenchSection:
    """One run, and in its latency plots what files of other `suites` say; `tables` are those of
    the terminal, by operation, in their order."""
    record = result.record
    return BenchSection(
        record,
        name,
        mpi_of(record),
        headline(record),
        [*_tiles(result)],
        result.warnings,
        [
            _part(
                _latency(result, operation, beside, suites),
                comparison_plot(result, operation),
                table,
                figures,
                operation,
                _model_words(operation, beside),
            )
            for operation, table in tables.items()
        ],
        figures.first_calls,
        not_measured,
        guidelines,
    )


def plots_of(
    result: BenchResult,
    figures: SampleFigures,
    beside: BesideModel | None,
    suites: Sequence[Imported] = (),
) -> Iterator[BenchPlot | DelayMatrix]:
    """All that the page draws, for files."""
    for operation in operations(result):
        latency = _latency(result, operation, beside, suites)
        of_all = (latency, comparison_plot(result, operation))
        yield from filter(None, of_all)
        yield from overlap_plots([it for it in figures.work if it.row.cell.name == operation])
    yield from figures.late


def _part(
    plot: BenchPlot | None,
    against: LinePlot | None,
    table: PlainTable,
    figures: SampleFigures,
    name: str,
    model: ModelWords | None,
) -> OperationPart:
    found = [each for each in figures.work if each.row.cell.name == name]
    roots = [each for each in figures.roots if each.cell.name == name]
    return OperationPart(
        name,
        drawn(plot),
        draw_lines(against) if against else None,
        table,
        [draw_lines(each) for each in overlap_plots(found)],
        overlap_table(found) if found else None,
        roots_table(roots) if roots else None,
        [each for each in figures.late if each.operation == name],
        [each.table() for each in figures.late_at_once if each.cell.name == name],
        model,
    )


def _latency(
    result: BenchResult, name: str, beside: BesideModel | None, suites: Sequence[Imported]
) -> BenchPlot | None:
    """With what is predicted of it, and what other suites printed, where anything is."""
    plot = latency_plot(result, name)
    if plot is None:
        return None
    if beside is not None:
        plot = with_model(plot, beside, result.record.plan.implementations)
    return with_suites(plot, result, suites)


def _model_words(name: str, beside: BesideModel | None) -> ModelWords | None:
    found = beside.of_operation(name) if beside else []
    if beside is None or not found:
        return None
    furthest = sorted(found, key=lambda each: each.likeness)
    table = replace(model_table(name, beside), title="")
    return ModelWords(beside.machine, summary(found), [*sentences(furthest)], table)


def drawn(plot: BenchPlot | None) -> DrawnPlot | SpansPlot | None:
    """As the templates take it; None of none."""
    if plot is None:
        return None
    if isinstance(plot, TimeSpans):
        return spans_plot(
            plot.title, plot.words, plot.spans, next(iter(plot.spans)), plot.predicted
        )
    return draw_lines(plot)


def mpi_of(record: BenchRecord) -> str:
    """What the library said of itself; empty where nothing was launched."""
    return next((each.facts.mpi for each in record.launches if each.facts), "")


def headline(record: BenchRecord) -> str:
    """On how many ranks it was measured, and how often."""
    plan = record.plan
    hosts = next((each.facts.hosts for each in record.launches if each.facts), 1)
    launches = len({each.launch for each in record.launches})
    rig = f", network rig {plan.rig}" if plan.rig else ""
    ways = ", ".join(plan.implementations)
    return f"{plan.ranks} ranks on {hosts} host(s){rig}, {launches} launches each of {ways}"


def _tiles(result: BenchResult) -> Iterator[Tile]:
    first = result.record.plan.implementations[0]
    for name in result.record.plan.implementations[1:]:
        compared = [each for each in result.compared if each.row.implementation == name]
        better = sum(each.differs and each.difference.ratio > 1 for each in compared)
        worse = sum(each.differs and each.difference.ratio < 1 for each in compared)
        if compared:
            yield Tile(
                f"{name} against {first}",
                f"{better} faster, {worse} slower",
                f"of {len(compared)} comparisons; the others show no difference",
            )
    if result.rows:
        least = min(result.rows, key=lambda row: row.valid)
        where = f"{least.cell.name} by {least.implementation}"
        yield Tile("least valid repetitions", percent(least.valid), where)


def operation_tables(
    names: Sequence[str], tables: Sequence[PlainTable]
) -> Mapping[str, PlainTable]:
    """Tables by the operations that they are of, each without a title of its own."""
    return {
        name: PlainTable("", table.heads, table.rows)
        for name, table in zip(names, tables, strict=True)
    }
