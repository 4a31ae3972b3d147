"""The account of ranks that died, and of who may wait for them: standard library only."""

import re
import time
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

# How long a rank may have been dead before the job is ended, which was its launcher's task.
NOTICES = "STRETTO_DEATH_SECONDS"
NOTICES_S = 10

# What distinguishes jobs of one launch: its name, as far as its launcher gives one, and its size.
JobKey = tuple[str, int]


class Lost(NamedTuple):
    """A rank that ended between its MPI_Init and its MPI_Finalize."""

    rank: int
    pid: int  # as its host counts
    host: str
    aborts: int | None = None  # it called MPI_Abort, with this code


def notices_s(environment: Mapping[str, str]) -> int | None:
    """How many seconds that are (0: for ever); None: what is set is no such number."""
    text = environment.get(NOTICES) or str(NOTICES_S)
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


class JobRanks:
    """Ranks of one job, or of several where a launcher gives none a name and they are of one size.

    Whose is whose nobody knows then, until all of them have gone.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()  # ranks by number
        self.is_several = False

    @property
    def is_empty(self) -> bool:
        """Whether none is there."""
        return not self._counts

    def come(self, rank: int) -> None:
        """One is there."""
        self._counts[rank] += 1
        self.is_several = self.is_several or self._counts[rank] > 1

    def go(self, rank: int) -> None:
        """One has gone, whatever it did."""
        self._counts[rank] -= 1
        if not self._counts[rank]:
            del self._counts[rank]
        self.is_several = self.is_several and bool(self._counts)


class Deaths:
    """Which rank died first, and since when the living may wait for one that died.

    Only ranks that were there when one died may wait for it: a launch may be a script that
    handles a failed job and goes on to start another.
    """

    def __init__(self, notices_s: int, *, reports: bool = False) -> None:
        """`reports`: the launcher never ends with 0 that has ended ranks for another's death."""
        self._notices_s = notices_s  # 0: nobody is ended for a death
        self.first: Lost | None = None
        self._reports = reports
        self._aborted = False
        self._reported: set[JobKey] = set()  # jobs whose launchers know that they failed
        self._quiet: set[JobKey] = set()  # jobs of which some left by _exit(0)
        self._ended_by_others: set[JobKey] = set()
        # Connections of those who may wait for one, since when, in the order of the deaths.
        self._waiting: dict[int, float] = {}

    def add(self, lost: Lost, survivors: set[int]) -> None:
        """One has ended."""
        self._first_is(lost, replaces=False)
        self._let_wait(survivors)

    def add_abort(self, job: JobKey, lost: Lost, others: set[int]) -> None:
        """One ends the others, who may be seen to end before it: it counts as the first."""
        self._first_is(lost, replaces=not self._aborted)
        self._aborted = True
        self._reported.add(job)
        self._let_wait(others)

    def add_silent(self, job: JobKey, ended_well: bool | None) -> None:
        """One was killed, or left by _exit; a launcher reports an exit code that is not 0.

        Hydra ends the others for one that left by _exit(0), and says nothing of it.
        """
        if ended_well:
            self._quiet.add(job)
        elif ended_well is False and job not in self._quiet | self._ended_by_others:
            self._reported.add(job)
        else:
            self._ended_by_others.add(job)

    @property
    def cut_short(self) -> bool:
        """Some were ended without a word of the launcher's, as far as one can know."""
        return not self._reports and bool(self._ended_by_others - self._reported)

    def gone(self, survivor: int) -> None:
        """A connection has ended, whatever its rank did."""
        self._waiting.pop(survivor, None)

    def may_wait(self, line: int) -> bool:
        """Whether one has died already that this one may wait for."""
        return line in self._waiting

    def end_by(self) -> float | None:
        """When the job is to be ended that waits for a rank that died, if there is one."""
        since = next(iter(self._waiting.values()), None)
        return since + self._notices_s if since is not None and self._notices_s else None

    def _let_wait(self, survivors: set[int]) -> None:
        now = time.monotonic()
        for survivor in survivors:
            self._waiting.setdefault(survivor, now)

    def _first_is(self, lost: Lost, *, replaces: bool) -> None:
        if self.first is None or replaces:
            self.first = lost
