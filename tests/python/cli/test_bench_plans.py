"""The plans that come along: each can be run, and has in it what its puzzle needs."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from stand_ins import SCHEDULE_TOOL, executable
from typer.core import TyperGroup

from stretto.cli.bench import app_for
from stretto.cli.bench_options import shipped_plans
from stretto.cli.main import run_command
from stretto.data.bench_plan import COLLECTIVES, COMPUTE, BenchCell, Form, name_of
from stretto.data.bench_spec import cells_of

PLANS = shipped_plans()
EVERY_PLAN = pytest.mark.parametrize("plan", PLANS)
TWO_LEVEL = """claims="$claims"
echo "{\\"collective\\": \\"reduce\\", \\"algorithm\\": \\"two_level\\", $claims}"
"""


def cells(plan: str) -> list[BenchCell]:
    """Where each operation takes another time alone."""
    spec = PLANS[plan]
    alone = {(cell.name, cell.bytes): 10**6 + cell.number for cell in cells_of(spec, {})}
    return cells_of(spec, alone)


@pytest.fixture
def bench(house: Path) -> Path:
    """A build and an MPI that stand in for the real ones."""
    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    executable(house / "native" / "bin" / "stretto-schedule", SCHEDULE_TOOL + TWO_LEVEL)
    return house


def test_the_docs_list_them() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "bench.md").read_text(encoding="utf-8")
    listed = docs.partition("| plan | what it has |\n|---|---|\n")[2].partition("\n\n")[0]
    assert {line.split("`")[1] for line in listed.splitlines()} == {*PLANS}


@pytest.mark.parametrize("verb", ["run", "cliffs", "calls"])
def test_the_docs_name_every_option_of_what_measures(verb: str) -> None:
    docs = (Path(__file__).parents[3] / "docs" / "bench.md").read_text(encoding="utf-8")
    named = {*re.findall(r"(?<![\w-])--?[a-z][a-z-]*", docs)}
    command = typer.main.get_command(app_for(["--help"]))
    assert isinstance(command, TyperGroup)
    options = [each for each in command.commands[verb].params if each.param_type_name == "option"]
    assert len(options) > 10
    assert [each.opts for each in options if not named.intersection(each.opts)] == []


@EVERY_PLAN
def test_it_is_called_as_its_file_and_says_what_it_is_about(plan: str) -> None:
    spec = PLANS[plan]
    assert spec.name == plan
    assert spec.about
    assert "\n" not in spec.about
    assert spec.operations
    assert len(set(spec.implementations)) == len(spec.implementations)


@EVERY_PLAN
def test_it_can_be_launched(plan: str, bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["bench", "--plan", plan, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    count = re.search(r"(\d+) cells in each", shown)
    assert count is not None
    assert int(count[1]) == len(cells(plan))
    for implementation in PLANS[plan].implementations:
        assert f"\n{implementation}: " in shown
    assert not (bench / "stretto-runs").exists()


def test_the_gathers_sizes_are_close_around_the_cliff() -> None:
    sizes = [cell.bytes for cell in cells("gather-cliff")]
    assert PLANS["gather-cliff"].ranks == 4
    assert (min(sizes), max(sizes)) == (64, 4096)
    assert {256, 320, 384, 448, 512} <= {*sizes}


HAS: dict[str, Callable[[BenchCell], bool]] = {
    "work within": lambda cell: cell.compute_ns > 0,
    "work after": lambda cell: cell.after_ns == cell.compute_ns > 0,
    "work alone": lambda cell: cell.operation == COMPUTE,
    "the operation alone": lambda cell: cell.operation == "bcast" and not cell.compute_ns,
}


@pytest.mark.parametrize("what", HAS)
def test_arithmetic_is_timed_with_and_without_a_broadcast(what: str) -> None:
    assert any(map(HAS[what], cells("arithmetic-after-ibcast")))


def test_every_rank_is_late_once_in_each_collective() -> None:
    spec = PLANS["late-rank"]
    late: dict[str, list[int]] = {}
    for cell in cells("late-rank"):
        late.setdefault(cell.name, []).extend(at for at, by in enumerate(cell.delays_ns) if by)
    assert all(ranks == [*range(spec.ranks)] for ranks in late.values())
    without_blocks_that_differ = {
        each
        for each in COLLECTIVES
        if not each.startswith("neighbor") and each[-1] not in "vw" and each != "reduce_scatter"
    }
    for form in (Form.BLOCKING, Form.NONBLOCKING):
        assert {name_of(each, form) for each in without_blocks_that_differ} <= {*late}


def test_tests_rise_from_none_to_a_thousand() -> None:
    assert {cell.tests for cell in cells("tests-needed") if cell.compute_ns} >= {
        0,
        1,
        10,
        100,
        1000,
    }


def test_the_two_level_reduces_stand_beside_the_tuned_one() -> None:
    assert PLANS["hierarchical-reduce"].implementations == [
        "native:coll_han_priority=0",
        "native:coll_han_priority=100",
        "stretto",
        "stretto:reduce=two_level",
    ]


def test_of_osus_collectives_both_forms_are_measured() -> None:
    spec = PLANS["osu"]
    blocking = {each for each in COLLECTIVES if not each.startswith("neighbor")}
    blocking -= {"scan", "exscan"}
    assert {*spec.operations} == blocking | {f"i{each}" for each in blocking}
    assert spec.sizes == [1 << power for power in range(2, 21)]
    assert any(cell.compute_ns for cell in cells("osu"))


@pytest.mark.parametrize("width", ["0", "-0", "-0.05", "nan", "inf", "-inf"])
def test_no_interval_is_as_narrow(
    width: str, bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["bench", "barrier", "--width", width, "--dry-run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"stretto bench: --width {float(width):g}: write a share above 0")
    plan = bench / "plan.toml"
    plan.write_text(f"width = {float(width)}\n")
    assert run_command(["bench", "--plan", str(plan), "--dry-run"]) == 2
    assert "width" in capsys.readouterr().err
