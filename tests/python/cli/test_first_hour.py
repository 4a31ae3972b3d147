"""A part of `make first-hour`, and what judges it."""

import shutil
from dataclasses import replace

import first_hour
import pytest
from cli_ends import Ended
from first_hour import STEPS
from first_hour_promises import CODES, Says, Step, broken_promises, words_of
from first_hour_user import installed_mpis, page

PAGE = "# Exit codes\n| 0 | done |\n| 2 | bad\ninput |\n"
STEP = Step("a step", "stretto run", 2, (Says(r"\./app does not\s?exist", CODES, "bad input"),))
DID = Ended(2, "", "stretto run: │ ./app does\nnot exist")


def judged(step: Step = STEP, ended: Ended = DID) -> list[str]:
    return broken_promises(step, ended, lambda _: PAGE)


def test_what_was_promised_is_found_whatever_lines_it_is_on() -> None:
    assert judged() == []


@pytest.mark.parametrize(
    ("ended", "broken"),
    [
        (replace(DID, code=0), "exit code 0, not 2"),
        (replace(DID, code=None), "it hangs"),
        (replace(DID, stderr="stretto run: what?"), "is not printed"),
        (replace(DID, stderr=""), "exit code 2 without a line that says why"),
        (replace(DID, stdout="a bug of ours"), "it says 'a bug of ours'"),
        (replace(DID, stdout="1.00x as fast"), "'as fast' is printed"),
    ],
)
def test_a_wrong_output_is_found(ended: Ended, broken: str) -> None:
    assert any(broken in line for line in judged(replace(STEP, never=("as fast",)), ended))


def test_what_the_documentation_does_not_promise_is_found() -> None:
    (line,) = judged(replace(STEP, says=(Says("exist", CODES, "it sings"),)))
    assert line == f"{CODES} does not say: it sings"
    assert f"{CODES} has no exit code 3" in judged(replace(STEP, code=3), replace(DID, code=3))


def test_the_documentation_says_what_the_steps_are_held_against() -> None:
    missing = [
        f"{step.name}: {each.page}: {each.promise}"
        for step in STEPS
        for each in step.says
        if words_of(each.promise) not in words_of(page(each.page))
    ]
    assert missing == []


def test_steps_go_on_from_earlier_ones_of_their_program() -> None:
    names = [step.name for step in STEPS]
    assert len(names) == len(set(names))
    for number, step in enumerate(STEPS):
        for name in step.after:
            earlier = STEPS[names.index(name)]
            assert names.index(name) < number
            assert {*step.languages} <= {*earlier.languages}
            assert earlier.every_mpi or not step.every_mpi


@pytest.mark.skipif(
    shutil.which("bash") is None or not installed_mpis(), reason="no MPI with an mpicc, or no bash"
)
def test_a_part_of_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--language", "C", "--only", "no such program", "--only", "run reads"]
    mpi = installed_mpis()[0].name
    wrong = Step("it sings, run reads", "stretto run -n 1 $APP", says=(Says("la", CODES, "done"),))
    reads = Step(
        "run reads", "echo 7 | stretto run $APP 20 reads", says=(Says("steps 7", CODES, "done"),)
    )
    monkeypatch.setattr(first_hour, "STEPS", (*STEPS, reads, wrong))
    assert first_hour.main([*words, "--mpi", mpi]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if ": stretto" in line or ": echo" in line] == [
        "ok", "ok", "FAILED",
    ]  # fmt: skip
    assert "3 steps in" in lines[-1]
    assert lines[-1].endswith(": 1 ended otherwise than promised")
