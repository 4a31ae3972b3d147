"""A run against guidelines, and the plan that measures what they need."""

import json
from pathlib import Path

import pytest
from bench_runs import make_run

from stretto.cli.bench_options import shipped_plans
from stretto.cli.consoles import out
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell, Form
from stretto.data.bench_spec import cells_of
from stretto.report.bench import summarise
from stretto.report.bench_guidelines import GuidelineResult, check_guidelines, remedy
from stretto.stats.guideline_list import GUIDELINES

Captured = pytest.CaptureFixture[str]

# On two ranks; the allgather keeps rank 1 for long.
CELLS = [
    BenchCell(0, "gather", bytes=64),
    BenchCell(1, "allgather", bytes=64),
    BenchCell(2, "alltoall", bytes=64),
    BenchCell(3, "alltoall", bytes=128, compute_ns=5),
    BenchCell(4, "alltoall", Form.NONBLOCKING, bytes=64),
    BenchCell(5, "allgather", Form.NONBLOCKING, bytes=64),
]


def takes(_way: str, cell: BenchCell, launch: int, rank: int) -> float:
    slow = 30 if cell.operation == "allgather" and rank == 1 else 10
    return slow + 0.01 * launch


def checked(path: Path) -> GuidelineResult:
    return check_guidelines(summarise(BenchFolder(path)), 0.05)


def test_times_are_those_of_the_slowest_rank_and_of_one_form(tmp_path: Path) -> None:
    found = checked(make_run(tmp_path / "a", takes, cells=CELLS))
    assert [(by, it.test.guideline) for by, it in found.violated] == [
        (("native", "blocking"), "allgather <= alltoall"),
        (("native", "nonblocking"), "allgather <= alltoall"),
    ]
    assert found.violated[0][1].factor == pytest.approx(3, rel=0.01)
    assert {it.test.bytes for _, it in found.checked} == {64}, "work is in the other"
    words = [remedy(it.test, form) for (_, form), it in found.violated]
    # Rules of stretto tune are for blocking calls.
    assert words == ["call MPI_Alltoall, or stretto tune", "call MPI_Ialltoall"]


def test_counts_that_are_all_the_roots(tmp_path: Path) -> None:
    cells = [
        BenchCell(0, "bcast", bytes=64),
        BenchCell(1, "allgatherv", bytes=8, counts=[8, 0]),
        BenchCell(2, "allgatherv", bytes=8, counts=[4, 4]),
        BenchCell(3, "reduce", bytes=64),
        BenchCell(4, "reduce_scatter", bytes=64, of_root=True),
    ]
    found = checked(make_run(tmp_path / "a", takes, cells=cells))
    tests = [it.test for _, it in found.checked]
    assert [it.guideline for it in tests] == ["bcast <= allgatherv", "reduce <= reduce_scatter"]
    words = "call MPI_Reduce_scatter with no elements but the root's, or stretto tune"
    assert remedy(tests[1], "blocking") == words


def test_a_local_reduction_is_part_of_mock_ups_of_every_form(tmp_path: Path) -> None:
    cells = [BenchCell(0, "reduce_local", bytes=64), BenchCell(1, "reduce_local", bytes=128)]
    for form in Form:
        cells += [
            BenchCell(len(cells) + at, operation, form, bytes=64)
            for at, operation in enumerate(("scan", "exscan"))
        ]
    found = checked(make_run(tmp_path / "a", takes, cells=cells))
    scans = [(by, it.test) for by, it in found.checked if it.test.operation == "scan"]
    assert [by[1] for by, _ in scans] == [*Form]
    assert {it.guideline for _, it in scans} == {"scan <= exscan + reduce_local"}
    words = [remedy(test, form).partition(",")[0] for (_, form), test in scans]
    assert words == [
        "call MPI_Exscan and MPI_Reduce_local",
        "call MPI_Iexscan and MPI_Reduce_local",
        "call MPI_Exscan_init and MPI_Reduce_local",
    ]
    local = [by[1] for by, it in found.checked if it.test.operation == "reduce_local"]
    assert {*local} == {"blocking"}, "it is checked once"


@pytest.mark.parametrize("ranks", [2, 4, 6, 8])
def test_the_plan_measures_what_the_guidelines_need(tmp_path: Path, ranks: int) -> None:
    spec = shipped_plans()["guidelines"]
    path = make_run(tmp_path / "a", takes, cells=cells_of(spec, {}), ranks=ranks, launches=1)
    found = checked(path)
    tested = {it.test.guideline for _, it in found.checked}
    assert {it.words for it in GUIDELINES} <= tested
    # What is missing of some sizes is there of others: smaller than all, or longer.
    parts = {it.missing.partition(" B")[0] for _, it in found.unchecked}
    sizes = {int(part.rpartition(" ")[2]) for part in parts}
    assert all(size <= min(spec.sizes) / 2 or size > max(spec.sizes) for size in sizes)


def test_as_a_user_sees_it(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out, "width", 200)
    run = str(make_run(tmp_path / "a", takes, cells=CELLS[:3]))
    assert run_command(["bench", "guidelines", run]) == 0
    said = capsys.readouterr().out
    assert "call MPI_Alltoall, or stretto tune" in said
    assert "Of 2 checked 1 is violated by 5 % or more; 6 not for want of measurements" in said
    assert run_command(["bench", "guidelines", run, "--least", "500%", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [it["violated"] for it in found["checked"]] == [False, False]
    assert found["unchecked"][0]["missing"] == "bcast of 128 B"


def test_without_violations_there_is_a_line(tmp_path: Path, capsys: Captured) -> None:
    run = str(make_run(tmp_path / "a", cells=CELLS[:3]))
    assert run_command(["bench", "guidelines", run]) == 0
    assert capsys.readouterr().out.startswith("Of 2 checked none is violated by 5 % or more")


def test_too_few_launches_are_said(tmp_path: Path) -> None:
    found = checked(make_run(tmp_path / "a", takes, cells=CELLS[:3], launches=2))
    (warning,) = found.warnings
    assert warning.startswith("with 2 launches no violation can be shown among 2")


def test_a_run_of_something_else_is_refused(tmp_path: Path, capsys: Captured) -> None:
    run = str(make_run(tmp_path / "a", cells=[BenchCell(0, "barrier")]))
    assert run_command(["bench", "guidelines", run]) == 2
    assert "--plan guidelines measures what they need" in capsys.readouterr().err
