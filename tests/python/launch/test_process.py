import io
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from launched import FOREVER, OWNER, alive, escapes, pids_in, wait_for

from stretto.errors import EnvironmentUnusable
from stretto.launch.deaths import Lost
from stretto.launch.lifelines import VARIABLE, Lifelines
from stretto.launch.outcome import Outcome
from stretto.launch.process import launch

OWNER_WITH_LIFELINES = OWNER.replace(
    "launch([", "with Lifelines() as lines: launch(lifelines=lines, command=["
)

# A rank, as far as its lifeline goes: says who it is, then does what it is told to.
RANK = """
import os, socket, sys, time
line = socket.socket(socket.AF_UNIX)
key, path = os.environ["VARIABLE"].split(",")[:2]
line.connect(path)
line.send(f"rank {sys.argv[1]} pid {os.getpid()} host here key {key}\\n".encode())
if sys.argv[2] != "asks":  # the guardian knows it by the time it is answered
    line.send(b"of 1 in " + (*sys.argv[4:], "job")[0].encode() + b" runs this\\n")
    line.recv(9)
words = {"finalizes": b"done\\n", "leaves": b"left\\n", "aborts": b"aborts 9\\nleft\\n"}
line.send(words.get(sys.argv[2], b""))
if sys.argv[2] == "asks":
    line.send(f"of 2 in job runs {sys.argv[3]}\\n".encode())
    os.write(1, b"answer " + line.recv(9))
    line.send(b"done\\n")
with open(f"{path}.{os.getpid()}", "w") as there:
    there.write(str(os.getpid()))
os.rename(there.name, f"{path}.{sys.argv[2]}")
if sys.argv[2] == "lasts":
    time.sleep(float(sys.argv[3]))
    line.send(b"done\\n")
if sys.argv[2] == "waits" or (sys.argv[2] == "lingers" and os.fork() == 0):
    time.sleep(600)
os._exit(0)
""".replace("VARIABLE", VARIABLE)
# Waits until a rank that does this has come, and says which process that is.
THERE = """there() {
  place=${VARIABLE#*,}; while [ ! -e "${place%%,*}.$1" ]; do sleep 0.02; done; cat "${place%%,*}.$1"
}""".replace("VARIABLE", VARIABLE)


def launch_ranks(script: str, stranger: str = "") -> Outcome:
    """A shell script in which `rank NUMBER WHAT` is one, and `stranger` one that connects so."""
    rank = f"{sys.executable} -c '{RANK}'"
    other = f"{sys.executable} -c '{RANK.replace('line.connect(path)', stranger)}'"
    with Lifelines() as lifelines:
        return launch(
            [
                "sh",
                "-c",
                f'rank() {{ {rank} "$@"; }}; stranger() {{ {other} "$@"; }}; {THERE}; {script}',
            ],
            lifelines=lifelines,
        )


def test_ranks_learn_that_all_of_them_run_the_same() -> None:
    same = launch_ranks("rank 0 asks this & rank 1 asks this; wait")
    assert same.last_words.split() == ["answer", "all"] * 2
    again = launch_ranks("for i in 1 2; do rank 0 asks this & rank 1 asks this; wait; done")
    assert again.last_words.split() == ["answer", "all"] * 4


def test_ranks_learn_that_others_run_something_else() -> None:
    other = launch_ranks("rank 0 asks this & rank 1 asks that; wait")
    assert other.last_words.count("answer not") == 2
    assert "stretto: rank 0 runs Stretto this, rank 1 Stretto that" in other.last_words


def test_who_does_not_know_the_key_is_no_rank() -> None:
    stranger = "line.connect(path); key = str()"
    outcome = launch_ranks("rank 0 finalizes; stranger 7 dies; rank 1 finalizes", stranger)
    assert outcome.ok
    assert outcome.lost is None


def test_process_names_may_be_any_bytes() -> None:
    name = 'import ctypes; ctypes.CDLL(None).prctl(15, b"\\xd0\\xffstray)")'
    program = f"{name}; import time; print(flush=True); time.sleep({FOREVER})"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as stray:
        assert stray.stdout is not None
        stray.stdout.readline()
        outcome = launch(["true"])
        stray.kill()
    assert outcome.ok


