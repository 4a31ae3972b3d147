"""Files of other suites as the report shows them, beside runs or by themselves, and as files."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import polars as pl

from stretto.cli.bench_import import table_of
from stretto.cli.plain_tables import plain_table
from stretto.data.imported import Imported
from stretto.data.importers.registry import title_of
from stretto.report.bench_plots import BenchPlot
from stretto.report.comparables import ranks_of, unplaced
from stretto.report.figures_section import FiguresSection
from stretto.report.plain_table import PlainTable
from stretto.report.suite_curves import suite_curves, suite_plots

# Of raw values a file may have a hundred thousand.
_MOST_ROWS = 200
_WORDS, _WHOLES = ("operation", "form", "metric", "statistic", "unit"), ("line", "bytes", "ranks")
_SCHEMA = pl.Schema(
    {
        **dict.fromkeys(_WORDS, pl.String()),
        "value": pl.Float64(),
        **dict.fromkeys((*_WHOLES, "samples", "launch", "process", "repetition"), pl.Int64()),
        "in_place": pl.Boolean(),
        **dict.fromkeys(("datatype", "op", "variant"), pl.String()),
    }
)


@dataclass(frozen=True)
class ShownImport:
    """A file, and how many ranks it is taken to be of where it does not say so."""

    imported: Imported
    ranks: int | None

    @property
    def name(self) -> str:
        """Of the file."""
        return Path(self.imported.path).name

    def section(self) -> FiguresSection:
        """For the page; of very many values the table has the first."""
        (table,) = self.every_table()
        count = len(table.rows)
        lines = [*self._lines()]
        if count > _MOST_ROWS:
            table = replace(table, rows=table.rows[:_MOST_ROWS])
            lines.append(
                f"the table has the first {_MOST_ROWS} of {count} lines: stretto bench import "
                f"{self.name} has them all"
            )
        shown = [(replace(table, title="What it says"), 0)]
        title = f"what {title_of(self.imported)} printed"
        return FiguresSection.of(self.name, title, self.imported.path, lines, self.plots(), shown)

    def plots(self) -> Iterator[BenchPlot]:
        """Its latency curves."""
        return suite_plots(suite_curves(self.imported, self.ranks))

    def every_table(self) -> list[PlainTable]:
        """Of the terminal."""
        return [plain_table(table_of(self.imported))]

    def frame(self) -> pl.DataFrame:
        """A row a value."""
        return pl.DataFrame([msgspec.to_builtins(row) for row in self.imported.rows], _SCHEMA)

    def _lines(self) -> Iterator[str]:
        it = self.imported
        yield f"{len(it.rows)} values" + (
            f", and {len(it.unknown)} lines that are unknown here" if it.unknown else ""
        )
        if not ranks_of(it) and self.ranks is not None:
            yield f"it does not say how many ranks there were: taken for {self.ranks}"
        if left_out := unplaced(it, self.ranks):
            yield (
                f"{left_out} values have no place in plots: their bytes are those of all blocks, "
                "of how many ranks is not said"
            )
