r"""Run one command so that nothing of it outlives its end, its time or its owner.

    python -I -S guardian.py LIFELINE_FD LISTENER_FD[,...]|none TIMEOUT_S|none reports|may-hide \
        BLOCKED[,...]|none COMMAND...

MPI daemons call setsid, so killing a process group is not enough; a process that
adopts orphans (a subreaper) keeps every descendant below itself, whatever they do,
and needs no privilege. The owner holds the other end of LIFELINE_FD: its closing,
even by SIGKILL of the owner, means "stop". The report goes back through it as JSON; where
none comes, the owner ends what this process has left behind.
At the LISTENER_FDs the ranks of an MPI program connect, to learn whether all of them run
Stretto, and to be missed when they die. The key that they show is in its environment, as
it is in theirs: command lines are for all users of a machine to read.
A launcher that reports deaths never ends with 0 that has ended ranks because one of them died.
The signals BLOCKED are, until this process can pass them on.
A program of its own, standard library only, as what it imports of ours, because it must start
in milliseconds.
"""

import contextlib
import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import time

# Python finds no package of ours by itself with the options above.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))

from stretto.launch.connection import LIFELINE
from stretto.launch.descendants import descendants, kill_descendants, reap_all
from stretto.launch.guardian_report import GuardianReport
from stretto.launch.notices import keep_descriptor
from stretto.launch.signals import Signals
from stretto.launch.watch import Over, Watch, send

PR_SET_CHILD_SUBREAPER = 36
# What a launcher gets to stop its ranks on other hosts, which no kill from here reaches.
GRACE_S = 2.0
# How long a process that was killed may take to end; one of another user's cannot be.
KILLED_S = 10.0


def guard(
    lifeline: int,
    listeners: list[socket.socket],
    key: str,
    timeout_s: float | None,
    reports_deaths: bool,
    blocked: list[int],
    command: list[str],
) -> GuardianReport:
    """Run `command` to its end, its time, the owner's or a rank's, and report which."""
    started = time.monotonic()
    keep_descriptor()  # once all are taken by ranks there is none
    # The launcher gets what the owner was given (`prog <(input)`), but not what is the owner's.
    for fd in (lifeline, *(listener.fileno() for listener in listeners)):
        os.set_inheritable(fd, False)
    signals = Signals(blocked)  # before there is a child to miss
    try:
        child = subprocess.Popen(
            command,
            close_fds=False,
            preexec_fn=signals.before_exec,  # noqa: PLW1509 - this process has one thread
        )
    except OSError as error:
        return GuardianReport(not_started=f"{command[0]}: {error.strerror}")
    try:
        # A descriptor a rank; the program has started with what it was given.
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(OSError, ValueError):  # another has lowered the limit since
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        watch = Watch(child, lifeline, signals, listeners, key, reports_deaths=reports_deaths)
        why = watch.until_over(None if timeout_s is None else started + timeout_s)
        if why is not Over.ENDED and not (why is Over.ASKED_TO_END and watch.has_terminated):
            end_gently(child)
        wall_s = time.monotonic() - started
    finally:
        kill_descendants()
    report = GuardianReport(
        exit_code=exit_code(child),
        wall_s=wall_s,
        timed_out=why is Over.TIMED_OUT,
        lost=watch.ranks.deaths.first,
        cut_short=watch.ranks.deaths.cut_short,
        unnoticed=why is Over.MISSED_A_RANK,
        running=tuple(watch.running),
        left=tuple(descendants(os.getpid())),
    )
    reap_all()
    return report


def end_gently(child: subprocess.Popen[bytes]) -> None:
    """Let the launcher end its ranks; some do so on SIGTERM only."""
    send(child, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_S)


def exit_code(child: subprocess.Popen[bytes]) -> int:
    """Of the launcher, which has ended or was killed."""
    try:
        return child.wait(KILLED_S)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL


def write_whole(fd: int, words: bytes) -> None:
    """Write all of them: a signal may end a write before that."""
    while words:
        words = words[os.write(fd, words) :]


def numbers(words: str) -> list[int]:
    """Those of an argument."""
    return [] if words == "none" else [int(word) for word in words.split(",")]


def main() -> None:
    """Guard the command on the command line."""
    lifeline = int(sys.argv[1])
    listeners = [socket.socket(fileno=fd) for fd in numbers(sys.argv[2])]
    key = os.environ.get(LIFELINE, "").partition(",")[0]
    timeout_s = None if sys.argv[3] == "none" else float(sys.argv[3])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = guard(
        lifeline,
        listeners,
        key,
        timeout_s,
        sys.argv[4] == "reports",
        numbers(sys.argv[5]),
        sys.argv[6:],
    )
    # The owner may be gone; its command is too then, and that was the task.
    with contextlib.suppress(OSError):
        write_whole(lifeline, report.encode())


if __name__ == "__main__":
    main()
