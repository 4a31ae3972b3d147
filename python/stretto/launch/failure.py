"""What went wrong with a launched program, in one line."""

import re
import signal
from collections.abc import Callable

from stretto.errors import ApplicationFailed
from stretto.launch.process import Outcome

# How launchers say which rank failed and why: Open MPI's mpirun, MPICH's library, hydra.
# The first that matches is the most telling.
_REPORTS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (
        re.compile(r"MPI_ABORT was invoked on rank (\d+).*?errorcode (-?\d+)", re.DOTALL),
        lambda found: f"rank {found[1]} called MPI_Abort with code {found[2]}",
    ),
    (
        re.compile(r"^Abort\((-?\d+)\) on node \d+ \(rank (\d+) in comm", re.MULTILINE),
        lambda found: f"rank {found[2]} called MPI_Abort with code {found[1]}",
    ),
    (
        re.compile(
            r"An error occurred in (\w+)\n.*?by process \[\d+,(\d+)\].*?(MPI_ERR_\w+)", re.DOTALL
        ),
        lambda found: f"rank {found[2]} got {found[3]} in {found[1]}",
    ),
    (
        re.compile(r"process rank (\d+) with PID .*?exited\s+on\s+signal\s+(\d+)", re.DOTALL),
        lambda found: f"rank {found[1]} was killed by {signal_name(int(found[2]))}",
    ),
    (
        re.compile(r"Process name: \[\[\d+,\d+\],\s*(\d+)\]\s+Exit code:\s+(\d+)"),
        lambda found: f"rank {found[1]} exited with code {found[2]}",
    ),
    (
        re.compile(r"has exited due to process rank (\d+) .*?exiting\s+improperly", re.DOTALL),
        lambda found: f"rank {found[1]} exited without MPI_Finalize",
    ),
    (
        re.compile(r"EXIT STRING: .*?\(signal (\d+)\)"),
        lambda found: f"a rank was killed by {signal_name(int(found[1]))}",
    ),
]


def require_success(program: str, outcome: Outcome, timeout_s: float | None) -> None:
    """Raise unless the launched program ended by itself and well."""
    if outcome.timed_out:
        raise ApplicationFailed(
            f"{program} was still running after {timeout_s:g} s (--timeout) and was killed"
        )
    if not outcome.ok:
        raise ApplicationFailed(f"{program} failed: {cause(outcome)}")


def cause(outcome: Outcome) -> str:
    """Which rank ended how, as far as the launcher told."""
    for pattern, words in _REPORTS:
        if found := pattern.search(outcome.last_words):
            return words(found)
    code = outcome.exit_code
    if code < 0:
        return f"its launcher was killed by {signal_name(-code)}"
    if code > 128 and code - 128 in set(signal.Signals):
        return f"killed by {signal_name(code - 128)}"
    return f"exit code {code}"


def signal_name(number: int) -> str:
    """ "SIGSEGV (segmentation fault)" for 11."""
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{known.name} ({(signal.strsignal(number) or '').lower()})"
