"""What becomes of a native tool's exit code."""

from pathlib import Path

import pytest
from stand_ins import executable

from stretto.errors import InputError, StrettoError
from stretto.native.ask import ask


def tool(folder: Path, exit_code: int) -> Path:
    script = f'#!/bin/sh\necho "asked $*"; echo "stretto-stand-in: why" >&2; exit {exit_code}\n'
    return executable(folder / "stretto-stand-in", script)


@pytest.mark.parametrize(("exit_code", "is_no"), [(0, False), (3, True)])
def test_an_answer_may_be_no(tmp_path: Path, exit_code: int, is_no: bool) -> None:
    answer = ask(tool(tmp_path, exit_code), "this", "that")
    assert (answer.text, answer.complaint, answer.is_no) == (b"asked this that\n", "why", is_no)


@pytest.mark.parametrize(("exit_code", "error"), [(2, InputError), (1, StrettoError)])
def test_whose_fault_a_failure_is(
    tmp_path: Path, exit_code: int, error: type[StrettoError]
) -> None:
    with pytest.raises(error, match="why") as raised:
        ask(tool(tmp_path, exit_code))
    assert type(raised.value) is error
