"""Whatever is killed, and whenever, nothing of a rig stays behind. Needs root."""

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rig_here import NEEDS_A_RIG

from stretto.launch.rig import census
from stretto.launch.rig.plan import RIG_ROOT

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools/rig"
PATIENCE_S = 60  # for a heavily loaded machine: normally it is over in a fraction of a second
NAMESPACES = ("net", "mnt", "pid", "uts", "ipc")

# An owner with a command running on each host; the commands spin and ignore polite requests.
OWNER = """
import os, subprocess, sys
from stretto.launch.rig import Rig, parse_rig
with Rig(parse_rig("2x1@1gbit")) as rig:
    deaf = "trap '' TERM HUP INT; touch $TMPDIR/x /dev/shm/x; while :; do sleep 1; done"
    spin = ["sh", "-c", deaf]
    runs = [subprocess.Popen(rig.enter(host, spin)) for host in rig.spec.host_names]
    print("running", runs[0].pid, flush=True)
    for run in runs:
        run.wait()
    print("ended", flush=True)
    sys.stdin.read()
"""

# A child of the owner inherits its end of the pipe.
LEAK = """
    os.set_inheritable(rig._holder.stdin.fileno(), True)
    subprocess.Popen(["sleep", "1000"], close_fds=False)
"""


pytestmark = NEEDS_A_RIG  # nobody else's may be there


class Trace:
    """Finds what a test started: all of it inherits a variable nothing else has."""

    def __init__(self, folder: Path) -> None:
        self._mark = f"RIG_TEST={uuid.uuid4()}"
        self.temp = folder / "temp"
        self.temp.mkdir()
        name, value = self._mark.split("=")
        self.environment = {**os.environ, name: value, "TMPDIR": str(self.temp)}
        self.environment["PYTHONPATH"] = str(ROOT / "python")

    def processes(self) -> list[int]:
        return [pid for pid in all_processes() if self._mark in environment(pid)]

    def namespaces(self) -> set[str]:
        """Those the test's processes are in and we are not."""
        return {name for pid in self.processes() for name in namespaces(pid)} - namespaces("self")


def all_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def environment(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def namespaces_in_use() -> set[str]:
    return {name for pid in all_processes() for name in namespaces(pid)}


def namespaces(pid: int | str) -> set[str]:
    found = set()
    for kind in NAMESPACES:
        with suppress(OSError):
            found.add(str(Path(f"/proc/{pid}/ns/{kind}").readlink()))
    return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"not after {PATIENCE_S} s: {what}"
        time.sleep(0.02)


def rig_devices_here() -> list[str]:
    links = subprocess.run(["ip", "-oneline", "link"], check=True, capture_output=True, text=True)
    return re.findall(r"^\d+: (br0|port\d+)", links.stdout, re.MULTILINE)


def assert_nothing_left(trace: Trace, used: set[str]) -> None:
    wait_until(lambda: not trace.processes(), "every process gone")
    # A process that is ending shows no environment any more but is still in its namespaces.
    wait_until(lambda: not (namespaces_in_use() & used), "every namespace left")
    mounts = Path("/proc/self/mountinfo").read_text()
    assert str(RIG_ROOT) not in mounts
    assert not [name for name in used if name in mounts]
    assert not list(RIG_ROOT.iterdir())
    assert not list(trace.temp.iterdir())
    assert not rig_devices_here()


@pytest.fixture
def trace(tmp_path: Path) -> Iterator[Trace]:
    made = Trace(tmp_path)
    yield made
    for pid in made.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def start_owner(trace: Trace) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OWNER],
        env=trace.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def running_owner(trace: Trace) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """An owner and the process id of what it runs on host0."""
    with start_owner(trace) as owner:
        try:
            assert owner.stdout is not None
            _, pid = owner.stdout.readline().split()
            wait_until(lambda: len(trace.namespaces()) >= 3 * len(NAMESPACES), "both hosts busy")
            yield owner, int(pid)
        finally:
            owner.kill()


def holder_of(owner: int) -> census.LiveRig:
    [rig] = [rig for rig in census.live_rigs() if rig.owner == owner]
    return rig


