"""Options of stretto bench that nothing in the run has a use for are refused, or it is said."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.cli.bench_options import implementations_of
from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def bench(house: Path) -> Path:
    """A build and an MPI that stand in for the real ones, and counts."""
    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    (house / "two").write_text("3 1\n")
    (house / "none").touch()
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
        ("alltoallv --counts none", "--counts: there are 0 counts, and 2 ranks: write one"),
        ("bcast neighbor_alltoall --counts two", "--counts: none of bcast, neighbor_alltoall"),
        ("bcast --compute 0.5", "--compute: none of bcast is nonblocking or persistent"),
        ("--plan blocking.toml", "--compute: none of bcast is nonblocking or persistent"),
        ("ibcast --tests 0,10", "--tests: they are within the work that --compute asks for"),
        ("ibcast --after", "--after: it is as much work as --compute asks for"),
        ("ibcast --after --compute 0", "--after: it is as much work as --compute asks for"),
        ("barrier bcast --root 2", "--root 2: of 2 ranks the last one is rank 1"),
        ("allgatherv-of-root --root 5 -n 5", "--root 5: of 5 ranks the last one is rank 4"),
        ("bcast --root 2 -n 4 --comm halves", "--root 2: of 2 ranks in --comm halves the last"),
        ("bcast --impl native:btl=tcp,streto", "--impl streto: it is native or stretto"),
        ("bcast --impl native:btl=tcp,Native:btl=self", "--impl Native:btl=self: it is native or"),
        ("bcast --impl native,tcp", "--impl tcp: it is native or stretto"),
        ("bcast --impl stretto:allreduce=ring,self", "allreduce has no algorithm ring,self"),
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


@pytest.mark.parametrize(
    ("words", "skipped"),
    [
        ("reduce bcast --sizes 8,12", ["reduce of 12 B: 12 B are no whole number of double"]),
        ("reduce bcast --sizes 8 --op band", ["reduce of 8 B: MPI has no band of double"]),
        ("scan --sizes 8 --datatype byte", ["scan of 8 B: MPI has no sum of byte"]),
        ("scan bcast --sizes 8 --in-place", ["bcast of 8 B: MPI has no MPI_IN_PLACE there"]),
        ("pingpong --sizes 8 -n 1", ["pingpong of 8 B: it takes two ranks"]),
        (
            "ireduce --sizes 12 --compute 1,2",
            ["ireduce of 12 B: 12 B are no whole number of double"],
        ),
        ("reduce --sizes 8 --datatype int --op bor", []),
    ],
)
def test_what_will_be_skipped_is_known_before_the_launches(
    words: str, skipped: list[str], capsys: Captured
) -> None:
    assert dry(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("skipped")] == [
        f"skipped: {each}" for each in skipped
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("native,stretto", ["native", "stretto"]),
        ("native:btl=tcp,self", ["native:btl=tcp,self"]),
        ("native:btl=tcp,self+pml=ob1,stretto", ["native:btl=tcp,self+pml=ob1", "stretto"]),
        ("native:A=mlx5_0:1,mlx5_1:1,native#2", ["native:A=mlx5_0:1,mlx5_1:1", "native#2"]),
        ("stretto:allreduce=ring,native", ["stretto:allreduce=ring", "native"]),
    ],
)
def test_values_of_settings_may_have_commas(text: str, found: list[str]) -> None:
    assert implementations_of(text) == found
