"""Running a command line to its end and leaving nothing of it behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from stretto.errors import ApplicationFailed, EnvironmentUnusable
from stretto.launch.left_behind import VARIABLE, adopting, end_left_behind
from stretto.launch.lifelines import Lifelines
from stretto.launch.lines import LIFELINE
from stretto.launch.signals import ENDING_S, PASSED_ON
from stretto.launch.streams import TERMINAL, Tee, TypedInput

GUARDIAN = Path(__file__).with_name("guardian.py")
# How long output may still wait for a reader once a signal has come that ends this process.
UNREAD_S = 1.0


@dataclass(frozen=True)
class Lost:
    """A rank that ended between its MPI_Init and its MPI_Finalize."""

    rank: int
    pid: int  # as its host counts
    host: str
    aborts: int | None = None  # it called MPI_Abort, with this code


@dataclass(frozen=True)
class Outcome:
    """How a launched command ended."""

    exit_code: int  # -N: killed by signal N
    wall_s: float
    timed_out: bool
    last_words: str  # the end of its output, where launchers say which rank failed
    lost: Lost | None = None  # the first one, as far as ranks were told where to be missed
    cut_short: bool = False  # ranks were ended, which the launcher may not tell
    unnoticed: bool = False  # by the launcher: the launch was ended for it
    running: tuple[int, ...] = ()  # ranks that still were when their launcher had ended
    unwritten: str = ""  # why a part of its output could not be passed on

    @property
    def ok(self) -> bool:
        """It ended by itself, and well."""
        ended_by_us = self.timed_out or self.unnoticed or bool(self.running)
        return self.exit_code == 0 and not ended_by_us and not self.cut_short


def launch(
    command: Sequence[str],
    *,
    timeout_s: float | None = None,
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
    lifelines: Lifelines | None = None,
    reports_deaths: bool = False,
) -> Outcome:
    """Run `command` until it ends or `timeout_s` passes; no descendant survives.

    It is ended, too, if one of the ranks dies whose environment has that of `lifelines`, which the
    command has, and the launcher lets the others wait for it. A launch of ours may be part of
    another one, whose lifelines its ranks do not get. `reports_deaths`: that the launcher ends with
    0 says that it has ended no rank for the death of another, or a script has handled that.
    Output goes to the given files, or on to ours as it comes; where it cannot be written the
    command runs on, and a good end is an error all the same. An exception raised here while it
    runs (Ctrl-C) stops it just the same. Its input is ours, through a pipe where that is a
    terminal. Signals are passed on to it, and one that ends this process does so when it has
    ended.
    """
    with _as_this_system_lets():
        ours, theirs = socket.socketpair()
    fds = [theirs.fileno()]
    environment = {name: value for name, value in os.environ.items() if name != LIFELINE}
    if lifelines is not None and lifelines.environment:
        fds += [listener.fileno() for listener in lifelines.sockets]
        environment |= lifelines.environment
    listeners = ",".join(map(str, fds[1:])) or "none"
    limit = "none" if timeout_s is None else repr(timeout_s)
    options = [str(fds[0]), listeners, limit, "reports" if reports_deaths else "may-hide"]
    mark = os.urandom(16).hex()
    report = None
    with ours, adopting(), _passing_on(ours) as ending:
        with theirs, _blocked() as blocked, _as_this_system_lets():
            guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", str(GUARDIAN), *options, blocked, *command],
                stdin=subprocess.PIPE if os.isatty(TERMINAL) else None,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[*fds, *_inherited()],
                env=environment | {VARIABLE: mark},
                start_new_session=True,  # the terminal's Ctrl-C reaches us alone
            )
        typed = None
        try:
            with _as_this_system_lets():
                typed = TypedInput(guardian.stdin) if guardian.stdin else None
                out = Tee(guardian.stdout, stdout or sys.stdout.buffer)
                err = Tee(guardian.stderr, stderr or sys.stderr.buffer)
            report = _receive(ours)
        finally:
            # Says "stop" if an exception brought us here.
            ours.shutdown(socket.SHUT_WR)
            guardian.wait()
            if report is None:
                end_left_behind(guardian.pid, mark)
            if typed is not None:
                typed.end()
        left = report.get("left", []) if report is not None else []
        # What it said at last is to be passed on whatever happens then.
        _pass_on_the_rest((out, err), ending, at_once=report is None or bool(left))
        last_words = out.tail() + err.tail()
    if report is None:
        raise _without_guardian(guardian)
    if "error" in report:
        raise EnvironmentUnusable(f"cannot start {report['error']}")
    if left:
        _say_what_is_left(left)
    lost = report["lost"]
    outcome = Outcome(
        exit_code=report["exit_code"],
        wall_s=report["wall_s"],
        timed_out=report["timed_out"],
        last_words=last_words,
        lost=_lost(lost) if lost else None,
        cut_short=report["cut_short"],
        unnoticed=report["unnoticed"],
        running=tuple(report["running"]),
        unwritten=out.unwritten(is_open=bool(left)) or err.unwritten(is_open=bool(left)),
    )
    if outcome.ok and outcome.unwritten:
        raise EnvironmentUnusable(
            f"output of the program could not be written: {outcome.unwritten}; "
            "the program itself ended well"
        )
    return outcome


@contextmanager
def _as_this_system_lets() -> Iterator[None]:
    """That it gives no process, thread or descriptor, or none for words so long, is no bug."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        raise EnvironmentUnusable(f"cannot start what watches the program: {why}{where}") from error


