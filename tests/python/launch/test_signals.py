"""Which signals reach a launcher, how often, and that none is kept from ending us."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from launched import FOREVER, OWNER, guardian_that, pids_in, start_python, wait_for

from stretto.launch import process
from stretto.launch.signals import HELD_S, LATE_S, Relay, Stopping

HUP, INT, TERM, USR1 = signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1


def test_what_comes_to_the_owner_alone_is_passed_on() -> None:
    relay = Relay()
    assert relay.came_to_owner(TERM, 1.0)
    assert relay.until == 1.0 + HELD_S
    assert relay.due(1.0) == []
    assert relay.due(1.0 + HELD_S) == [TERM]
    assert relay.until is None


@pytest.mark.parametrize("guardian_s", [-LATE_S / 2, -HELD_S / 2, HELD_S / 2])
def test_what_every_process_gets_is_not_passed_on(guardian_s: float) -> None:
    relay = Relay()
    events = [(10.0, relay.came_to_owner), (10.0 + guardian_s, relay.came_here)]
    for when, came in sorted(events, key=lambda event: event[0]):
        came(TERM, when)
    assert relay.came_to_owner(USR1, 10.0)
    assert relay.due(20.0) == [USR1]


def test_what_a_tool_sends_twice_at_once_is_one() -> None:
    relay = Relay()
    assert relay.came_to_owner(TERM, 1.0)
    assert not relay.came_to_owner(TERM, 1.0 + HELD_S / 2)
    assert relay.due(2.0) == [TERM]
    assert relay.came_to_owner(TERM, 2.0)


def test_those_of_a_key_that_is_held_down_are_more_than_one() -> None:
    relay = Relay()
    came = [relay.came_to_owner(INT, number * HELD_S / 3) for number in range(8)]
    assert [number for number, counts in enumerate(came) if counts] == [0, 3, 6]


def has_time_after(*signals: tuple[signal.Signals, float]) -> bool:
    """Whether a launch whose owner has got these, each at its time, is not to end at once."""
    stopping = Stopping()
    for number, when in signals:
        stopping.signalled(number, when, by_owner=True)
    assert stopping.until is not None
    return stopping.until > signals[-1][1]


LATER = LATE_S + 0.1


@pytest.mark.parametrize(
    ("first", "second", "apart", "has_time"),
    [
        (INT, INT, 0.2, False),
        (TERM, TERM, 0.2, False),
        (HUP, HUP, 0.2, True),
        (HUP, HUP, LATER, True),
        (HUP, TERM, 0.2, True),
        (TERM, HUP, LATER, True),
        (TERM, INT, 0.2, True),
        (INT, TERM, LATE_S / 2, True),
        (TERM, INT, LATER, False),
        (INT, TERM, LATER, False),
        (TERM, USR1, LATER, True),
    ],
)
def test_a_second_signal_is_one_that_somebody_means(
    first: signal.Signals, second: signal.Signals, apart: float, has_time: bool
) -> None:
    assert has_time_after((first, 100.0), (second, 100.0 + apart)) is has_time


def test_a_second_one_of_its_kind_counts_whatever_came_before() -> None:
    assert not has_time_after((HUP, 100.0), (TERM, 100.2), (TERM, 100.6))


def test_what_came_to_the_guardian_leaves_the_first_of_the_owners_its_time() -> None:
    stopping = Stopping()
    stopping.signalled(TERM, 100.0, by_owner=False)
    stopping.signalled(TERM, 100.2, by_owner=True)
    assert stopping.until == 130.0


def test_a_launcher_gets_once_what_a_batch_system_sends_to_all(tmp_path: Path) -> None:
    got, pids = tmp_path / "got", tmp_path / "pids"
    script = f"""trap 'echo >> {got}' TERM; echo $PPID $$ > {pids}
