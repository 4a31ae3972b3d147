"""The verbs end to end, on a stand-in launcher."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser
from pathlib import Path

import polars
import pytest
from stand_ins import executable

from stretto.cli.main import run_command
from stretto.data.run_folder import RunFolder

# Programs write past pytest's capture of sys.stdout, so output is read from the descriptor.
Captured = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("house")


def one_line(text: str) -> str:
    """The single line of a complaint."""
    lines = text.strip().splitlines()
    assert len(lines) == 1, text
    return lines[0]


def test_run_passes_output_through(capfd: Captured) -> None:
    assert run_command(["run", "-n", "1", "./app"]) == 0
    assert capfd.readouterr().out == "checksum 1f2e\ntime 0.15 s\n"


@pytest.mark.parametrize("option", ["-n", "-np", "--ranks"])
def test_so_many_ranks_are_started(option: str, capfd: Captured) -> None:
    assert run_command(["run", option, "3", "--dry-run", "./app"]) == 0
    assert " -n 3 " in one_line(capfd.readouterr().out)


def test_a_program_keeps_its_own_options(capfd: Captured, house: Path) -> None:
    (house / "app").write_text('#!/bin/sh\nprintf "%s " "$@"\n')
    assert run_command(["run", "./app", "-n", "3", "--help"]) == 0
    assert capfd.readouterr().out == "-n 3 --help "


def test_dry_run_prints_a_line_that_does_the_same(capfd: Captured, house: Path) -> None:
    (house / "app").write_text('#!/bin/sh\necho "$UNDER_STRETTO $STRETTO_SELECTION_BCAST $1"\n')
    command = ["run", "--algorithm", "bcast=binomial", "./app", "it's"]
    assert run_command(command) == 0
    ran = capfd.readouterr().out
    assert run_command([command[0], "--dry-run", *command[1:]]) == 0
    line = one_line(capfd.readouterr().out)
    assert "LD_PRELOAD=" in line
    shell = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
    assert shell.stdout == ran == "1 binomial it's\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run"], 2, "PROGRAM"),
        (["run", "-n", "0", "./app"], 2, "--ranks"),
        (["run", "-n", "two", "./app"], 2, "--ranks"),
        (["run", "--timeout", "-1", "./app"], 2, "--timeout"),
        (["run", "--timeout", "nan", "./app"], 2, "--timeout"),
        (["run", "--no-such-option", "./app"], 2, "--no-such-option"),
        (["run", "./missing"], 2, "./missing does not exist"),
        (["run", "/bin/ls"], 2, "/bin/ls does not use MPI"),
        (["run", "--algorithm", "gossip=ring", "./app"], 2, "no collective gossip"),
        (["run", "--algorithm", "bcast=ring", "./app"], 2, "bcast has no algorithm ring"),
        (["run", "--launcher", "/no/mpirun", "./app"], 5, "/no/mpirun"),
        (["run", "./app", "fail"], 4, "./app failed: exit code 3"),
        (["run", "--timeout", "0.5", "./app", "hang"], 4, "after 0.5 s"),
        (["compare", "./app", "fail"], 4, "./app on its own MPI failed: exit code 3"),
        (["compare", "--runs", "0", "./app"], 2, "--runs"),
        (
            ["compare", "./app", "9", ":", "-n", "1", "./app"],
            2,
            "./app : ...: this verb of stretto",
        ),
        (["compare", "--rig", "big", "./app"], 2, "rig 'big'"),
        (["compare", "--time-pattern", "(", "./app"], 2, "--time-pattern"),
        (["report", "nothing"], 2, "nothing is not a run folder"),
        (["orchestrate"], 2, "orchestrate"),
    ],
)
def test_what_goes_wrong_is_one_line_and_its_exit_code(
    capfd: Captured, arguments: list[str], code: int, words: str
) -> None:
    assert run_command(arguments) == code
    captured = capfd.readouterr()
    line = next(line for line in captured.err.splitlines() if line.startswith("stretto "))
    assert line.startswith(f"stretto {arguments[0]}: ")
    assert words in line
    assert "Traceback" not in captured.err


def test_a_build_without_the_variant_is_an_unusable_environment(
    capfd: Captured, house: Path
) -> None:
    (house / "native" / "lib" / "libstretto-accelerate-openmpi.so").unlink()
    assert run_command(["run", "./app"]) == 5
    assert "openmpi" in one_line(capfd.readouterr().err)


def test_a_bug_of_ours_is_one_line_and_a_file(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stretto.cli.info.survey", lambda _: 1 / 0)
    assert run_command(["info"]) == 1
    line = one_line(capfd.readouterr().err)
    assert "a bug of ours" in line
    file = Path(line.rpartition(" ")[2])
    assert "ZeroDivisionError" in file.read_text()
    file.unlink()


def test_without_a_temporary_folder_programs_run_and_bugs_are_one_line(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stretto.cli.info.survey", lambda _: 1 / 0)
    with monkeypatch.context() as patch:  # pytest itself makes temporary files
        patch.setattr(tempfile, "tempdir", "/not/there")
        assert run_command(["run", "./app"]) == 0
        assert "no temporary folder can be made" in one_line(capfd.readouterr().err)
        assert run_command(["info"]) == 1
    line = one_line(capfd.readouterr().err)
    assert "a bug of ours: ZeroDivisionError" in line
    assert "TMPDIR" in line


def test_compare_stores_every_launch_and_reports_it(capfd: Captured, house: Path) -> None:
    assert run_command(["compare", "-n", "1", "--runs", "2", "./app"]) == 0
    captured = capfd.readouterr()
    assert "same answers: checksum 1f2e in all 4 launches" in captured.out
    assert "1.67x" in captured.out  # 0.25 s natively, 0.15 s under Stretto
    assert "Warning: 2 runs a side" in captured.err
    folder = RunFolder(house / "stretto-runs" / "app-1")
    rows = polars.read_parquet(folder.path / "samples.parquet")
    assert rows["side"].to_list() == ["native", "stretto", "stretto", "native"]
    assert rows["own_time_s"].to_list() == [0.25, 0.15, 0.15, 0.25]
    assert folder.record().plan.program == ["./app"]
    assert (house / "report.html").exists()


def test_what_prepares_is_run_before_each_launch(house: Path) -> None:
    (house / "app").write_text("#!/bin/sh\nmkdir results && echo time 1 s\n")
    compare = ["compare", "--runs", "1"]
    assert run_command([*compare, "--prepare", "rm -rf results", "./app"]) == 0
    assert run_command([*compare, "./app"]) == 4


def test_launches_that_warm_up_are_not_counted(capfd: Captured, house: Path) -> None:
    (house / "app").write_text("#!/bin/sh\necho >> launched; echo time 1 s\n")
    compare = ["compare", "--runs", "2", "--warmup", "1", "--json", "./app"]
    assert run_command(compare) == 0
    found = json.loads(capfd.readouterr().out)
    assert (len(found["samples"]), found["record"]["plan"]["warmup"]) == (4, 1)
    assert (house / "launched").read_text() == "\n" * 6


def test_a_launch_that_warms_up_and_fails_is_an_error(capfd: Captured, house: Path) -> None:
    (house / "app").write_text("#!/bin/sh\nexit 3\n")
    assert run_command(["compare", "--warmup", "1", "--output", "run", "./app"]) == 4
    assert "run/warmup/000-native" in capfd.readouterr().err


def test_each_launch_has_a_directory_of_its_own(capfd: Captured, house: Path) -> None:
    (house / "data").mkdir()
    (house / "data" / "input").write_text("7")
    (house / "log").touch()
    (house / "link").symlink_to(house / "log")  # absolute, and to what is copied
    (house / "out").symlink_to(Path("..") / house.name / ".." / house.name / "data")
    (house.parent / "far").write_text("8")
    (house / "far").symlink_to("../far")
    (house / "app").write_text(
        "#!/bin/sh\n[ ! -e result ] && [ ! -e stretto-runs ] && [ ! -s link ] || exit 9\n"
        "[ $1 = 0 ] || exit $1\ncat out/input far > result\necho x > link\n"
        "echo checksum $(cat result)\n"
    )
    compare = ["compare", "--runs", "1", "--fresh-dir", "--prepare", "test ! -e result"]
    assert run_command([*compare, "./app", "0"]) == 0
    assert "checksum 78 in all 2 launches" in capfd.readouterr().out
    assert not (house / "result").exists()
    assert (house / "log").read_text() == ""
    assert not list(house.glob("stretto-runs/*/launches/*/directory"))
    assert run_command([*compare, "--output", "mine", "./app", "3"]) == 4
    assert len(list(house.glob("mine/launches/*/directory/app"))) == 1
    assert not list(house.glob("mine/launches/*/directory/mine"))
    os.mkfifo(house / "pipe")
    assert run_command([*compare, "./app", "0"]) == 5
    assert "pipe cannot be copied" in capfd.readouterr().err


def test_what_cannot_prepare_is_said(capfd: Captured) -> None:
    assert run_command(["compare", "--prepare", "echo why; exit 7", "./app"]) == 4
    assert "--prepare echo why; exit 7 failed: exit code 7: why" in capfd.readouterr().err


def test_different_answers_are_exit_code_3(capfd: Captured, house: Path) -> None:
    assert run_command(["compare", "--runs", "1", "./app", "differ"]) == 3
    assert "different answers: 0 on its own MPI, 1 under Stretto" in capfd.readouterr().out
    assert "different answers" in (house / "report.html").read_text()


def test_json_holds_every_sample(capfd: Captured) -> None:
    assert run_command(["compare", "--runs", "1", "--json", "./app"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert [sample["own_time_s"] for sample in result["samples"]] == [0.25, 0.15]
    assert result["answers"] == "same answers"
    assert result["verdict"]["finding"] == "too few pairs"


def test_a_file_that_is_no_report_is_refused_before_any_launch(
    capfd: Captured, house: Path
) -> None:
    (house / "mine.html").write_text("mine")
    assert run_command(["compare", "--report", "mine.html", "./app"]) == 2
    assert "mine.html is no report of stretto" in one_line(capfd.readouterr().err)
    assert not (house / "stretto-runs").exists()


class Links(HTMLParser):
    """Everything a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = [(name, str(value)) for name, value in attrs]
        inner = [name for name, value in named if name == "href" and value.startswith("#")]
        elsewhere = [name for name, _ in named if name not in inner]
        self.found += [tag for name in elsewhere if name in ("src", "href", "srcset", "data")]
        if tag in ("script", "link", "iframe"):
            self.found.append(tag)