@contextmanager
def _blocked() -> Iterator[str]:
    """What the guardian passes on does not end it before it can; it unblocks what we block.

    These are in the string, so that the launcher gets a mask as ours is.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    try:
        yield ",".join(str(int(number)) for number in PASSED_ON if number not in before) or "none"
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _inherited() -> list[int]:
    """The descriptors that whoever started us meant for the command, as `prog <(input)` does.

    Those that Python opens are not inheritable.
    """
    found = []
    for descriptor in (int(entry.name) for entry in Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # that of the listing itself is gone
            if descriptor > 2 and os.get_inheritable(descriptor):
                found.append(descriptor)
    return found


@contextmanager
def _passing_on(guardian: socket.socket) -> Iterator[list[int]]:
    """Signals that this process gets go to the launcher; it ends of them afterwards, if at all.

    Those that it will end of are in the list.
    """
    ending: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return

    def pass_on(number: int, _frame: object) -> None:
        if number in ENDING_S:
            ending.append(number)
        with suppress(OSError):
            guardian.send(bytes([number]))

    before = {number: signal.getsignal(number) for number in PASSED_ON}
    taken = {n: h for n, h in before.items() if h is not None and h is not signal.SIG_IGN}
    for number in taken:
        signal.signal(number, pass_on)
    try:
        yield ending
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
        if ending:
            signal.raise_signal(ending[0])


def _pass_on_the_rest(outputs: Sequence[Tee], ending: list[int], *, at_once: bool) -> None:
    """Wait until all output is written: not for ever for a reader that has stopped reading.

    A pager, say, that is at its first page when a Ctrl-C comes, before or now. Nor for processes
    that a guardian which was killed has left behind, where we did not find them, or that cannot
    be killed.
    """
    until = time.monotonic() + UNREAD_S if at_once else None
    for output in outputs:
        while not output.is_done(0.1):
            if ending:
                until = until or time.monotonic() + UNREAD_S
            if until is not None and time.monotonic() >= until:
                return


def _say_what_is_left(pids: Sequence[int]) -> None:
    which = f"process{'es' if len(pids) > 1 else ''} {', '.join(map(str, pids))}"
    with suppress(OSError):
        print(
            f"stretto: {which} of the program could not be killed (another user's? in the "
            "kernel?) and may run on",
            file=sys.stderr,
        )


def _without_guardian(guardian: subprocess.Popen[bytes]) -> Exception:
    """Of one that has ended without a report."""
    if guardian.returncode > 0:
        return RuntimeError("the guardian of the launched command failed; its trace is above")
    # Where whoever started us ignores SIGCHLD, nobody knows which signal it was.
    number = -guardian.returncode
    by = f"signal {number} ({signal.strsignal(number)})" if number else "a signal"
    return ApplicationFailed(
        f"the program was ended, as the process that watches it ({guardian.pid}, stretto's "
        f"guardian) was killed by {by}: by hand, or by the system where memory ran out"
    )


def _lost(words: dict[str, str]) -> Lost:
    aborts = int(words["aborts"]) if "aborts" in words else None
    return Lost(int(words["rank"]), int(words["pid"]), words["host"], aborts)


def _receive(connection: socket.socket) -> dict[str, Any] | None:
    """The guardian's report; it comes when the command and all it started are gone.

    None comes from a guardian that was killed.
    """
    report = b""
    # It is a reset where the guardian has not read each signal that we passed on.
    with suppress(ConnectionResetError):
        while words := connection.recv(4096):
            report += words
    try:
        return dict(json.loads(report))
    except ValueError:  # it was killed before the end of it
        return None
