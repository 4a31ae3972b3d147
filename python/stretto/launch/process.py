"""Running a command line to its end and leaving nothing of it behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from stretto.errors import ApplicationFailed, EnvironmentUnusable
from stretto.launch.connection import LIFELINE
from stretto.launch.guardian_report import GuardianReport
from stretto.launch.left_behind import VARIABLE, adopting, end_left_behind
from stretto.launch.lifelines import Lifelines
from stretto.launch.outcome import Outcome
from stretto.launch.passing_on import blocked, passing_on
from stretto.launch.slurm_reports import stopped
from stretto.launch.streams import TERMINAL, Streams

GUARDIAN = Path(__file__).with_name("guardian.py")


def launch(
    command: Sequence[str],
    *,
    timeout_s: float | None = None,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
    directory: Path | None = None,
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
    runs (Ctrl-C) stops it just the same. Its input is `stdin`, or ours, through a pipe where that
    is a terminal. It begins in `directory`, or ours. Signals are passed on to it, and one that ends
    this process does so when it has ended.
    """
    with _as_this_system_lets():
        ours, theirs = socket.socketpair()
    mark = os.urandom(16).hex()
    streams = report = None
    with ours, adopting(), passing_on(ours) as ending:
        with theirs, _as_this_system_lets():
            guardian = _start_guardian(
                theirs, command, timeout_s, stdin, directory, lifelines, reports_deaths, mark
            )
        try:
            with _as_this_system_lets():
                to = (stdout or sys.stdout.buffer, stderr or sys.stderr.buffer)
                streams = Streams(guardian, *to)
            report = _receive(ours)
        finally:
            # Says "stop" if an exception brought us here.
            ours.shutdown(socket.SHUT_WR)
            guardian.wait()
            if report is None:
                end_left_behind(guardian.pid, mark)
            if streams is not None:
                streams.end_input()
        # What it said at last is to be passed on whatever happens then.
        streams.pass_on_the_rest(ending, at_once=report is None or bool(report.left))
        # Of a step that a Ctrl-C makes us end Slurm says that it was cancelled, too.
        if ending and ending[0] != signal.SIGINT:
            _say_if_slurm_ended_it(streams.last_words())
    if report is None:
        raise _without_guardian(guardian)
    if report.not_started:
        raise EnvironmentUnusable(f"cannot start {report.not_started}")
    if report.left:
        _say_what_is_left(report.left)
    unwritten = streams.unwritten(is_open=bool(report.left))
    outcome = Outcome.of(report, streams.last_words(), unwritten)
    if outcome.ok and unwritten:
        raise EnvironmentUnusable(
            f"output of the program could not be written: {unwritten}; "
            "the program itself ended well"
        )
    return outcome


def _start_guardian(
    connection: socket.socket,
    command: Sequence[str],
    timeout_s: float | None,
    stdin: IO[bytes] | None,
    directory: Path | None,
    lifelines: Lifelines | None,
    reports_deaths: bool,
    mark: str,
) -> subprocess.Popen[bytes]:
    """What the words are that it gets is said in guardian.py."""
    listeners: list[int] = []
    environment = {name: value for name, value in os.environ.items() if name != LIFELINE}
    if lifelines is not None and lifelines.environment:
        listeners = [listener.fileno() for listener in lifelines.sockets]
        environment |= lifelines.environment
    with blocked() as unblocked_there:
        words = [
            str(connection.fileno()),
            ",".join(map(str, listeners)) or "none",
            "none" if timeout_s is None else repr(timeout_s),
            "reports" if reports_deaths else "may-hide",
            unblocked_there,
        ]
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN), *words, *command],
            stdin=stdin or (subprocess.PIPE if os.isatty(TERMINAL) else None),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[connection.fileno(), *listeners, *_inherited()],
            env=environment | {VARIABLE: mark},
            cwd=directory,
            start_new_session=True,  # the terminal's Ctrl-C reaches us alone
        )


@contextmanager
def _as_this_system_lets() -> Iterator[None]:
    """That it gives no process, thread or descriptor, or none for words so long, is no bug."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        raise EnvironmentUnusable(f"cannot start what watches the program: {why}{where}") from error


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


def _say_what_is_left(pids: Sequence[int]) -> None:
    which = f"process{'es' if len(pids) > 1 else ''} {', '.join(map(str, pids))}"
    with suppress(OSError):
        print(
            f"stretto: {which} of the program could not be killed (another user's? in the "
            "kernel?) and may run on",
            file=sys.stderr,
        )


def _say_if_slurm_ended_it(last_words: str) -> None:
    """A time limit is a SIGTERM for this process, too, which is about to end of it."""
    if why := stopped(last_words):
        with suppress(OSError):
            print(f"stretto: the program was ended: {why}", file=sys.stderr, flush=True)


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


def _receive(connection: socket.socket) -> GuardianReport | None:
    """The guardian's report; it comes when the command and all it started are gone.

    None comes from a guardian that was killed.
    """
    text = b""
    # It is a reset where the guardian has not read each signal that we passed on.
    with suppress(ConnectionResetError):
        while words := connection.recv(4096):
            text += words
    return GuardianReport.decode(text)