def test_output_and_exit_code_pass_through() -> None:
    out, err = io.BytesIO(), io.BytesIO()
    outcome = launch(["sh", "-c", "echo o; echo e >&2; exit 7"], stdout=out, stderr=err)
    assert (outcome.exit_code, outcome.timed_out, outcome.ok) == (7, False, False)
    assert (out.getvalue(), err.getvalue()) == (b"o\n", b"e\n")
    assert outcome.last_words == "o\ne\n"


def test_a_signal_is_told_from_an_exit_code() -> None:
    assert launch(["sh", "-c", "kill -KILL $$"]).exit_code == -signal.SIGKILL


def test_long_output_arrives_whole() -> None:
    out = io.BytesIO()
    launch(["head", "-c", "1000000", "/dev/zero"], stdout=out)
    assert len(out.getvalue()) == 1_000_000


def test_what_cannot_start_says_so() -> None:
    with pytest.raises(EnvironmentUnusable, match="/not/there: No such file"):
        launch(["/not/there"])


def test_a_command_line_that_is_too_long_is_told_in_one_line() -> None:
    with pytest.raises(EnvironmentUnusable, match="Argument list too long"):
        launch(["true", "x" * 1_000_000])


def test_a_process_that_may_have_no_threads_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_thread: threading.Thread) -> None:
        pids_in(pids, 1)
        raise RuntimeError("can't start new thread")

    pids = tmp_path / "pids"
    monkeypatch.setattr(threading.Thread, "start", fails)
    with pytest.raises(EnvironmentUnusable, match="can't start new thread"):
        launch(["sh", "-c", f"echo $$ > {pids}; exec sleep {FOREVER}"])
    assert not alive(*pids_in(pids, 1))


