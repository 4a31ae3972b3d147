"""A benchmark's run folder as the report shows it."""

from pathlib import Path

from stretto.cli.bench_tables import not_measured_table, tables
from stretto.cli.plain_tables import plain_table
from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import summarise
from stretto.report.bench_plots import operations
from stretto.report.bench_section import BenchSection, bench_section, operation_tables


def bench_of(folder: Path) -> BenchSection:
    """A complete run. Raises InputError where it is not."""
    run = BenchFolder(folder)
    result = summarise(run)
    not_measured = not_measured_table(result)
    return bench_section(
        result,
        run.samples(),
        folder.absolute().name,
        operation_tables(operations(result), [plain_table(each) for each in tables(result)]),
        plain_table(not_measured) if not_measured else None,
    )
