"""Run folders of benchmarks as the report shows them, and their plots and tables as files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Protocol

import polars as pl

from stretto.cli.bench_guidelines import guideline_sentence, guideline_table
from stretto.cli.bench_tables import not_measured_table, tables
from stretto.cli.consoles import note
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import markdown_of
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_predictions import kept_predictions
from stretto.data.imported import Imported
from stretto.data.whole_file import write_whole
from stretto.errors import EnvironmentUnusable, InputError, writing
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_frame import rows_frame
from stretto.report.bench_guidelines import check_guidelines
from stretto.report.bench_late import DelayMatrix
from stretto.report.bench_model import BesideModel, model_table
from stretto.report.bench_plots import BenchPlot, TimeSpans, operations
from stretto.report.bench_section import (
    BenchSection,
    GuidelineWords,
    SampleFigures,
    bench_section,
    operation_tables,
    plots_of,
)
from stretto.report.line_plot import LinePlot
from stretto.report.plain_table import PlainTable

_TABLES = ("csv", "parquet", "md")
_LEAST = 0.05  # of a violation, as stretto bench guidelines has it


class InFiles(Protocol):
    """What has plots and tables that go into files."""

    @property
    def name(self) -> str:
        """Of the files."""

    def plots(self) -> Iterable[LinePlot | TimeSpans | DelayMatrix]:
        """All that the page draws."""

    def every_table(self) -> list[PlainTable]:
        """Of the terminal."""

    def frame(self) -> pl.DataFrame:
        """All digits."""


@dataclass(frozen=True)
class ShownBench:
    """A complete run, and what the terminal has of it."""

    name: str
    result: BenchResult
    figures: SampleFigures
    tables: list[PlainTable]  # of the operations, in their order
    not_measured: PlainTable | None
    beside: BesideModel | None  # what is predicted, where the folder keeps predictions
    suites: Sequence[Imported] = ()  # what other suites printed, for the plots

    @staticmethod
    def of(folder: Path, suites: Sequence[Imported] = ()) -> "ShownBench":
        """Raises InputError where it is not complete, or its predictions cannot be read."""
        run = BenchFolder(folder)
        result = summarise(run)
        skipped = not_measured_table(result)
        kept = kept_predictions(folder)
        return ShownBench(
            folder.absolute().name,
            result,
            SampleFigures.of(result, run),
            [plain_table(each) for each in tables(result)],
            plain_table(skipped) if skipped else None,
            BesideModel.of(result.rows, kept) if kept else None,
            suites,
        )

    def section(self) -> BenchSection:
        """For the page."""
        by_operation = operation_tables(operations(self.result), self.tables)
        guidelines = _guidelines(self.result)
        return bench_section(
            self.result,
            self.figures,
            self.name,
            by_operation,
            self.not_measured,
            guidelines,
            self.beside,
            self.suites,
        )

    def plots(self) -> Iterator[BenchPlot | DelayMatrix]:
        """All that the page draws."""
        return plots_of(self.result, self.figures, self.beside, self.suites)

    def every_table(self) -> list[PlainTable]:
        """Of the terminal, and those beside a model."""
        return [*self.tables, *self.model_tables(), *filter(None, [self.not_measured])]

    def frame(self) -> pl.DataFrame:
        """A row a cell, class of ranks and implementation."""
        return rows_frame(self.result.rows, self.result.compared)

    def model_tables(self) -> list[PlainTable]:
        """Of each operation of which something is predicted."""
        if self.beside is None:
            return []
        names = dict.fromkeys(each.row.cell.name for each in self.beside.found)
        return [model_table(name, self.beside) for name in names]


def _guidelines(result: BenchResult) -> GuidelineWords | None:
    try:
        found = check_guidelines(result, _LEAST)
    except InputError:
        return None
    table = plain_table(guideline_table(found)) if found.violated else None
    return GuidelineWords(guideline_sentence(found), table)


def refuse_replacing(benches: Sequence[InFiles], folder: Path, inputs: Sequence[Path]) -> None:
    """Raise InputError where what `write_files` writes would replace one of `inputs`."""
    read = {each.resolve(): each for each in inputs}
    for name in _names(benches):
        for ending in _TABLES:
            if found := read.get((folder / f"{name}.{ending}").resolve()):
                raise InputError(f"--plots {folder} would replace {found}: name another folder")


def write_files(benches: Sequence[InFiles], folder: Path) -> None:
    """The plots as SVG, PNG and PDF, the tables as CSV, Parquet and Markdown, into `folder`.

    Files of their names are replaced. Raises EnvironmentUnusable.
    """
    try:
        # Here, as importing Matplotlib would make every report half a second slower.
        from stretto.report.plot_files import write_plot  # noqa: PLC0415
    except ImportError as error:
        raise EnvironmentUnusable(
            f"--plots {folder}: Matplotlib, which draws them, cannot be imported ({error}): "
            "pip install matplotlib"
        ) from None
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, bench in zip(_names(benches), benches, strict=True):
        for plot in bench.plots():
            write_plot(plot, folder, name)
            count += 1
        _write_tables(bench, folder / name)
    note(f"Plots: {count} of them, and tables, in {folder}")


def _write_tables(bench: InFiles, path: Path) -> None:
    frame = bench.frame()
    parquet = BytesIO()
    frame.write_parquet(parquet)
    contents = (
        frame.write_csv().encode(),
        parquet.getvalue(),
        markdown_of(bench.every_table()).encode(errors="backslashreplace"),
    )
    for ending, content in zip(_TABLES, contents, strict=True):
        write_whole(path.with_name(f"{path.name}.{ending}"), content)


def _names(benches: Sequence[InFiles]) -> list[str]:
    """Of their folders, with numbers where several have one name."""
    names: list[str] = []
    for bench in benches:
        numbered = (f"{bench.name}-{number}" for number in range(2, len(benches) + 2))
        names.append(next(each for each in (bench.name, *numbered) if each not in names))
    return names