def test_children_that_escape_are_gone_when_the_command_ends(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = escapes(pids) + f"while [ $(cat {pids} | wc -w) -lt 3 ]; do sleep 0.05; done"
    assert launch(["sh", "-c", script], stderr=io.BytesIO()).ok
    assert not any(alive(pid) for pid in pids_in(pids, 3))


def test_children_that_escape_are_gone_after_the_timeout(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    # The time starts before the shell does, so a slow machine may kill it childless.
    outcome = launch(["sh", "-c", escapes(pids) + f"sleep {FOREVER}"], timeout_s=1)
    assert outcome.timed_out
    assert not outcome.ok
    written = pids.read_text().split() if pids.exists() else []
    assert not any(alive(int(pid)) for pid in written)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_children_are_gone_when_the_owner_is_killed(tmp_path: Path, number: int) -> None:
    pids = tmp_path / "pids"
    script = escapes(pids) + f"sleep {FOREVER}"
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            OWNER,
            script,
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,
    )
    children = pids_in(pids, 3)
    owner.send_signal(number)
    owner.wait()
    wait_for(lambda: not any(alive(pid) for pid in children))


def test_a_reader_that_leaves_ends_the_command() -> None:
    class Gone(io.BytesIO):
        def write(self, _data: object) -> int:
            raise BrokenPipeError

    assert launch(["yes"], stdout=Gone()).exit_code == -signal.SIGPIPE


def test_ranks_that_finalize_are_not_missed() -> None:
    outcome = launch_ranks("rank 0 finalizes; rank 1 finalizes")
    assert outcome.ok
    assert outcome.lost is None


def test_the_first_rank_that_dies_is_known_whatever_the_exit_code() -> None:
    """Hydra's is 0 where it ends others for a rank that has left by _exit(0)."""
    outcome = launch_ranks(
        "rank 0 finalizes; rank 1 waits & there waits >&2; rank 7 dies;"
        "kill -KILL $(there waits); wait"
    )
    assert not outcome.ok
    assert outcome.exit_code == 0
    assert outcome.lost is not None
    assert (outcome.lost.rank, outcome.lost.host) == (7, "here")


def test_a_rank_that_leaves_for_another_that_is_dying_is_not_the_first() -> None:
    outcome = launch_ranks("rank 0 waits & rank 1 lingers; rank 2 leaves; exit 15")
    assert outcome.lost is not None
    assert outcome.lost.rank == 1


def test_ranks_that_all_leave_of_their_own_will_are_no_failure() -> None:
    outcome = launch_ranks("rank 0 leaves; rank 1 leaves")
    assert outcome.ok
    assert isinstance(outcome.lost, Lost)


def test_a_rank_that_aborts_is_told_from_those_that_died_of_it() -> None:
    outcome = launch_ranks("rank 1 dies; rank 2 aborts; rank 3 aborts; exit 9")
    assert outcome.lost is not None
    assert (outcome.lost.rank, outcome.lost.aborts) == (2, 9)


def test_a_launch_ends_when_a_rank_is_gone_that_others_wait_for() -> None:
    outcome = launch_ranks("rank 0 waits & there waits >&2; rank 1 dies; wait")
    assert outcome.unnoticed
    assert not outcome.timed_out
    assert outcome.lost is not None
    assert outcome.lost.rank == 1


def test_descriptors_given_to_us_reach_the_command_and_ours_do_not() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"what the file behind <(...) says\n")
    os.close(writing)
    # Beside the one given, the launcher's own shell has its standard streams only.
    script = f"cat /dev/fd/{reading}; ls -l /proc/$$/fd"
    answer = subprocess.run(
        [sys.executable, "-c", OWNER_WITH_LIFELINES, script],
        pass_fds=[reading],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(reading)
    said, _, *descriptors = answer.stdout.splitlines()
    assert said == "what the file behind <(...) says"
    assert sorted(int(line.split()[-3]) for line in descriptors) == [0, 1, 2, reading]


def test_a_death_that_a_script_handles_ends_nothing_that_comes_later() -> None:
    """The second job outlives by far the time that a launcher gets to notice a death."""
    outcome = launch_ranks(
        "rank 0 lasts 1 & there lasts >&2; rank 1 dies; wait; rank 0 lasts 11 && echo whole"
    )
    assert not outcome.unnoticed
    assert "whole\n" in outcome.last_words
    assert outcome.lost is not None
    assert outcome.lost.rank == 1


def test_a_death_in_one_job_ends_no_other_job() -> None:
    outcome = launch_ranks(
        "rank 0 lasts 12 other & whole=$!;there lasts >&2;"
        "rank 1 dies 0 job; wait $whole && echo whole"
    )
    assert not outcome.unnoticed
    assert "whole" in outcome.last_words


def test_a_launch_ends_for_those_that_wait_though_others_have_come_and_gone() -> None:
    outcome = launch_ranks(
        "rank 0 waits & there waits >&2; rank 1 dies; rank 0 finalizes; rank 1 finalizes; wait"
    )
    assert outcome.unnoticed


def test_orphans_that_end_are_gone_while_the_command_runs() -> None:
    """As in a launcher that waits by `kill -0` for what it has left to itself."""
    script = "p=$(sh -c 'sleep 0.2 >&2 & echo $!'); while kill -0 $p 2>/dev/null; do :; done"
    assert launch(["sh", "-c", f"{script}; exit 7"], timeout_s=60).exit_code == 7


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGUSR1, 0), (signal.SIGUSR2, 0), (signal.SIGTERM, 143), (signal.SIGINT, 130)],
)
def test_signals_go_to_the_command_which_gets_its_time(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """It takes longer than the two seconds that are left where nobody asks it to end."""
    name = number.name.removeprefix("SIG")
    script = f"""trap 'sleep 3; echo got {name}; exit 0' {name}
touch {tmp_path}/there; while :; do sleep 0.05; done"""
    main = (
        "import sys; from stretto.cli import main as m; from stretto.launch.process import launch\n"
    )
    main += f"m.run_command = lambda *_: launch(['sh', '-c', {script!r}]).exit_code\nm.main()"
    owner = subprocess.Popen(
        ["env", "--default-signal", sys.executable, "-c", main],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for((tmp_path / "there").exists)
    owner.send_signal(number)
    said, _ = owner.communicate(timeout=60)
    assert (said, owner.returncode) == (f"got {name}\n", code)


def test_a_second_signal_ends_the_command_at_once(tmp_path: Path) -> None:
    script = (
        f"trap 'touch {tmp_path}/got' TERM; touch {tmp_path}/there; while :; do sleep 0.05; done"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    for sign in ("there", "got"):
        wait_for((tmp_path / sign).exists)
        owner.terminate()
    assert owner.wait(timeout=60) == -signal.SIGTERM


def test_ranks_that_all_leave_by_exit_0_or_abort_with_0_are_no_failure() -> None:
    assert launch_ranks("rank 0 dies; rank 1 dies").ok
    script = (
        "rank 0 waits & there waits >&2; rank 1 aborts; kill -KILL $(there waits); wait; exit 0"
    )
    assert launch_ranks(script).ok


def test_a_launch_that_handles_a_crash_ends_well() -> None:
    assert launch_ranks("rank 0 waits & kill -KILL $(there waits); wait; rank 0 finalizes").ok
