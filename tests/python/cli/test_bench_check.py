"""stretto bench check and repeat as a CI and a user meet them."""

import json
from pathlib import Path

import pytest
from bench_runs import REDUCED, make_run, slower

from stretto.cli import bench_repeat
from stretto.cli.bench_check import share_of
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchFolder, BenchRecord
from stretto.data.bench_rows import CellState
from stretto.errors import InputError
from stretto.launch.bench import MeasuredMpi
from stretto.report.bench import BenchResult, summarise

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    make_run(tmp_path / "before")
    make_run(tmp_path / "after", slower(2, REDUCED))
    return str(tmp_path / "before"), str(tmp_path / "after")


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[BenchRecord]:
    """What was asked to be run again; without a launcher the new run is twice as slow."""
    asked: list[BenchRecord] = []

    def repeated(
        record: BenchRecord, _mpi: MeasuredMpi | None, output: Path | None
    ) -> tuple[BenchResult, Path]:
        asked.append(record)
        path = make_run(output or tmp_path / "again", slower(2, REDUCED))
        return summarise(BenchFolder(path)), path

    monkeypatch.setattr(bench_repeat, "same_mpi", lambda _by: None)
    monkeypatch.setattr(bench_repeat, "repeated", repeated)
    return asked


def test_a_line_for_what_is_worse_and_exit_code_3(runs: tuple[str, str], capsys: Captured) -> None:
    assert run_command(["bench", "check", *runs]) == 3
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("allreduce 64 B, all, native: 10.0 µs, now 20.1 µs, 2.00x [")


def test_one_line_and_0_where_nothing_is(runs: tuple[str, str], capsys: Captured) -> None:
    assert run_command(["bench", "check", runs[0], runs[0]]) == 0
    said = capsys.readouterr()
    assert said.out == "Of 3 checked nothing is worse by 5 % beyond its interval\n"
    assert said.err == ""
    assert run_command(["bench", "check", *runs, "--least", "1.5"]) == 0


def test_what_hangs_has_a_line_and_exit_code_3(
    runs: tuple[str, str], tmp_path: Path, capsys: Captured
) -> None:
    hangs = make_run(tmp_path / "hangs", states=[CellState(1, "timeout", "after [30] s")])
    assert run_command(["bench", "check", runs[0], str(hangs)]) == 3
    assert capsys.readouterr().out == "allreduce 64 B, native: timeout: after [30] s\n"


def test_as_json(runs: tuple[str, str], capsys: Captured) -> None:
    assert run_command(["bench", "check", *runs, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [each["worse"] for each in found["checked"]] == [False, False, True]
    assert (found["least"], found["missing"], len(found["worse"])) == (0.05, [], 1)


def test_without_a_run_the_plan_is_run_now(
    runs: tuple[str, str], again: list[BenchRecord], capsys: Captured
) -> None:
    assert run_command(["bench", "check", runs[0]]) == 3
    assert again == [BenchFolder(Path(runs[0])).record()]
    assert "again" in capsys.readouterr().err


def test_options_of_launches_are_none_of_a_run_that_is_there(
    runs: tuple[str, str], capsys: Captured
) -> None:
    assert run_command(["bench", "check", *runs, "-o", "new"]) == 2
    assert "is one already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("0.05", 0.05), ("0", 0), (" 10 % ", 0.1)]
)
def test_shares(text: str, share: float) -> None:
    assert share_of(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["", "%", "-1", "a", "nan", "inf"])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(InputError, match="write a share"):
        share_of(text)


def test_repeat_shows_the_run_and_compares(
    runs: tuple[str, str], again: list[BenchRecord], tmp_path: Path, capsys: Captured
) -> None:
    new = tmp_path / "new"
    assert run_command(["bench", "repeat", runs[0], "-o", str(new)]) == 0
    said = capsys.readouterr()
    assert "allreduce: 2 ranks, 8 launches" in said.out
    assert "Of 3 comparisons 1 differ" in said.out
    assert f"Run folder: {new}" in said.err
    assert len(again) == 1


def test_repeat_as_json(runs: tuple[str, str], again: list[BenchRecord], capsys: Captured) -> None:
    assert run_command(["bench", "repeat", runs[0], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [it["differs"] for it in found["compared_with_before"]["pairs"]] == [False, False, True]
    assert len(found["rows"]) == 3
    assert len(again) == 1


def test_a_run_is_not_overwritten_by_itself(runs: tuple[str, str], capsys: Captured) -> None:
    assert run_command(["bench", "repeat", runs[0], "-o", runs[0]]) == 2
    assert "name another folder" in capsys.readouterr().err


def test_a_launcher_that_is_gone_is_one_line(runs: tuple[str, str], capsys: Captured) -> None:
    assert run_command(["bench", "repeat", runs[0]]) == 5
    assert "mpirun, by which the run was made, is no longer here" in capsys.readouterr().err
