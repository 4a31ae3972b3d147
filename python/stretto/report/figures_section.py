"""A section of the page that is figures and tables alone, whatever they are of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stretto.data.bench_folder import BenchRecord
from stretto.report.bench_plots import BenchPlot
from stretto.report.bench_section import drawn
from stretto.report.line_drawing import DrawnPlot
from stretto.report.plain_table import PlainTable
from stretto.report.plots import SpansPlot


@dataclass(frozen=True)
class FiguresSection:
    """What a search of stretto bench has found, or what a file of another suite says."""

    name: str
    title: str
    headline: str
    lines: list[str]  # sentences without their stops
    figures: list[DrawnPlot | SpansPlot]
    tables: list[tuple[PlainTable, int]]  # each with how many of its last columns are words
    record: BenchRecord | None  # of the first run that it is of; None: none of ours

    @staticmethod
    def of(
        name: str,
        title: str,
        headline: str,
        lines: Iterable[str],
        plots: Iterable[BenchPlot],
        tables: Sequence[tuple[PlainTable, int]],
        record: BenchRecord | None = None,
    ) -> "FiguresSection":
        """With its plots as the page has them, and without tables that are empty."""
        figures = [figure for plot in plots if (figure := drawn(plot))]
        shown = [each for each in tables if each[0].rows]
        return FiguresSection(name, title, headline, [*lines], figures, shown, record)
