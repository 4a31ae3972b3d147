"""Some of the command lines of `make fuzz-cli`, and of its runs with faults."""

import os
from pathlib import Path

import fault_runs
import fuzz_cli
import pytest
from cli_ends import Ended, what_is_wrong
from cli_material import make_material
from fault_runs import COMMANDS, FAULTS, judged
from fuzz_lines import Lines
from mpi_runs import MPIS

from stretto.data.bench_folder import BenchFolder

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("fuzz"),
    pytest.mark.skipif(not MPIS, reason="no MPI with programs built for it"),
]
LINES = 60


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the verbs have made of a program."""
    folder = tmp_path_factory.mktemp("made")
    make_material(folder)
    return folder


def test_command_lines_that_nobody_would_write(made: Path, tmp_path: Path) -> None:
    source = Lines(seed=1000, real=0)
    lines = [source.line(number) for number in range(LINES)]
    ends = [*fuzz_cli.in_workers(lines, made, 1, tmp_path)]
    assert [each for each in ends if each[2]] == []
    assert len(ends) == LINES
    assert {0, 2, 5} <= {code for _, code, _, _ in ends}


def test_what_measures_is_short(made: Path) -> None:
    source = Lines(seed=1, real=0)
    verb = [*source.commands].index("bench repeat")
    lines = [source.line(verb + number * len(source.commands)) for number in range(20)]
    assert sum("runs/once" in line.words for line in lines) > 10
    plan = BenchFolder(made / "runs" / "once").record().plan
    assert (len(plan.cells), plan.launches, len(plan.implementations)) == (1, 1, 1)


# All that write where nothing can be written, and of each other fault two verbs in turn:
# `make fuzz-cli` runs all, with an MPI that is one.
NOTHING_TAKEN = ("full", "read-only", "no permission")
CASES = [
    *((verb, fault) for fault in NOTHING_TAKEN for verb, it in COMMANDS.items() if it.writes),
    *(
        ([*COMMANDS][(number * 2 + turn) % len(COMMANDS)], fault)
        for number, fault in enumerate(each for each in FAULTS if each not in NOTHING_TAKEN)
        for turn in range(2)
    ),
]


@pytest.mark.parametrize(("verb", "fault"), CASES)
def test_verbs_with_faults(made: Path, verb: str, fault: str) -> None:
    if FAULTS[fault].mounts and not fault_runs.may_mount():
        pytest.skip("only root may mount a small disk, and not everywhere")
    ended = fault_runs.run(COMMANDS[verb], FAULTS[fault], made, stand_in=True)
    assert judged(COMMANDS[verb], FAULTS[fault], ended, stand_in=True) is None, ended


@pytest.mark.parametrize(
    ("ended", "wrong"),
    [
        (Ended(0, "", ""), None),
        (Ended(2, "", "stretto run: no\n"), None),
        (Ended(2, "", "\x1b[1A\x1b[2Kstretto replay: no\n"), None),
        (Ended(3, "different", ""), None),
        (Ended(None, "", ""), "it hangs"),
        (Ended(-11, "", ""), "it was killed by signal 11"),
        (Ended(5, "", ""), "exit code 5 without a line that says why"),
        (Ended(120, "", ""), "exit code 120 is not documented"),
        (Ended(1, "", "stretto run: a bug of ours: x\n"), "it says 'a bug of ours'"),
    ],
)
def test_what_is_looked_for(ended: Ended, wrong: str | None) -> None:
    assert what_is_wrong(ended) == wrong


def test_names_that_are_no_characters(made: Path, tmp_path: Path) -> None:
    words = ("compare", "--launcher", "standin/mpirun", "--runs=1", "--name", os.fsdecode(b"\xff"))
    odd = fuzz_cli.Line(1, (*words, "--json", "./app"), {}, "utf-8", "file")
    ((_, code, why, _),) = fuzz_cli.in_workers([odd], made, 1, tmp_path)
    assert (code, why) == (0, None)
