"""What the page has of a benchmark besides its rows."""

from dataclasses import replace
from pathlib import Path

from benched import benched

from stretto.cli.bench_report import ShownBench
from stretto.data.bench_plan import BenchCell
from stretto.report import page_size
from stretto.report.bench_late_patterns import DelayedRank, PatternDelays
from stretto.report.bench_roots import OfRoot
from stretto.report.page import render

CELL = BenchCell(1, "bcast", bytes=64, delays_ns=[0, 500_000, 0, 1_000_000])


def shown(folder: Path) -> ShownBench:
    """A run in which the root moved, and two ranks were late at once."""
    run = ShownBench.of(benched(folder))
    roots = [OfRoot(CELL, "native", root, 1e3, 2e3, 3e3 + root) for root in range(4)]
    late = [
        DelayedRank(rank, late, 1.25e6 - late, True) for rank, late in enumerate(CELL.delays_ns)
    ]
    patterns = [PatternDelays(CELL, "native", "end", late)]
    return replace(run, figures=replace(run.figures, roots=roots, late_at_once=patterns))


def test_it_has_each_roots_figures_and_whom_several_late_ranks_delay(tmp_path: Path) -> None:
    section = shown(tmp_path / "run").section()
    page = render([], benches=[section])
    part = next(each for each in section.operations if each.name == "bcast")
    assert part.roots is not None
    assert [row[1] for row in part.roots.rows] == ["0", "1", "2", "3"]
    assert "Figures of bcast by its root" in page
    assert "on the others, us" in page
    assert "bcast where several ranks are late" in page
    assert "the end where 2 ranks are late, by up to 1.00 ms" in page
    assert "the largest delay is 1.25 of that" in page
    others = [each for each in section.operations if each is not part]
    assert all(each.roots is None and not each.late_at_once for each in others)


def test_a_small_page_has_less_of_them(tmp_path: Path) -> None:
    section = shown(tmp_path / "run").section()
    many = replace(section, operations=section.operations * 400)
    page = page_size.within(lambda benches, _: render([], benches=benches), [many], [])
    assert len(page.encode()) <= page_size.MOST_BYTES
