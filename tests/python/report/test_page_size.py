"""Pages of benchmarks with much in them."""

from dataclasses import replace
from pathlib import Path

import pytest
from benched import benched

from stretto.cli.bench_report import ShownBench
from stretto.report import page_size
from stretto.report.bench_late import DelayMatrix
from stretto.report.figures_section import FiguresSection
from stretto.report.page import render, write_report
from stretto.report.plain_table import PlainTable

SAID = "The page would be over 2 MB: "


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (1.0, None),
        (0.99, "of overlap and late ranks each operation&#39;s first plot is shown"),
        (0.5, "plots are left out"),
    ],
)
def test_less_is_shown_where_it_would_be_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, said: str | None
) -> None:
    section = ShownBench.of(benched(tmp_path / "run")).section()
    whole = render([], benches=[section])
    most = int(share * len(whole.encode())) + 10
    monkeypatch.setattr(page_size, "MOST_BYTES", most)
    path = tmp_path / "page.html"
    write_report([], path, benches=[section])
    page = path.read_text()
    assert len(page.encode()) <= most
    assert (SAID in page) == (said is not None)
    if said:
        assert SAID + said in page
    assert all(f"<h3>{part.name}</h3>" in page for part in section.operations)


def test_a_run_of_a_thousand_operations_is_a_small_page(tmp_path: Path) -> None:
    section = ShownBench.of(benched(tmp_path / "run")).section()
    many = replace(section, operations=section.operations * 200)
    page = page_size.within(lambda shown, _: render([], benches=shown), [many], [])
    assert len(page.encode()) <= page_size.MOST_BYTES
    assert "The page would be over 2 MB" in page


def test_of_searches_and_files_less_is_shown_too(tmp_path: Path) -> None:
    shown = ShownBench.of(benched(tmp_path / "run"))
    plots = [each for each in shown.plots() if not isinstance(each, DelayMatrix)]
    table = PlainTable("a table", ["size", "time"], [["8 B", "1 us"]] * 50_000)
    many = FiguresSection.of("run", "cliffs", "a search", [], plots, [(table, 0)])
    path = tmp_path / "page.html"
    write_report([], path, others=[many])
    page = path.read_text()
    assert len(page.encode()) <= page_size.MOST_BYTES
    assert SAID + "plots are left out, and each table ends after 200 rows" in page
    assert page.count("<td>1 us</td>") + page.count('<td class="number">1 us</td>') == 200
