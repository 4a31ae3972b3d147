"""Pages that stay small: of benchmarks with much in them less is shown, and a line says what."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from stretto.report.bench_section import BenchSection, OperationPart
from stretto.report.plain_table import PlainTable

MOST_BYTES = 2_000_000
# Rows of each table that are shown where no plot less is enough.
_ROWS = (200, 50, 10, 2, 0)
_WHERE = "the page would be over 2 MB: {}; stretto report --plots DIR writes all plots and tables"


def within(draw: Callable[[Sequence[BenchSection]], str], benches: Sequence[BenchSection]) -> str:
    """The page that `draw` makes of `benches`, thinned as little as it takes to be small.

    What else is on the page stays as it is: it may be larger than MOST_BYTES of its own.
    """
    page = draw(benches)
    if not benches or is_small(page):
        return page
    for thinned in _thinner(benches):
        page = draw(thinned)
        if is_small(page):
            break
    return page


def is_small(page: str) -> bool:
    """No larger than MOST_BYTES."""
    return len(page.encode(errors="backslashreplace")) <= MOST_BYTES


def _thinner(benches: Sequence[BenchSection]) -> Iterator[list[BenchSection]]:
    """Less and less of them."""
    few = "of overlap and late ranks each operation's first plot is shown"
    yield [_with(each, few, _first_plots) for each in benches]
    none = "plots are left out"
    yield [_with(each, none, _no_plots) for each in benches]
    for most in _ROWS:
        words = f"plots are left out, and each table ends after {most} rows"

        def cut(part: OperationPart, most: int = most) -> OperationPart:
            return _cut_tables(_no_plots(part), most)

        yield [_cut_others(_with(each, words, cut), most) for each in benches]


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
    of_work = _cut(part.overlap_table, most) if part.overlap_table else None
    return replace(part, table=_cut(part.table, most), overlap_table=of_work, model=model)


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
