"""Folders of stretto bench cliffs and stretto bench calls: shown again, in the report, as files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stretto.cli.bench_calls_shown import call_sentences, call_tables, show_calls
from stretto.cli.bench_cliffs_shown import NO_CLIFFS, cliff_tables, show_cliffs
from stretto.cli.plain_tables import plain_table
from stretto.data.bench_folder import BenchRecord
from stretto.data.bench_series import series_answers, series_record, series_runs
from stretto.errors import InputError
from stretto.report.bench import BenchRow, summarise
from stretto.report.bench_calls import FirstCalls, calls_found
from stretto.report.bench_cliffs import Found, sentences, wrong_results
from stretto.report.bench_frame import calls_frame, rows_frame
from stretto.report.bench_plots import BenchPlot
from stretto.report.bench_searches import DRAWN, call_plots, cliff_plots
from stretto.report.bench_section import headline, mpi_of
from stretto.report.figures_section import FiguresSection
from stretto.report.plain_table import PlainTable

_CALLS = "calls"
_OF_OTHER_SETTINGS = "setting-"


def show_search(
    folder: Path, export_csv: Path | None, export_markdown: Path | None, *, as_json: bool
) -> None:
    """As at its end. Raises InputError where it did not come to it."""
    search = _read(folder)
    if isinstance(search, FirstCalls):
        show_calls(search, folder, export_csv, export_markdown, as_json=as_json)
    else:
        # A setting that the MPI does not run with leaves a run that is never finished.
        finished = [run for run in series_runs(folder) if run.complete]
        wrong = [line for run in finished for line in wrong_results(summarise(run))]
        show_cliffs(search, wrong, folder, export_csv, export_markdown, as_json=as_json)


@dataclass(frozen=True)
class ShownSearch:
    """A search that came to its end."""

    name: str
    record: BenchRecord  # of the first of its runs
    found: FirstCalls | list[Found]
    rows: list[BenchRow]  # of cliffs, in all rounds of sizes

    @staticmethod
    def of(folder: Path) -> "ShownSearch":
        """Raises InputError where it is not complete, or cannot be read."""
        found = _read(folder, DRAWN)
        runs = series_runs(folder)
        if not runs:
            raise InputError(f"{folder} has no runs in it")
        rows: list[BenchRow] = []
        if not isinstance(found, FirstCalls):
            for run in runs:
                if not run.path.name.startswith(_OF_OTHER_SETTINGS):
                    rows += summarise(run).rows
        return ShownSearch(folder.absolute().name, runs[0].record(), found, rows)

    def section(self) -> FiguresSection:
        """For the page."""
        mpi = mpi_of(self.record).split(",")[0]
        words = headline(self.record) + (f". {mpi}" if mpi else "")
        tables = self.every_table()
        if isinstance(self.found, FirstCalls):
            title, lines = "what first calls cost", call_sentences(self.found.calls)
            word_columns = [0, 0, 1]
        else:
            title, lines = "cliffs", [*sentences(self.found)] or [NO_CLIFFS.removesuffix(".")]
            word_columns = [0, 2]
        shown = [*zip(tables, word_columns, strict=False)]
        return FiguresSection.of(self.name, title, words, lines, self.plots(), shown, self.record)

    def plots(self) -> Iterator[BenchPlot]:
        """Latency curves with their cliffs, or what call after call takes."""
        ways = self.record.plan.implementations
        if isinstance(self.found, FirstCalls):
            return call_plots(self.found.calls, ways)
        return cliff_plots(self.rows, ways, self.found)

    def every_table(self) -> list[PlainTable]:
        """Of the terminal."""
        found = self.found
        tables = call_tables(found) if isinstance(found, FirstCalls) else cliff_tables(found)
        return [*map(plain_table, tables)]

    def frame(self) -> pl.DataFrame:
        """A row a size, or a call."""
        if isinstance(self.found, FirstCalls):
            return calls_frame(self.found.calls)
        return rows_frame(self.rows)


def _read(folder: Path, shown: Sequence[int] | None = None) -> FirstCalls | list[Found]:
    """What was found; of first calls the times of those that are `shown`."""
    record = series_record(folder)
    if record.verb != _CALLS:
        return series_answers(folder, record, list[Found])
    series_answers(folder, record, list)  # so that it is complete
    runs = ((summarise(run), run) for run in series_runs(folder))
    return calls_found(runs, shown) if shown else calls_found(runs)
