"""How the command begins, before it knows what it is to do."""

import gc
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from launched import start_python

from stretto.cli import main
from stretto.cli.main import run_command

BEGINS = """
import os, signal, sys
from stretto.cli import main as m
def application(_arguments):
    {}
    return lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
m.application = application
m.main()
"""
CTRL_C = "os.kill(os.getpid(), signal.SIGINT)"
TAKES_OVER = "signal.signal(signal.SIGINT, lambda *_: None)"


@pytest.mark.parametrize("does", [CTRL_C, TAKES_OVER], ids=["at-once", "taken-over"])
def test_a_ctrl_c_ends_it_without_a_trace_whenever_it_comes(does: str) -> None:
    process = start_python(BEGINS.format(does), stderr=subprocess.PIPE)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (128 + signal.SIGINT, "")


def test_what_fails_while_it_loads_is_told_in_one_line(tmp_path: Path) -> None:
    fails = f"os.environ['TMPDIR'] = {str(tmp_path)!r}; raise RuntimeError"
    process = start_python(BEGINS.format(fails), stderr=subprocess.PIPE)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    (line,) = said.splitlines()
    assert line.startswith("stretto: a bug of ours: RuntimeError()")


@pytest.mark.parametrize("users", [None, "7"])
def test_numpy_is_loaded_without_threads_and_programs_have_what_users_set(
    users: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.setenv(name, users or "")
    if users is None:
        monkeypatch.delenv(name)
    seen: list[str | None] = []

    def application(_arguments: object) -> Callable[..., None]:
        seen.append(os.environ.get(name))
        return lambda *_, **__: seen.append(os.environ.get(name))

    monkeypatch.setattr(main, "application", application)
    assert run_command(["info"]) == 0
    assert seen == [users or "1", users]
    assert gc.isenabled()


def test_a_word_does_nothing_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["bench", "run", "\x1b[31m"]) == 2
    said = capsys.readouterr().err
    assert "\\x1b[31m is nothing that is measured here" in said
    assert "\x1b" not in said
