"""Launches that nothing takes from the guardian's hands: no flood, no limit, not its own death."""

import contextlib
import math
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from launched import FOREVER, alive, escapes, guardian_that, pids_in, start_python

from stretto.errors import ApplicationFailed
from stretto.launch import guardian, process
from stretto.launch.failure import require_success
from stretto.launch.lifelines import VARIABLE, Lifelines
from stretto.launch.outcome import Outcome
from stretto.launch.process import launch
from stretto.launch.watch import send

# A rank, as far as its lifeline goes, which connects as often as it is told to.
RANK = f"""
import os, pathlib, socket, sys, time
key, path = os.environ["{VARIABLE}"].split(",")[:2]
def connect(rank=3):
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    line.send(f"rank {{rank}} pid {{os.getpid()}} host here key {{key}}\\n".encode())
    return line
def join(rank=3):
    line = connect(rank)
    line.send(b"of 1 in job runs this\\n")
    line.recv(9)
    return line
def come():
    pathlib.Path(path + ".there").touch()
"""
THERE = f'path=${{{VARIABLE}#*,}}; while [ ! -e "${{path%%,*}}.there" ]; do sleep 0.02; done'


def launch_rank(code: str, script: str, timeout_s: float | None = None) -> Outcome:
    """A shell script in which `rank` runs that code."""
    with Lifelines() as lifelines:
        script = f"rank() {{ {sys.executable} -c '{RANK}{code}' $*; }}; {script}"
        return launch(["sh", "-c", script], lifelines=lifelines, timeout_s=timeout_s)


@pytest.mark.parametrize("timeout_s", [math.inf, 1e9])
def test_a_time_may_be_longer_than_the_system_waits(timeout_s: float) -> None:
    assert launch(["true"], timeout_s=timeout_s).ok


def test_what_a_killed_guardian_leaves_behind_is_ended_and_nothing_else(tmp_path: Path) -> None:
    pids, over = tmp_path / "pids", tmp_path / "over"
    outcomes: list[Outcome] = []
    waits = f"while [ ! -e {over} ]; do sleep 0.05; done; exit 7"
    other = threading.Thread(target=lambda: outcomes.append(launch(["sh", "-c", waits])))
    other.start()
    script = f"while [ $(cat {pids} | wc -w) -lt 3 ]; do sleep 0.05; done; kill -KILL $PPID"
    with subprocess.Popen(["sleep", FOREVER]) as own:
        with pytest.raises(ApplicationFailed, match=r"guardian\) was killed by signal 9"):
            launch(["sh", "-c", f"{escapes(pids)} {script}; sleep {FOREVER}"])
        assert own.poll() is None
        own.kill()
    over.touch()
    other.join()
    assert not any(alive(pid) for pid in pids_in(pids, 3))
    assert [outcome.exit_code for outcome in outcomes] == [7]


GUARDIAN_THAT_FAILS = """
import os, sys, time
from stretto.launch import guardian
def fails(*_, **__):
    while not os.path.exists(sys.argv[-1]) or os.path.getsize(sys.argv[-1]) < 2:
        time.sleep(0.01)
    raise RuntimeError("as ours may have faults")
guardian.Watch = fails
guardian.main()
"""


def test_a_guardian_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"setsid sh -c 'echo $$ >> {pids}; exec sleep {FOREVER}' & wait"
    options = ["2", "none", "none", "may-hide", "none", "sh", "-c", script, str(pids)]
    guardian = start_python(GUARDIAN_THAT_FAILS, *options, stderr=subprocess.PIPE)
    _, said = guardian.communicate(timeout=60)
    assert "as ours may have faults" in said
    assert not any(alive(pid) for pid in pids_in(pids, 1))


def test_a_process_that_cannot_be_killed_holds_up_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As another user's, which has the output of the program open."""
    in_vain = "from stretto.launch import descendants\ndescendants.GIVE_UP_S = 0.2\n"
    in_vain += "os.kill = lambda *_: None"
    monkeypatch.setattr(process, "GUARDIAN", guardian_that(tmp_path, in_vain))
    pids = tmp_path / "pids"
    code = f"""
import subprocess
child = subprocess.Popen(["sleep", "{FOREVER}"], start_new_session=True)
print(child.pid, file=open({str(pids)!r}, "w"))
"""
    outcomes: list[Outcome] = []
    command = [sys.executable, "-c", code]
    running = threading.Thread(target=lambda: outcomes.append(launch(command)), daemon=True)
    running.start()
    running.join(timeout=40)
    (pid,) = pids_in(pids, 1)
    os.kill(pid, signal.SIGKILL)
    running.join()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"stretto: process {pid} of the program could not be killed")
    assert outcomes[0].ok


