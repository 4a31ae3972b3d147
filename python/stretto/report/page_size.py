"""Pages that stay small: of benchmarks with much in them less is shown, and a line says what.

So it is of what searches have found and of files of other suites.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from stretto.report.bench_section import BenchSection, OperationPart
from stretto.report.figures_section import FiguresSection
from stretto.report.plain_table import PlainTable

MOST_BYTES = 2_000_000
# Rows of each table that are shown where no plot less is enough.
_ROWS = (200, 50, 10, 2, 0)
_WHERE = "the page would be over 2 MB: {}; stretto report --plots DIR writes all plots and tables"


Draw = Callable[[Sequence[BenchSection], Sequence[FiguresSection]], str]


def within(draw: Draw, benches: Sequence[BenchSection], others: Sequence[FiguresSection]) -> str:
    """The page that `draw` makes of both, thinned as little as it takes to be small.

    What else is on the page stays as it is: it may be larger than MOST_BYTES of its own.
    """
    page = draw(benches, others)
    if not (benches or others) or is_small(page):
        return page
    for thinned in _thinner(benches, others):
        page = draw(*thinned)
        if is_small(page):
            break
    return page


def is_small(page: str) -> bool:
    """No larger than MOST_BYTES."""
    return len(page.encode(errors="backslashreplace")) <= MOST_BYTES


def _thinner(
    benches: Sequence[BenchSection], others: Sequence[FiguresSection]
) -> Iterator[tuple[list[BenchSection], list[FiguresSection]]]:
    """Less and less of them."""
    few = "of overlap and late ranks each operation's first plot is shown"
    if benches:
        yield [_with(each, few, _first_plots) for each in benches], [*others]
    none = "plots are left out"
    yield (
        [_with(each, none, _no_plots) for each in benches],
        [_without_plots(each, none) for each in others],
    )
    for most in _ROWS:
        words = f"plots are left out, and each table ends after {most} rows"
        if most == 0:
            words = "plots and the rows of tables are left out"

        def cut(part: OperationPart, most: int = most) -> OperationPart:
            return _cut_tables(_no_plots(part), most)

        yield (
            [_cut_others(_with(each, words, cut), most) for each in benches],
            [_cut_figures(_without_plots(each, words), most) for each in others],
        )


def _without_plots(section: FiguresSection, words: str) -> FiguresSection:
    return replace(section, figures=[], lines=[_WHERE.format(words), *section.lines])


def _cut_figures(section: FiguresSection, most: int) -> FiguresSection:
    tables = [(_cut(table, most), words) for table, words in section.tables]
    return replace(section, tables=tables)


def _with(
    section: BenchSection, words: str, thinned: Callable[[OperationPart], OperationPart]
) -> BenchSection:
    return replace(
        section,
        warnings=[_WHERE.format(words), *section.warnings],
        operations=[thinned(part) for part in section.operations],
    )


def _first_plots(part: OperationPart) -> OperationPart:
    return replace(part, overlaps=part.overlaps[:1], late=part.late[:1])


def _no_plots(part: OperationPart) -> OperationPart:
    return replace(part, figure=None, comparison=None, overlaps=[], late=[])


def _cut_tables(part: OperationPart, most: int) -> OperationPart:
    model = part.model
    if model is not None:
        model = replace(model, off=model.off[:most], table=_cut(model.table, most))
    return replace(
        part,
        table=_cut(part.table, most),
        overlap_table=_cut(part.overlap_table, most) if part.overlap_table else None,
        roots=_cut(part.roots, most) if part.roots else None,
        late_at_once=[_cut(each, most) for each in part.late_at_once] if most else [],
        model=model,
    )


def _cut_others(section: BenchSection, most: int) -> BenchSection:
    guidelines = section.guidelines
    if guidelines is not None and guidelines.violated is not None:
        guidelines = replace(guidelines, violated=_cut(guidelines.violated, most))
    return replace(
        section,
        first_calls=_cut(section.first_calls, most) if section.first_calls else None,
        not_measured=_cut(section.not_measured, most) if section.not_measured else None,
        guidelines=guidelines,
    )


def _cut(table: PlainTable, most: int) -> PlainTable:
    return replace(table, rows=table.rows[:most])
