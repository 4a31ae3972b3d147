"""stretto bench calls: what is said before anything is launched."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.cli import bench_calls
from stretto.cli.main import run_command
from stretto.errors import InputError


@pytest.mark.parametrize(("words", "lines"), [("--launches 9", 1), ("--launches 10", 0), ("", 0)])
def test_fewer_than_ten_fresh_processes_say_little(
    words: str,
    lines: int,
    house: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ended(*_: object) -> None:
        raise InputError("this is as far as the test goes")

    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    monkeypatch.setattr(bench_calls, "opened", ended)
    assert run_command(["bench", "calls", "barrier", *words.split()]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "as far as the test goes" in said.pop()
    assert len(said) == lines
    assert all("--launches 9: fewer than 10 fresh processes" in line for line in said)