def test_a_launcher_of_another_user_is_no_reason_to_fail() -> None:
    class OfAnother:
        def send_signal(self, _number: int) -> None:
            raise PermissionError

    send(OfAnother(), 15)  # type: ignore[arg-type]


CHILDREN_IGNORED = """
import signal
from stretto.launch.process import launch
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
launch(["grep", "SigIgn", "/proc/self/status"])
print(launch(["sh", "-c", "exit 7"]).exit_code)
"""


def test_an_exit_code_is_known_though_ends_of_children_are_ignored() -> None:
    owner = start_python(CHILDREN_IGNORED, stdout=subprocess.PIPE)
    said, _ = owner.communicate(timeout=60)
    _, ignored, code = said.split()
    assert code == "7"
    # What the launcher finds is as it is without us: 17 is SIGCHLD.
    assert int(ignored, 16) & 1 << 16


CHILDREN_BLOCKED = """
import signal
from stretto.launch.process import launch
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
launch(["grep", "SigBlk", "/proc/self/status"], timeout_s=60)
"""


def test_the_end_of_a_launcher_is_noticed_though_ends_of_children_are_blocked() -> None:
    owner = start_python(CHILDREN_BLOCKED, stdout=subprocess.PIPE)
    said, _ = owner.communicate(timeout=40)
    assert int(said.split()[1], 16) & 1 << 16


@pytest.mark.parametrize("how", ["lacks", "refuses"])
def test_a_guardian_needs_no_pidfd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Pythons built for old systems lack the call; old systems, and containers, refuse it."""
    change = "del os.pidfd_open" if how == "lacks" else "os.pidfd_open = refuses"
    changed = f"def refuses(_pid): raise PermissionError\n{change}"
    monkeypatch.setattr(process, "GUARDIAN", guardian_that(tmp_path, changed))
    assert launch(["sh", "-c", "sleep 0.1 & exit 7"], timeout_s=60).exit_code == 7
    outcome = launch_rank("line = join(); os.kill(os.getpid(), 9)", "rank", timeout_s=60)
    assert not outcome.timed_out
    assert outcome.lost is not None
    assert outcome.lost.rank == 3


def test_ranks_that_run_on_without_their_launcher_are_a_failure() -> None:
    outcome = launch_rank(
        f"line = join(); come(); time.sleep({FOREVER})", f"rank & {THERE}; exit 0"
    )
    assert (outcome.exit_code, outcome.running) == (0, (3,))
    with pytest.raises(ApplicationFailed, match="its launcher ended while rank 3 still ran"):
        require_success("./program", outcome, None)


def test_a_rank_that_lives_on_after_finalize_is_no_failure() -> None:
    code = f'line = join(); line.send(b"done\\n"); come(); time.sleep({FOREVER})'
    assert launch_rank(code, f"rank & {THERE}; exit 0").ok


def test_what_a_rank_had_said_when_its_launcher_ended_is_heard_however_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes several looks, and the first of them comes late already."""
    late = "from stretto.launch import watch\nwatch.LAST_WORDS_S = -1.0"
    monkeypatch.setattr(process, "GUARDIAN", guardian_that(tmp_path, late))
    code = f"""
line = join()
os.kill(int(sys.argv[1]), 19)
line.send(8 * (b"x" * 4000 + b"\\n") + b"done\\n")
come()
time.sleep({FOREVER})"""
    script = f"{{ sleep 0.5; kill -CONT $PPID; }} & rank $PPID & {THERE}; exit 0"
    assert launch_rank(code, script).ok