while [ ! -e {got} ]; do sleep 0.05; done; sleep 0.7; sleep 0.1"""
    owner = start_python(OWNER, script)
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    guardian, launcher = map(int, pids.read_text().split())
    os.kill(launcher, TERM)
    wait_for(got.exists)
    os.kill(guardian, TERM)
    time.sleep(0.02)
    owner.terminate()
    assert owner.wait(timeout=60) == -TERM
    assert got.read_text() == "\n"


def test_a_signal_that_a_killed_guardian_has_not_read_is_no_fault_of_ours(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    owner = start_python(OWNER, f"echo $PPID > {pids}; sleep {FOREVER}", stderr=subprocess.PIPE)
    (guardian,) = pids_in(pids, 1)
    os.kill(guardian, signal.SIGSTOP)
    owner.send_signal(USR1)
    time.sleep(0.3)
    os.kill(guardian, signal.SIGKILL)
    _, said = owner.communicate(timeout=60)
    assert "guardian) was killed by signal 9" in said


def test_a_signal_that_comes_while_the_guardian_starts_goes_to_the_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late enough for this one, which by then says what it does of it."""
    early = "os.kill(os.getpid(), signal.SIGUSR1)\n"
    early += "from stretto.launch import signals\nsignals.HELD_S = 3.0"
    monkeypatch.setattr(process, "GUARDIAN", guardian_that(tmp_path, early))
    script = "trap 'exit 7' USR1; while :; do sleep 0.05; done"
    assert process.launch(["sh", "-c", script], timeout_s=60).exit_code == 7


MASKED = """
import signal
from stretto.launch.process import launch
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
launch(["grep", "SigBlk", "/proc/self/status"])
print(*signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_a_launcher_and_its_owner_have_the_mask_of_before() -> None:
    owner = start_python(MASKED, stdout=subprocess.PIPE)
    said, _ = owner.communicate(timeout=60)
    _, blocked, ours = said.split()
    assert int(blocked, 16) == 1 << signal.SIGUSR2 - 1
    assert int(ours) == signal.SIGUSR2


def test_a_launcher_that_a_ctrl_c_does_not_end_is_terminated(tmp_path: Path) -> None:
    """As srun, which only warns at the first; what it is killed by leaves ranks elsewhere."""
    script = f"""trap 'touch {tmp_path}/INT' INT; trap 'echo cancelled; exit 1' TERM
touch {tmp_path}/there; while :; do sleep 0.05; done"""
    owner = start_python(OWNER, script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for sign in ("there", "INT"):
        wait_for((tmp_path / sign).exists)
        owner.send_signal(signal.SIGINT)  # the second one, so that it takes no five seconds
    said, _ = owner.communicate(timeout=60)
    assert said == "cancelled\n"


# More than the pipes on the way hold, or a little less, so that the program itself can end.
UNREAD = ["head -c 1000000 /dev/zero & sleep 0.2; {}; wait", "head -c 100000 /dev/zero; {}"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("script", UNREAD, ids=["runs", "ended"])
def test_a_reader_that_does_not_read_keeps_no_signal_from_ending_us(
    tmp_path: Path, number: signal.Signals, script: str
) -> None:
    there = tmp_path / "there"
    script = script.format(f"touch {there}")
    owner = start_python(OWNER, script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for(there.exists)
    time.sleep(0.2)
    owner.send_signal(number)
    try:
        assert owner.wait(timeout=40) == -number
    finally:
        owner.kill()
        owner.communicate()


ROLL_CALL = """
import os, socket
from stretto.launch.roll_call import RollCall
roll = RollCall("-", 2)
roll.hear(socket.socketpair()[0], 0, "this")
roll.end()
"""


def test_a_line_of_the_guardians_waits_for_no_reader() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writing, True)
    guardian = start_python(ROLL_CALL, stderr=writing)
    try:
        assert guardian.wait(timeout=40) == 0
    finally:
        guardian.kill()
        os.close(reading)
        os.close(writing)
