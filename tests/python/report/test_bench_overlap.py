"""Overlap of a benchmark's nonblocking operations with work."""

from pathlib import Path

import msgspec
import pytest
from bench_runs import make_run
from benched import WORK_NS, benched

from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import COMPUTE, BenchCell, Form
from stretto.report.bench import summarise
from stretto.report.bench_overlap import BesideWork, beside_work, overlap_plots, overlap_table


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[BesideWork]:
    run = BenchFolder(benched(tmp_path_factory.mktemp("runs") / "bench-1"))
    return beside_work(summarise(run), run)


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


@pytest.mark.parametrize("at", range(3), ids=["alone", "with work", "work"])
def test_a_time_that_the_clock_does_not_show_gives_no_shares(at: int, tmp_path: Path) -> None:
    cells = [
        BenchCell(0, "allreduce", Form.NONBLOCKING, bytes=64),
        BenchCell(1, "allreduce", Form.NONBLOCKING, bytes=64, compute_ns=9000),
        BenchCell(2, COMPUTE, compute_ns=9000),
    ]

    def takes(_way: str, cell: BenchCell, _launch: int, _rank: int) -> float:
        return 0 if cell.number == at else 9

    run = BenchFolder(make_run(tmp_path / "run", takes, cells=cells))
    (each,) = found = beside_work(summarise(run), run)
    assert 0 in (each.alone.time.median, each.row.time.median, each.work_ns)
    table = overlap_table(found)
    row = dict(zip(table.heads, table.rows[0], strict=True))
    assert {row[head] for head in ("hidden (OSU)", "hidden (IMB)", "over the ideal")} == {""}
    assert len([*overlap_plots(found)]) == (0 if each.work_ns == 0 else 1)
    assert run_command(["bench", "show", str(run.path)]) == 0
    assert run_command(["report", str(run.path), "-o", str(tmp_path / "report.html")]) == 0


def test_lines_with_tests_begin_at_what_tests_without_work_take(tmp_path: Path) -> None:
    """Tests make it take longer, also where there is no work."""
    idle = BenchCell(0, "allreduce", Form.NONBLOCKING, bytes=64)
    cells = [
        idle,
        *(
            msgspec.structs.replace(idle, number=number, compute_ns=work, tests=tests)
            for number, (work, tests) in enumerate([(0, 100), (9000, 100), (9000, 7)], 1)
        ),
        BenchCell(4, COMPUTE, compute_ns=9000),
    ]

    def takes(_way: str, cell: BenchCell, _launch: int, _rank: int) -> float:
        return 10 + cell.tests + cell.compute_ns / 1e3

    run = BenchFolder(make_run(tmp_path / "run", takes, cells=cells))
    (plot,) = overlap_plots(beside_work(summarise(run), run))
    starts = {line.name: line.readings[0] for line in plot.lines}
    begin = starts["native, 100 tests"]
    assert (begin.x, begin.median) == (0, pytest.approx(1.1e-4, rel=0.01))
    assert starts["native, 7 tests"].x > 0
