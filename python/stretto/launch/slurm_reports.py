"""What Slurm prints of a step that fails: its srun, and through that the daemons of its hosts."""

import itertools
import re
import signal
from collections.abc import Iterator

from stretto.launch.launcher_reports import RankFailure, signal_name

# Of so many tasks one reads: a program may print anything.
_MOST = 10_000
# With these Slurm ends tasks for what another one did, or was done to it.
_ENDS_BY = {signal.SIGKILL, signal.SIGTERM}
_NUMBERS = {signal.strsignal(number): number for number in signal.Signals}

_STOPPED = re.compile(
    r"(?:slurmstepd(?:-\S{1,255})?: |^\[\S{1,40}\] )error: "
    r"\*\*\* (JOB|STEP) (\S{1,40}) ON \S{1,255} "
    r"CANCELLED AT \S{1,40}(?: DUE TO ([A-Za-z ]{1,60}?)(?:, [A-Za-z ]{1,60})?)? \*\*\*",
    re.MULTILINE,
)
_TASKS = re.compile(
    r"^srun: error: \S{1,255}: tasks? ([\d,-]{1,1000}): "
    r"(?:Exited with exit code (\d{1,3})|([A-Z][A-Za-z ]{1,40}?))(?: \(core dumped\))?$",
    re.MULTILINE,
)
_REFUSED = re.compile(r"^srun: (?:error|fatal): ((?:Unable|Invalid) [^\n]{1,200})$", re.MULTILINE)
# srun ends the other tasks for one that failed, and says so.
_ENDS_ALL = re.compile(r"^srun: Terminating (?:StepId|job step)", re.MULTILINE)
# Said by an Open MPI and by an MPICH whose ranks find that srun speaks another way.
_UNCONNECTED = re.compile(
    r'appears to have been direct launched using "srun"|uses unsupported PMI version'
)


def task_failures(printed: str) -> list[RankFailure]:
    """What srun says of tasks that failed; those last that Slurm may have killed for another."""
    found = sorted(
        itertools.islice(_failures(printed), _MOST), key=lambda each: each[0] in _ENDS_BY
    )
    return [failure for _, failure in found]


def stopped(printed: str) -> str | None:
    """That Slurm has ended a step or a job, and why; None where that was for a task's failure."""
    if (found := _STOPPED.search(printed)) is None:
        return None
    said = printed[: found.start()]
    before = itertools.islice(_failures(said), _MOST)
    if _ENDS_ALL.search(said) or any(by not in _ENDS_BY for by, _ in before):
        return None
    what = f"its {found[1].lower()} {found[2]}"
    match (found[3] or "").strip().lower():
        case "":
            return f"{what} was cancelled"
        case "time limit":
            return f"{what} reached its time limit"
        case why:
            return f"{what} was cancelled: {why}"


def refusal(printed: str) -> str | None:
    """Why srun has started nothing, in its own words."""
    found = _REFUSED.search(printed)
    return found[1] if found else None


def is_unconnected(printed: str) -> bool:
    """Whether ranks could not find each other, as srun speaks not as their MPI does."""
    return _UNCONNECTED.search(printed) is not None


def _failures(printed: str) -> Iterator[tuple[int | None, RankFailure]]:
    """Each task's, with the signal that it was killed by."""
    for found in _TASKS.finditer(printed):
        by = _NUMBERS.get(found[3])
        if found[2]:
            how = f"exited with code {found[2]}"
        elif by is not None:
            how = f"was killed by {signal_name(by)}"
        elif found[3] == "Out Of Memory":
            how = "was killed, as it took more memory than it may"
        else:
            continue
        for rank in _numbers(found[1]):
            yield by, RankFailure(rank, how)


def _numbers(ranges: str) -> Iterator[int]:
    """Of "0-1,5": 0, 1, 5."""
    for each in filter(None, ranges.split(",")):
        first, _, last = each.partition("-")
        if first.isdigit() and (last or first).isdigit():
            yield from range(int(first[:9]), int((last or first)[:9]) + 1)
