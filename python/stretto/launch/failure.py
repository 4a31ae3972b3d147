"""What went wrong with a launched program, in one line."""

import re
import signal
from collections.abc import Callable

from stretto.errors import ApplicationFailed
from stretto.launch.process import Outcome

# How launchers say which rank failed and why: Open MPI's mpirun, MPICH's library, hydra.
# The first that matches is the most telling. What stands between two words is bounded, as a program
# that prints the first of them many times would keep us for as long as the square of that takes.
_REPORTS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (
        re.compile(
            r"MPI_ABORT was invoked on rank (\d{1,9}).{0,1000}?errorcode (-?\d{1,10})", re.DOTALL
        ),
        lambda found: f"rank {found[1]} {_ABORTS} with code {found[2]}",
    ),
    (
        re.compile(
            r"^Abort\(-?\d{1,10}\) on node \d{1,9} \(rank (\d{1,9}) in comm [^)\n]{0,80}\): "
            r"Fatal error in (?:internal_|PMPI_|MPI_)?(\w{1,80}): ([^\n]*?)(?:, error stack:)?$",
            re.MULTILINE,
        ),
        lambda found: f"rank {found[1]} failed in MPI_{found[2]}: {found[3]}",
    ),
    (
        re.compile(
            r"^Abort\((-?\d{1,10})\) on node \d{1,9} \(rank (\d{1,9}) in comm", re.MULTILINE
        ),
        lambda found: f"rank {found[2]} {_ABORTS} with code {found[1]}",
    ),
    (
        re.compile(
            r"An error occurred in (\w{1,80})\n.{0,1000}?by process \[\d{1,10},(\d{1,9})\]"
            r".{0,1000}?(MPI_ERR_\w{1,40})",
            re.DOTALL,
        ),
        lambda found: f"rank {found[2]} got {found[3]} in {found[1]}",
    ),
    (
        re.compile(
            r"process rank (\d{1,9}) with PID .{0,1000}?"
            r"exited\s{1,80}on\s{1,80}signal\s{1,80}(\d{1,9})",
            re.DOTALL,
        ),
        lambda found: f"rank {found[1]} was killed by {signal_name(int(found[2]))}",
    ),
    (
        re.compile(
            r"Process name: \[\[\d{1,10},\d{1,10}\],\s{0,80}(\d{1,9})\]\s{1,80}"
            r"Exit code:\s{1,80}(\d{1,9})"
        ),
        lambda found: f"rank {found[1]} exited with code {found[2]}",
    ),
    (
        re.compile(
            r"has exited due to process rank (\d{1,9}) .{0,1000}?exiting\s{1,80}improperly",
            re.DOTALL,
        ),
        lambda found: f"rank {found[1]} exited without MPI_Finalize",
    ),
]
_ABORTS = "called MPI_Abort"
# Hydra names a process, and not always the one that died first: it kills the others itself.
_HYDRA = re.compile(
    r"PID (\d{1,9}) RUNNING AT (\S{1,255})\n.{0,1000}?EXIT CODE: (\d{1,9})"
    r"(?:.{0,1000}?EXIT STRING: [^\n]{0,200}?\(signal (\d{1,9})\))?",
    re.DOTALL,
)


def require_success(program: str, outcome: Outcome, timeout_s: float | None) -> None:
    """Raise unless the launched program ended by itself and well."""
    if outcome.timed_out:
        raise ApplicationFailed(
            f"{program} was still running after {timeout_s:g} s (--timeout) and was killed"
            f"{_suspects(outcome.last_words)}{_unwritten(outcome)}"
        )
    if not outcome.ok:
        raise ApplicationFailed(f"{program} failed: {cause(outcome)}{_unwritten(outcome)}")


def _unwritten(outcome: Outcome) -> str:
    """That its output, where one would look for more, is not whole."""
    why = outcome.unwritten
    return f"; a part of its output could not be written: {why}" if why else ""


def cause(outcome: Outcome) -> str:
    """Which rank ended how, as far as the launcher told."""
    if outcome.unnoticed and outcome.lost is not None:
        return f"{_lost(outcome)}; its launcher did not notice"
    if outcome.running and outcome.exit_code == 0 and outcome.lost is None:
        return f"its launcher ended while {_ranks(outcome.running)} still ran; they were ended"
    reports = [
        words(found)
        for pattern, words in _REPORTS
        for found in pattern.finditer(outcome.last_words)
    ]
    if outcome.lost is None:
        if reports:
            return reports[0]
    else:
        own = [report for report in reports if report.startswith(f"rank {outcome.lost.rank} ")]
        if own:
            return own[0]
        if outcome.lost.aborts is not None:
            return f"rank {outcome.lost.rank} {_ABORTS} with code {outcome.lost.aborts}"
        # A rank that calls MPI_Abort may see others ended before itself.
        if reports and _ABORTS in reports[0]:
            return f"{reports[0]}; {_lost(outcome)}"
        # What others said else may be how they took its end.
        return "; then ".join([_lost(outcome), *reports[:1]])
    code = outcome.exit_code
    if (found := _HYDRA.search(outcome.last_words)) and found[4]:
        by_it = ", by its launcher if another ended" if int(found[4]) == signal.SIGKILL else ""
        return f"a rank was killed by {signal_name(int(found[4]))}{by_it}"
    if code < 0:
        return f"its launcher was killed by {signal_name(-code)}"
    if code > 128 and code - 128 in set(signal.Signals):
        return f"killed by {signal_name(code - 128)}"
    return f"exit code {code}"


def _ranks(numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:8]))}{more}"


# What a rank under Stretto says that has waited for long (src/engine/stall.cpp).
_STALL = re.compile(
    r"^stretto: rank (\d{1,9}) has waited \d{1,9} s for ranks? ([\d, ]+)", re.MULTILINE
)


def _suspects(last_words: str) -> str:
    """Whom others said they waited for, while they said nothing."""
    stalls = [(int(rank), peers) for rank, peers in _STALL.findall(last_words)]
    awaited = {int(peer) for _, peers in stalls for peer in re.findall(r"\d{1,9}", peers)}
    if not (silent := awaited - {rank for rank, _ in stalls}):
        return ""
    names = f"{'ranks' if len(silent) > 1 else 'rank'} {', '.join(map(str, sorted(silent)))}"
    return f"; {names} kept others waiting"


def _lost(outcome: Outcome) -> str:
    """Which rank ended before its MPI_Finalize, and how where that is certain."""
    lost = outcome.lost
    assert lost is not None
    who = f"rank {lost.rank} (process {lost.pid} on {lost.host})"
    for found in _HYDRA.finditer(outcome.last_words):
        if (int(found[1]), found[2]) == (lost.pid, lost.host):
            how = f"killed by {signal_name(int(found[4]))}" if found[4] else None
            return f"{who} was {how}" if how else f"{who} exited with code {found[3]}"
    # The exit code of a launch that we ended is of our making, and that of a process that
    # its launcher ended is of the launcher's.
    of_another = _HYDRA.search(outcome.last_words) is not None
    told = 0 < outcome.exit_code < 128 and not outcome.unnoticed and not of_another
    code = f" (exit code {outcome.exit_code})" if told else ""
    return f"{who} ended without MPI_Finalize{code}"


def signal_name(number: int) -> str:
    """ "SIGSEGV (segmentation fault)" for 11."""
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{known.name} ({(signal.strsignal(number) or '').lower()})"