def test_several_runs_make_one_offline_report(house: Path) -> None:
    for name in ("first", "<second>"):
        run_command(["compare", "--runs", "1", "--name", name, "--output", name, "./app"])
    assert run_command(["report", "first", "<second>", "-o", "both.html"]) == 0
    page = (house / "both.html").read_text()
    links = Links()
    links.feed(page)
    assert links.found == []
    assert "url(" not in page
    assert len(page) < 2_000_000
    assert "first" in page
    assert "&lt;second&gt;" in page
    assert "<second>" not in page


def test_info_shows_launchers_variants_and_settings(
    capfd: Captured, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRETTO_SELECTION_BCAST", "binomial")
    assert run_command(["info", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["launchers"][0]["path"] == str(house / "bin" / "mpirun")
    built = {variant["abi"]: variant["path"] is not None for variant in found["variants"]}
    assert built == {"openmpi": True, "mpich": False, "mpiabi": False}
    values = {each["knob"]["name"]: (each["value"], each["source"]) for each in found["settings"]}
    assert values["STRETTO_SELECTION_BCAST"] == ("binomial", "environment")
    assert values["STRETTO_PROGRESS_THREAD"] == ("automatic", "default")
    assert run_command(["info"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert f"  openmpi  Open MPI 4.1.4 ({house / 'bin' / 'mpirun'})" in lines


def test_info_says_one_line_for_each_interface_of_an_mpi(capfd: Captured, house: Path) -> None:
    hydra = "#!/bin/sh\necho 'HYDRA build details:\n    Version: 9.9'\n"
    mpiexec = executable(house / "bin" / "mpiexec", hydra)
    executable(house / "lib" / "libmpi_abi.so.1", "")
    assert run_command(["info"]) == 0
    lines = capfd.readouterr().out.splitlines()
    for abi in ("mpich  ", "mpiabi "):
        assert f"  {abi}  not built; MPICH 9.9 ({mpiexec})" in lines
    (house / "lib" / "libmpi_abi.so.1").unlink()
    assert run_command(["info"]) == 0
    assert f"  mpiabi   not built; MPICH 9.9 ({mpiexec})" not in capfd.readouterr().out


@pytest.mark.parametrize("verb", ["run", "compare", "report", "info"])
def test_every_verb_shows_an_example(capfd: Captured, verb: str) -> None:
    assert run_command([verb, "--help"]) == 0
    assert f"Example: stretto {verb}" in capfd.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_command_and_its_program(house: Path, number: signal.Signals) -> None:
    (house / "app").write_text("#!/bin/bash\necho $$ > pid\nexec sleep 600\n")
    command = subprocess.Popen(
        [
            *("env", "--default-signal"),  # nohup, for one, hands down an ignored SIGHUP
            *(sys.executable, "-c", "from stretto.cli.main import main; main()", "run", "./app"),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while not (house / "pid").exists() or not (house / "pid").read_text().strip():
        assert command.poll() is None
        time.sleep(0.02)
    command.send_signal(number)
    try:
        code = command.wait(timeout=60)
    finally:
        command.kill()
    assert code == (-number if number is signal.SIGKILL else 128 + number)
    while Path(f"/proc/{(house / 'pid').read_text().strip()}").exists():
        time.sleep(0.02)


def test_the_command_is_a_process_with_an_exit_code() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", "from stretto.cli.main import main; main()", "run", "-n", "0", "x"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
    )
    assert answer.returncode == 2
    assert one_line(answer.stderr).startswith("stretto run: ")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_that_cannot_be_written_is_an_exit_code(house: Path, stream: str) -> None:
    (house / "app").write_text("#!/bin/sh\necho o\necho e >&2\n")
    with Path("/dev/full").open("wb") as full:
        to = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
        answer = subprocess.run(
            [sys.executable, "-c", "from stretto.cli.main import main; main()", "run", "./app"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
            **to,
        )
    assert answer.returncode == 5
    if stream == "stdout":
        program, line = answer.stderr.decode().splitlines()
        assert program == "e"
        assert line.startswith("stretto run: output of the program could not be written: No space")
    else:
        assert answer.stdout == b"o\n"


@pytest.mark.parametrize(
    ("verb", "mode"),
    [
        ("run", "accelerate"),
        ("profile", "profile"),
        ("whatif", "whatif"),
        ("calibrate", "calibrate"),
    ],
)
def test_a_sanitized_program_may_have_stretto_first(
    capfd: Captured, house: Path, monkeypatch: pytest.MonkeyPatch, verb: str, mode: str
) -> None:
    monkeypatch.setattr("stretto.launch.program.needs_asan", lambda _: True)
    drop_in = house / "native" / "lib" / f"libstretto-{mode}-openmpi.so"
    drop_in.touch()
    assert run_command([verb, "--dry-run", "./app"]) == 0
    assert "verify_asan_link_order=0" in capfd.readouterr().out