def test_a_limit_that_cannot_be_raised_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another process lowers it at that moment."""
    refuses = "import resource\ndef refuses(*_): raise ValueError\nresource.setrlimit = refuses"
    monkeypatch.setattr(process, "GUARDIAN", guardian_that(tmp_path, refuses))
    assert launch(["true"]).ok


def test_a_report_is_written_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    ours, theirs = socket.socketpair()
    with ours, theirs:
        monkeypatch.setattr(os, "write", lambda fd, words: write(fd, words[:3]))
        guardian.write_whole(theirs.fileno(), b"a long report")
        assert ours.recv(99) == b"a long report"


def test_ranks_that_never_fall_silent_do_not_hold_up_the_clock() -> None:
    code = """
line = connect()
until = time.monotonic() + 20
while time.monotonic() < until:
    try:
        line.send(b"words\\n" * 8)
    except OSError:  # it has said more than a rank may
        line = connect()"""
    assert launch_rank(code, "rank", timeout_s=1).timed_out


FEW_DESCRIPTORS = f"""
import sys
from stretto.launch.lifelines import Lifelines
from stretto.launch.process import launch
with Lifelines() as lines:
    rank = [sys.executable, "-c", {RANK!r} + sys.argv[1]]
    outcome = launch(rank, lifelines=lines, timeout_s=float(sys.argv[2]))
print(outcome.timed_out, outcome.running)
"""


def launch_with_few_descriptors(code: str, timeout_s: str) -> tuple[str, str]:
    """What a launch says of a rank that does this, and the guardian, which has 40 of them."""
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)){FEW_DESCRIPTORS}"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    owner = start_python(limited, code, timeout_s, **pipes)
    try:
        said, errors = owner.communicate(timeout=40)
    finally:
        with contextlib.suppress(ProcessLookupError):
            owner.kill()
    return said, errors


@pytest.mark.parametrize(
    ("timeout_s", "lasts", "told"), [("2", FOREVER, "True ()"), ("60", "0", "False ()")]
)
def test_more_connections_than_descriptors_hold_up_no_end(
    timeout_s: str, lasts: str, told: str
) -> None:
    """Half of them come from a child: together they have more than the guardian."""
    code = f"""
child = os.fork()
lines = [connect() for _ in range(25)]
time.sleep(0.5 + {lasts})
[line.send(b"done\\n") for line in lines]
if child: os.waitpid(child, 0)"""
    said, _ = launch_with_few_descriptors(code, timeout_s)
    assert said.strip() == told


def test_more_ranks_than_descriptors_run_without_stretto() -> None:
    code = """
child = os.fork()
lines = [connect(rank + (25 if child else 0)) for rank in range(25)]
[line.send(b"of 50 in job runs this\\n") for line in lines]
os.write(1, b"".join(line.recv(9) for line in lines))
if child: os.waitpid(child, 0)
for line in lines:
    try:
        line.send(b"done\\n")
    except OSError:  # it was closed
        pass"""
    said, errors = launch_with_few_descriptors(code, "60")
    assert said.splitlines() == ["not"] * 50 + ["False ()"]
    (line,) = errors.splitlines()
    assert line.startswith("stretto: `stretto run` may have no more than 40 descriptors")
    assert line.endswith(" of 50: the program runs as it is, without Stretto")


def test_a_roll_call_ends_where_there_are_no_more_descriptors() -> None:
    """What the guardian says of it then needs one, and the guardian must not end for it."""
    code = """
asking = [connect(0), connect(1)]
child = os.fork()
lines = [connect() for _ in range(25)]
time.sleep(0.5)
if child:
    asking[0].send(b"of 2 in job runs this\\n")
    asking[1].send(b"of 2 in job runs that\\n")
    os.write(1, asking[0].recv(9) + asking[1].recv(9))
    os.waitpid(child, 0)
    lines += asking
[line.send(b"done\\n") for line in lines]"""
    said, errors = launch_with_few_descriptors(code, "60")
    assert said.splitlines() == ["not", "not", "False ()"], errors
    assert "stretto: rank 0 runs Stretto this, rank 1 Stretto that" in errors


def test_it_imports_little_that_takes_long() -> None:
    alone = [sys.executable, "-I", "-S", "-X", "importtime", guardian.__file__]
    said = subprocess.run(alone, capture_output=True, text=True, check=False).stderr
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert "stretto.launch.watch" in imported
    assert not imported & {"dataclasses", "inspect", "pathlib", "tempfile", "site"}
