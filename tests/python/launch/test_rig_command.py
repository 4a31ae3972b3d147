"""`tools/rig` with words it cannot use."""

import pytest

from stretto.launch.rig import command
from stretto.launch.rig.command import run_command


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "ACTION"),
        (["fly"], "fly"),
        (["run", "--hosts", "2"], "--rate"),
        (["run", "--hosts", "two", "--rate", "1gbit", "--", "true"], "two"),
        (["run", "--hosts", "2", "--rate", "1furlong", "--", "true"], "1furlong"),
        (["up", "x", "--hosts", "2", "--rate", "1gbit", "--delay", "1"], "delay '1'"),
        (["run", "--hosts", "2", "--ppn", "0", "--rate", "1gbit", "--", "true"], "1 to "),
        (["up", "x", "--hosts", "0", "--rate", "1gbit"], "1 to "),
        (["exec", "no-such-rig", "host0", "true"], "no-such-rig"),
        (["down", "no-such-rig"], "no-such-rig"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("rig: ")
    assert said.count("\n") == 1
    assert why in said


def test_a_program_without_mpi_is_refused_before_a_rig_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "require_usable", lambda: None)
    monkeypatch.setattr(command, "Rig", None)
    assert run_command(["run", "--hosts", "2", "--rate", "1gbit", "--", "/bin/true"]) == 2
    assert "does not use MPI" in capsys.readouterr().err
