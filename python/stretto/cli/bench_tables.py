"""A benchmark's results as tables."""

from collections.abc import Iterator, Sequence
from math import isnan

from rich.table import Table

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import BenchResult, BenchRow, Compared, still_changing
from stretto.report.bench_late import delay_matrices
from stretto.report.bench_late_patterns import pattern_delays
from stretto.report.bench_overlap import beside_work, overlap_table
from stretto.report.bench_roots import by_root, roots_table
from stretto.report.cell_words import cell_words
from stretto.report.plain_table import PlainTable
from stretto.report.words import significant, size

# Repetitions are those of all ranks of the class that count; skews those of the valid ones.
_WIDE = ("repetitions", "outliers", "skew", "skew p95")


def tables(result: BenchResult, *, is_wide: bool = False) -> Iterator[Table]:
    """One for each operation, a row for each size, class of ranks and implementation.

    `is_wide`: with outliers and each row's entry skews, for which a terminal has no room: it has
    a line of these beneath.
    """
    names = list(dict.fromkeys(row.cell.name for row in result.rows))
    compared = {_key(each.row): each for each in result.compared}
    for name in names:
        rows = [row for row in result.rows if row.cell.name == name]
        yield _table(name, rows, compared, result, is_wide=is_wide)


def _key(row: BenchRow) -> tuple[int, str, str]:
    return row.cell.number, row.rank_class, row.implementation


def _table(
    name: str,
    rows: Sequence[BenchRow],
    compared: dict[tuple[int, str, str], Compared],
    result: BenchResult,
    *,
    is_wide: bool,
) -> Table:
    plan = result.record.plan
    coverage = min(row.time.interval.coverage for row in rows)
    counts = sorted({len(row.launches) for row in rows})
    launches = f"{counts[0]} to {counts[-1]}" if counts[1:] else str(counts[0])
    title = f"{name}: {plan.ranks} ranks, {launches} launches, us"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("bytes", no_wrap=True)
    table.add_column("ranks", overflow="fold")
    table.add_column("by", overflow="fold")
    for heading in ("median", f"{coverage:.0%}", "min", "p95", "max", "valid"):
        table.add_column(heading, justify="right", no_wrap=True)
    if len(plan.implementations) > 1:
        table.add_column("first/it", no_wrap=True)
    has_changing = any(row.is_changing for row in rows)
    if has_changing:
        table.add_column("warm-up", overflow="fold")
    for heading in _WIDE if is_wide else ():
        table.add_column(heading, justify="right")
    for row in sorted(rows, key=lambda it: (it.cell.number, it.rank_class)):
        interval = row.time.interval
        cells = [
            cell_words(row.cell),
            row.rank_class,
            row.implementation,
            _us(row.time.median),
            f"{_us(interval.low)}-{_us(interval.high)}",
            *map(_us, (row.minimum, row.p95, row.maximum)),
            f"{row.valid:.0%}",
        ]
        if len(plan.implementations) > 1:
            cells.append(_against(compared.get(_key(row))))
        if has_changing:
            cells.append(still_changing(row))
        if is_wide:
            cells += [str(row.repetitions), str(row.outliers)]
            cells += ["" if it is None else _us(it) for it in (row.skew_median, row.skew_p95)]
        table.add_row(*cells)
    if not is_wide and (words := skew_words(rows)):
        table.caption, table.caption_justify = words, "left"
    return table


def skew_words(rows: Sequence[BenchRow]) -> str:
    """How far apart ranks entered, of the cells in which none is meant to be late; empty where
    that is not known, or they entered together."""
    known = [
        (row.skew_median, row.skew_p95)
        for row in rows
        if row.skew_median is not None and row.skew_p95 and not any(row.cell.delays_ns)
    ]
    if not known:
        return ""
    medians, p95s = ([*map(_us, sorted(each))] for each in zip(*known, strict=True))
    return f"entry skew: median {_reach(medians)} us, p95 {_reach(p95s)} us"


def _reach(sorted_words: Sequence[str]) -> str:
    least, most = sorted_words[0], sorted_words[-1]
    return least if least == most else f"{least} to {most}"


def _us(ns: float) -> str:
    return significant(ns * 1e-3)


def _against(each: Compared | None) -> str:
    """How many times as long the first takes; * is not by chance."""
    if each is None:
        return ""
    ratio = each.difference
    ends = f"[{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]"
    return f"{ratio.ratio:.2f}x {ends}" + (" *" if each.differs else "")


def more_tables(result: BenchResult, run: BenchFolder) -> Iterator[Table]:
    """Overlap, roots and late ranks, where the run has such cells."""
    found = beside_work(result, run)
    for name in dict.fromkeys(each.row.cell.name for each in found):
        yield _shown(
            f"{name}: overlap", overlap_table([it for it in found if it.row.cell.name == name])
        )
    roots = by_root(result, run)
    for name in dict.fromkeys(each.cell.name for each in roots):
        of_name = [each for each in roots if each.cell.name == name]
        yield _shown(f"{name}: by root", roots_table(of_name))
    for matrix in delay_matrices(result, run):
        table = Table(title=matrix.title, title_justify="left", title_style="bold")
        table.add_column("late", no_wrap=True)
        for each in matrix.column_names():
            table.add_column(each, justify="right", no_wrap=True)
        for late, shares, sure in zip(
            matrix.row_names(), matrix.shares, matrix.is_sure, strict=True
        ):
            table.add_row(late, *map(_share, shares, sure))
        if matrix.late_ranks:
            table.caption, table.caption_justify = matrix.words, "left"
        yield table
    for pattern in pattern_delays(result, run):
        yield _shown(pattern.title, pattern.table(), words=1)


def _share(share: float, is_sure: bool) -> str:
    return "" if isnan(share) else f"{share:.2f}{'*' if is_sure else ''}"


def _shown(title: str, plain: PlainTable, words: int = 3) -> Table:
    """The first `words` columns are of words, the others of figures."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, head in enumerate(plain.heads):
        table.add_column(head, justify="left" if number < words else "right", overflow="fold")
    for row in plain.rows:
        table.add_row(*row)
    return table


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
