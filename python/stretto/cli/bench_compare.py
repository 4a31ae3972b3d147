"""stretto bench compare: two runs, or a run and what another suite measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from stretto.cli.consoles import err, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import BenchFolder
from stretto.data.imported import Imported
from stretto.data.importers.registry import read_imported, title_of
from stretto.report.bench import BenchResult, summarise
from stretto.report.bench_comparison import SHARE, compare_runs
from stretto.report.bench_versus import BenchComparison, Versus
from stretto.report.bench_with_suites import MeasuredRun, compare_others
from stretto.report.cell_words import cell_words
from stretto.report.imported import plain_number
from stretto.report.words import percent, seconds, size
from stretto.stats.estimate import LEVEL

_MOST_NAMED = 3


def compare(
    first: Annotated[
        Path, typer.Argument(metavar="A", help="A run folder, or a file of another suite.")
    ],
    second: Annotated[
        Path, typer.Argument(metavar="B", help="What it is compared with, likewise.")
    ],
    impl_a: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which implementation of A.")
    ] = None,
    impl_b: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which of B; otherwise like with like.")
    ] = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs, of different MPIs or days, say, or a run with what another suite printed.

    Where both sides have launches there is a rank test, with Holm's correction, and an interval;
    a file with one mean has its ratio to our mean.

    Example: stretto bench compare stretto-runs/bench-1 osu_allreduce.txt --impl-a native
    """
    sides = [_side(path) for path in (first, second)]
    words = [
        f"{name}: {side_words(path, side)}"
        for name, path, side in zip("AB", (first, second), sides, strict=True)
    ]
    found = compared_sides(sides[0], sides[1], impl_a, impl_b)
    show_comparison(found, words, export_csv, export_markdown, as_json=as_json)


def _side(path: Path) -> MeasuredRun | Imported:
    if not path.is_dir():
        return read_imported(path)
    folder = BenchFolder(path)
    return MeasuredRun(summarise(folder), folder)


def compared_sides(
    first: MeasuredRun | Imported,
    second: MeasuredRun | Imported,
    impl_a: str | None = None,
    impl_b: str | None = None,
) -> BenchComparison:
    """Runs by their rows, others by what both have."""
    if isinstance(first, MeasuredRun) and isinstance(second, MeasuredRun):
        return compare_runs(first.result, second.result, impl_a, impl_b)
    return compare_others(first, second, impl_a, impl_b)


def side_words(path: Path, side: MeasuredRun | Imported) -> str:
    """What a side is of."""
    if isinstance(side, Imported):
        return f"{path}, {title_of(side)}"
    return run_words(path, side.result)


def run_words(path: Path, result: BenchResult) -> str:
    """A run: which MPI, how many ranks and launches, from when."""
    record = result.record
    mpi = next((it.facts.mpi for it in record.launches if it.facts), record.plan.launcher)
    launches = len({it.launch for it in record.launches})
    when = record.provenance.started_at[:10]
    mpi = " ".join(mpi.partition(",")[0].split())  # Open MPI says much more
    return f"{path}, {mpi}, {record.plan.ranks} ranks, {launches} launches, {when}"


def show_comparison(
    found: BenchComparison,
    sides: Sequence[str],
    export_csv: Path | None = None,
    export_markdown: Path | None = None,
    *,
    as_json: bool,
) -> None:
    """The tables, what they come to, and what is to be doubted."""
    shown = [*comparison_tables(found)]
    export_tables(map(plain_table, shown), export_csv, export_markdown)
    if as_json:
        print_plain_json(plain_comparison(found, sides))
        return
    for line in sides:
        out.print(line, markup=False, soft_wrap=True)
    for table in shown:
        show_table(table, out)
    out.print(comparison_words(found), style="bold", markup=False, soft_wrap=True)
    for line in found.notes:
        out.print(f"Note: {line}", markup=False, soft_wrap=True)
    for name, only in (("A", found.only_first), ("B", found.only_second)):
        if only:
            err.print(f"Only in {name}: {named_words(only)}", markup=False, soft_wrap=True)
    for warning in found.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)


def plain_comparison(found: BenchComparison, sides: Sequence[str]) -> dict[str, Any]:
    """Of plain types, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    for pair, each in zip(plain["pairs"], found.pairs, strict=True):
        pair["differs"] = each.differs
    return {"sides": [*sides], **plain}


def comparison_tables(found: BenchComparison) -> Iterator[Table]:
    """One for each operation."""
    for name in dict.fromkeys(each.name for each in found.pairs):
        pairs = [each for each in found.pairs if each.name == name]
        statistics = dict.fromkeys(each.statistic for each in pairs)
        one = f": {next(iter(statistics))}" if len(statistics) == 1 else ""
        table = Table(title=f"{name}{one}", title_justify="left", title_style="bold")
        table.add_column("bytes", no_wrap=True)
        for heading in ("ranks", "by") if one else ("ranks", "by", "of"):
            table.add_column(heading, overflow="fold")
        for heading in ("A", "B"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("A/B", no_wrap=True)
        for each in pairs:
            table.add_row(
                cell_words(each.details, each.work_ns[1] if each.work_ns else None)
                if each.details
                else size(each.bytes)
                if each.bytes
                else "",
                each.rank_class,
                _by(each),
                *([] if one else [each.statistic]),
                *(_figure(value, each.unit) for value in each.figures),
                _ratio(each),
            )
        yield table


def _by(each: Versus) -> str:
    first, second = each.by
    if first == second:
        return first
    return f"{first or '-'} / {second or '-'}"


def _figure(value: float, unit: str) -> str:
    if unit == SHARE:
        return percent(value)
    return seconds(value * 1e-9) if unit == "ns" else f"{plain_number(value)} {unit}"


def _ratio(each: Versus) -> str:
    if each.shift is not None:
        return _shift(each, each.shift)
    if each.interval is None:
        return f"{each.ratio:.2f}x (no test)"
    ends = f"[{each.interval.low:.2f}, {each.interval.high:.2f}]"
    return f"{each.ratio:.2f}x {ends}{_mark(each)}"


def _shift(each: Versus, by: float) -> str:
    """A - B, in points of their percents."""
    ends = ""
    if each.interval is not None:
        ends = f" [{round(100 * each.interval.low):+}, {round(100 * each.interval.high):+}]"
    return f"{round(100 * by):+} points{ends}{_mark(each)}"


def _mark(each: Versus) -> str:
    return "" if each.differs else " (no difference shown)"


def comparison_words(found: BenchComparison) -> str:
    """What it comes to in a sentence."""
    if not found.pairs:
        return "Nothing is in both: no operation of the same form, bytes and ranks"
    tested = [each for each in found.pairs if each.p is not None]
    if not tested:
        return f"{len(found.pairs)} ratios, none of them tested"
    differ = [each for each in tested if each.differs]
    times = [each.is_lower_in_second for each in differ if each.shift is None]
    shares = [each.is_lower_in_second for each in differ if each.shift is not None]
    coverage = min(each.interval.coverage for each in tested if each.interval)
    beyond = f"; intervals cover {coverage:.0%}" if coverage < LEVEL else ""
    words = [f"B has the lower figure in {sum(times)}, A in {len(times) - sum(times)}"]
    if shares:
        words.append(f"B hides less in {sum(shares)}, A in {len(shares) - sum(shares)}")
    return (
        f"Of {len(tested)} comparisons {len(differ)} differ (rank test, corrected): "
        f"{', '.join(words)}{beyond}"
    )


def named_words(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
