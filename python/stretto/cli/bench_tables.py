"""A benchmark's results as tables."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from stretto.report.bench import BenchResult, BenchRow, Compared
from stretto.report.cell_words import cell_words
from stretto.report.words import seconds, size


def tables(result: BenchResult) -> Iterator[Table]:
    """One for each operation, a row for each size, class of ranks and implementation."""
    names = list(dict.fromkeys(row.cell.name for row in result.rows))
    compared = {_key(each.row): each for each in result.compared}
    for name in names:
        rows = [row for row in result.rows if row.cell.name == name]
        yield _table(name, rows, compared, result)


def _key(row: BenchRow) -> tuple[int, str, str]:
    return row.cell.number, row.rank_class, row.implementation


def _table(
    name: str,
    rows: Sequence[BenchRow],
    compared: dict[tuple[int, str, str], Compared],
    result: BenchResult,
) -> Table:
    plan = result.record.plan
    title = f"{name}: {plan.ranks} ranks, {plan.launches} launches"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("bytes", no_wrap=True)
    table.add_column("ranks", overflow="fold")
    table.add_column("by", overflow="fold")
    for heading in ("median", "95 %", "min", "p95", "max", "valid"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("of the first", no_wrap=True)
    for row in sorted(rows, key=lambda it: (it.cell.number, it.rank_class)):
        interval = row.time.interval
        table.add_row(
            cell_words(row.cell),
            row.rank_class,
            row.implementation,
            seconds(row.time.median * 1e-9),
            f"{seconds(interval.low * 1e-9)}-{seconds(interval.high * 1e-9)}",
            *(seconds(each * 1e-9) for each in (row.minimum, row.p95, row.maximum)),
            f"{row.valid:.0%}",
            _against(compared.get(_key(row))),
        )
    return table


def _against(each: Compared | None) -> str:
    if each is None:
        return ""
    ratio = each.difference
    mark = "" if each.differs else " (no difference shown)"
    return f"{ratio.ratio:.2f}x [{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]{mark}"


def not_measured_table(result: BenchResult) -> Table | None:
    """What was skipped, hung, failed or gave wrong results."""
    if not result.not_measured:
        return None
    table = Table(title="Not measured, or wrong", title_justify="left", title_style="bold")
    for heading in ("operation", "bytes", "by", "why"):
        table.add_column(heading, overflow="fold")
    for implementation, cell, state in result.not_measured:
        why = f"{state.state}: {state.why}" if state.why else state.state
        table.add_row(cell.name, size(cell.bytes), implementation, why)
    return table
