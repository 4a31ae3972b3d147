"""What launchers print of ranks that failed: Open MPI's mpirun, MPICH's library, hydra."""

import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class RankFailure:
    """Which rank failed, and how."""

    rank: int
    how: str
    aborts: bool = False  # by MPI_Abort, which ends the others

    def __str__(self) -> str:
        return f"rank {self.rank} {self.how}"


@dataclass(frozen=True)
class ProcessFailure:
    """A process that hydra names, which kills others itself: not always the one that died first."""

    pid: int
    host: str
    exit_code: int
    signal: int | None  # that it was killed by


def aborted(rank: int, code: int) -> RankFailure:
    """It called MPI_Abort."""
    return RankFailure(rank, f"called MPI_Abort with code {code}", aborts=True)


def rank_failures(printed: str) -> list[RankFailure]:
    """The most telling kind first."""
    return [failure(found) for form, failure in _FORMS for found in form.finditer(printed)]


def process_failures(printed: str) -> Iterator[ProcessFailure]:
    """Of hydra alone."""
    for found in _HYDRA.finditer(printed):
        number = int(found[4]) if found[4] else None
        yield ProcessFailure(int(found[1]), found[2], int(found[3]), number)


def signal_name(number: int) -> str:
    """ "SIGSEGV (segmentation fault)" for 11."""
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{known.name} ({(signal.strsignal(number) or '').lower()})"


# What stands between two words is bounded, as a program that prints the first of them many times
# would keep us for as long as the square of that takes.
_FORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], RankFailure]]] = [
    (
        re.compile(
            r"MPI_ABORT was invoked on rank (\d{1,9}).{0,1000}?errorcode (-?\d{1,10})", re.DOTALL
        ),
        lambda found: aborted(int(found[1]), int(found[2])),
    ),
    (
        re.compile(
            r"^Abort\(-?\d{1,10}\) on node \d{1,9} \(rank (\d{1,9}) in comm [^)\n]{0,80}\): "
            r"Fatal error in (?:internal_|PMPI_|MPI_)?(\w{1,80}): ([^\n]*?)(?:, error stack:)?$",
            re.MULTILINE,
        ),
        lambda found: RankFailure(int(found[1]), f"failed in MPI_{found[2]}: {found[3]}"),
    ),
    (
        re.compile(
            r"^Abort\((-?\d{1,10})\) on node \d{1,9} \(rank (\d{1,9}) in comm", re.MULTILINE
        ),
        lambda found: aborted(int(found[2]), int(found[1])),
    ),
    (
        re.compile(
            r"An error occurred in (\w{1,80})\n.{0,1000}?by process \[\d{1,10},(\d{1,9})\]"
            r".{0,1000}?(MPI_ERR_\w{1,40})",
            re.DOTALL,
        ),
        lambda found: RankFailure(int(found[2]), f"got {found[3]} in {found[1]}"),
    ),
    (
        re.compile(
            r"process rank (\d{1,9}) with PID .{0,1000}?"
            r"exited\s{1,80}on\s{1,80}signal\s{1,80}(\d{1,9})",
            re.DOTALL,
        ),
        lambda found: RankFailure(int(found[1]), f"was killed by {signal_name(int(found[2]))}"),
    ),
    (
        re.compile(
            r"Process name: \[\[\d{1,10},\d{1,10}\],\s{0,80}(\d{1,9})\]\s{1,80}"
            r"Exit code:\s{1,80}(\d{1,9})"
        ),
        lambda found: RankFailure(int(found[1]), f"exited with code {found[2]}"),
    ),
    (
        re.compile(
            r"has exited due to process rank (\d{1,9}) .{0,1000}?exiting\s{1,80}improperly",
            re.DOTALL,
        ),
        lambda found: RankFailure(int(found[1]), "exited without MPI_Finalize"),
    ),
]
_HYDRA = re.compile(
    r"PID (\d{1,9}) RUNNING AT (\S{1,255})\n.{0,1000}?EXIT CODE: (\d{1,9})"
    r"(?:.{0,1000}?EXIT STRING: [^\n]{0,200}?\(signal (\d{1,9})\))?",
    re.DOTALL,
)
