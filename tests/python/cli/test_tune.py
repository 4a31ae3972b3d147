"""What stretto tune and stretto export refuse, before they start anything."""

import pytest

from stretto.cli.main import run_command
from stretto.cli.tune_options import subjects_of

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-n", "1"], "--ranks 1: write numbers of 2 or more"),
        (["-n", "2,x"], "--ranks 2,x"),
        (["--sizes", "8,big"], "'big' is no size"),
        (["--collectives", "bcast,alltoallv"], "unknown 'alltoallv'"),
        (["--patterns", "none,late:1ms"], "write PATTERN:TIME"),
        (["--from-profile", "nowhere"], "nowhere is no run of stretto profile"),
        (["--from-profile", "nowhere", "-n", "2"], "ranks, sizes, collectives and patterns are"),
        (["-o", "nowhere/tuned.toml"], "nowhere is not a folder"),
        (["--rounds", "0"], "--rounds"),
    ],
)
def test_bad_input_is_one_line(words: list[str], complaint: str, capsys: Captured) -> None:
    assert run_command(["tune", *words, "./app"]) == 2
    said = capsys.readouterr().err.strip()
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_a_forced_algorithm_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("STRETTO_SELECTION_BCAST", "chain")
    assert run_command(["tune", "./app"]) == 2
    assert "STRETTO_SELECTION_BCAST is set" in capsys.readouterr().err


def test_what_is_asked_for_becomes_calls() -> None:
    four, sixteen = subjects_of("16,4,4", "1K,32M", "barrier,bcast", "none,last:1ms")
    assert (four.ranks, sixteen.ranks) == (4, 16)
    # All ranks' blocks of 32 MiB would be more than a buffer may be.
    assert [(name, size) for name, size, _ in four.calls] == [("barrier", 0), ("bcast", 1024)]
    (none, last) = four.calls[0][2]
    assert (none.name, none.late_ns) == ("none", [0.0] * 4)
    assert (last.name, last.late_ns) == ("last:1ms", [0.0, 0.0, 0.0, 1e6])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.toml", "--to", "openmpi"], "nowhere.toml: No such file"),
        (["nowhere.toml", "--to", "lam"], "--to lam: there are openmpi, openmpi6"),
    ],
)
def test_what_cannot_be_exported_is_said(
    words: list[str], complaint: str, capsys: Captured
) -> None:
    assert run_command(["export", *words]) == 2
    assert complaint in capsys.readouterr().err
