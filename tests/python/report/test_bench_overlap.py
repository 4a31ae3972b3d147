"""Overlap of a benchmark's nonblocking operations with work."""

import pytest
from benched import WORK_NS, benched

from stretto.data.bench_folder import BenchFolder
from stretto.report.bench import summarise
from stretto.report.bench_overlap import BesideWork, beside_work, overlap_plots, overlap_table


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[BesideWork]:
    run = BenchFolder(benched(tmp_path_factory.mktemp("runs") / "bench-1"))
    return beside_work(summarise(run), run.samples())


def test_each_is_beside_its_parts(found: list[BesideWork]) -> None:
    assert len(found) == 2 * len(WORK_NS)
    for each in found:
        assert each.work_ns == pytest.approx(each.row.cell.compute_ns, rel=0.01)
        assert each.wait is not None
        # Half of the operation is hidden: see benched.py.
        assert each.wait.time.median == pytest.approx(each.alone.time.median / 2, rel=0.05)
        total = 200 + each.row.cell.compute_ns + each.wait.time.median
        assert each.row.time.median == pytest.approx(total, rel=0.01)


def test_a_plot_has_totals_waits_and_the_work(found: list[BesideWork]) -> None:
    (plot,) = overlap_plots(found)
    names = ["native", "native, wait", "<stretto>", "<stretto>, wait", "work alone"]
    assert [line.name for line in plot.lines] == names
    total, wait = plot.lines[:2]
    assert (total.colour, total.is_dashed) == (0, False)
    assert (wait.colour, wait.is_dashed) == (0, True)
    assert [each.x for each in total.readings] == [
        0,
        *(pytest.approx(1e-9 * work, rel=0.01) for work in WORK_NS),
    ]


def test_the_table_has_shares_by_each_definition(found: list[BesideWork]) -> None:
    table = overlap_table(found)
    assert len(table.rows) == len(found)
    row = dict(zip(table.heads, table.rows[0], strict=True))
    assert 0 < float(row["hidden (OSU)"].removesuffix(" %")) < 60
    assert 1 < float(row["over the ideal"].removesuffix("x")) < 2
