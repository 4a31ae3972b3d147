"""Options of stretto bench that nothing in the run has a use for are refused, or it is said."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def bench(house: Path) -> Path:
    """A build and an MPI that stand in for the real ones, and counts."""
    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    (house / "two").write_text("3 1\n")
    (house / "blocking.toml").write_text('operations = ["bcast"]\ncompute = [0.5]\n')
    (house / "both.toml").write_text('operations = ["bcast", "ibcast"]\ncompute = [0.5]\n')
    return house


def dry(words: str) -> int:
    return run_command(["bench", *words.split(), "--dry-run"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("alltoallv --counts two -n 1", "--counts: there are 2 counts, and 1 ranks: write one"),
        ("alltoallv --counts two -n 3", "--counts: there are 2 counts, and 3 ranks: write one"),
        ("bcast neighbor_alltoallv --counts two", "--counts: none of bcast, neighbor_alltoallv"),
        ("bcast --compute 0.5", "--compute: none of bcast is nonblocking or persistent"),
        ("--plan blocking.toml", "--compute: none of bcast is nonblocking or persistent"),
        ("ibcast --tests 0,10", "--tests: they are within the work that --compute asks for"),
        ("ibcast --after", "--after: it is as much work as --compute asks for"),
        ("ibcast --after --compute 0", "--after: it is as much work as --compute asks for"),
        ("barrier bcast --root 2", "--root 2: of 2 ranks the last one is rank 1"),
        ("allgatherv-of-root --root 5 -n 5", "--root 5: of 5 ranks the last one is rank 4"),
        ("bcast --root 2 -n 4 --comm halves", "--root 2: of 2 ranks in --comm halves the last"),
        ("bcast --root rotating:0", "--root rotating:0: write a rank, rotating:K"),
    ],
)
def test_what_is_of_no_use_is_one_line(words: str, complaint: str, capsys: Captured) -> None:
    assert dry(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bcast ibcast --compute 0.5", "--compute is not for bcast: only for what is nonblocking"),
        ("bcast gatherv --counts two", "--counts is not for bcast: only for what takes counts"),
        ("gatherv --sizes 8 --counts two", "--sizes is not for gatherv: as long as --counts says"),
        # Who names the operations of a plan cannot take back what it has for others.
        ("bcast --plan both.toml", "--compute is not for bcast: only for what is nonblocking"),
    ],
)
def test_what_is_of_use_to_some_is_said(words: str, said: str, capsys: Captured) -> None:
    assert dry(words) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize(
    "words",
    [
        "ibcast --compute 0 --tests 0,10",  # MPI_Tests, and no work between them
        "ibcast bcast_init --compute 0.5 --tests 0,10 --after",
        "barrier --root 5",
        "gatherv --counts two --root 1",
        "--plan both.toml",
        "bcast --root rotating:2",
    ],
)
def test_what_is_of_use_goes_without_saying(words: str, capsys: Captured) -> None:
    assert dry(words) == 0
    assert capsys.readouterr().err == ""