@pytest.mark.parametrize("victim", ["owner", "holder", "first process"])
def test_kill_9_leaves_nothing(trace: Trace, victim: str) -> None:
    with running_owner(trace) as (owner, _):
        used = trace.namespaces()
        assert len(trace.processes()) > 6
        assert not rig_devices_here()
        rig = holder_of(owner.pid)
        [first] = census.children(rig.holder_pid)
        victims = {"owner": owner.pid, "holder": rig.holder_pid, "first process": first}
        os.kill(victims[victim], signal.SIGKILL)
        wait_until(lambda: not trace.namespaces(), "the rig gone")
    assert_nothing_left(trace, used)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_killing_a_command_ends_what_it_runs_and_keeps_the_rig(
    trace: Trace, signum: signal.Signals
) -> None:
    with running_owner(trace) as (owner, command):
        before = trace.namespaces()
        os.kill(command, signum)
        wait_until(lambda: len(trace.namespaces()) < len(before), "the command gone")
        assert census.find(f"of-{owner.pid}") is not None
        assert trace.namespaces()
    assert_nothing_left(trace, before)


@pytest.mark.parametrize("after_s", [0.05, 0.1, 0.2, 0.3, 0.5])
def test_an_owner_killed_during_the_set_up_leaves_nothing(trace: Trace, after_s: float) -> None:
    with start_owner(trace) as owner:
        time.sleep(after_s)
        owner.kill()
    assert_nothing_left(trace, set())


def test_an_exception_in_the_block_ends_the_rig(trace: Trace) -> None:
    with running_owner(trace) as (owner, _):
        used = trace.namespaces()
        owner.send_signal(signal.SIGINT)
        wait_until(lambda: owner.poll() is not None, "the owner gone")
    assert_nothing_left(trace, used)


def tool(trace: Trace, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TOOL, *words],
        env=trace.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_a_named_rig_stays_until_it_is_taken_down(trace: Trace) -> None:
    name = trace.temp.parent.name
    made = tool(trace, "up", name, "--hosts", "2", "--rate", "1gbit")
    assert made.returncode == 0, made.stderr
    used = trace.namespaces()
    assert tool(trace, "exec", name, "host1", "hostname").stdout == "host1\n"
    assert tool(trace, "exec", name, "host1", "false").returncode == 1
    assert tool(trace, "up", name, "--hosts", "2", "--rate", "1gbit").returncode == 2
    assert tool(trace, "clean").returncode == 0
    assert f"{name}  2x1@1gbit" in tool(trace, "list").stdout
    assert tool(trace, "down", name).returncode == 0
    assert_nothing_left(trace, used)
    gone = tool(trace, "down", name)
    assert gone.returncode == 2
    assert gone.stderr.count("\n") == 1


# Runs where no other owner and no other `clean` of this machine is: a process namespace of its own.
CLEAN = f"""
import subprocess, sys
from stretto.launch.rig import census
def start(owner):
    made = subprocess.Popen(
        [sys.executable, "-c", owner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    made.stdout.readline()
    return made
alive = start({OWNER!r})
orphaner = start({OWNER.replace("    print(", LEAK + "    print(", 1)!r})
orphaner.kill()
orphaner.wait()
print(f"ended of-{{orphaner.pid}}", f"of-{{alive.pid}}", sep="\\n", flush=True)
sys.stdin.readline()
subprocess.run([{str(TOOL)!r}, "clean"], check=True)
print(*[rig.name for rig in census.live_rigs()], sep="\\n")
"""


def test_clean_ends_rigs_of_dead_owners_only(trace: Trace) -> None:
    alone = ["unshare", "--pid", "--mount-proc", "--fork", "--kill-child"]
    with subprocess.Popen(
        [*alone, sys.executable, "-c", CLEAN],
        env=trace.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as inside:
        assert inside.stdout is not None
        will_end = inside.stdout.readline()
        alive = inside.stdout.readline()
        used = trace.namespaces()
        # Here nobody knows who lives there.
        assert f"{alive.strip()}  2x1@1gbit" in tool(trace, "list").stdout
        cleaned = tool(trace, "clean")
        assert cleaned.returncode == 0, cleaned.stderr
        assert not {will_end.strip(), f"ended {alive.strip()}"} & set(cleaned.stdout.splitlines())
        said, _ = inside.communicate("clean\n")
        assert said.splitlines() == [will_end.strip(), alive.strip()]
    assert_nothing_left(trace, used)


def test_without_root_one_line_says_so(trace: Trace) -> None:
    refused = subprocess.run(
        ["setpriv", "--bounding-set", "-all", TOOL, "up", "x", "--hosts", "1", "--rate", "1gbit"],
        env=trace.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 5
    assert "needs root" in refused.stderr
    assert refused.stderr.count("\n") == 1
