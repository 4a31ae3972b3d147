"""The account of ranks that died, and of who may wait for them: standard library only."""

import time

# What tells jobs of one launch apart: its name, as far as its launcher gives one, and its size.
Job = tuple[str, int]


class Deaths:
    """Which rank died first, and since when the living may wait for one that died.

    Only ranks that were there when one died may wait for it: a launch may be a script that
    handles a failed job and goes on to start another.
    """

    def __init__(self) -> None:
        self.first: dict[str, str] | None = None  # rank, pid, host; code of its MPI_Abort
        self._aborted = False
        self._told: set[Job | None] = set()  # jobs whose launchers know that they failed
        self._quiet: set[Job | None] = set()  # jobs of which some left by _exit(0)
        self._ended_by_others: set[Job | None] = set()
        # Connections of those who may wait for one, since when, in the order of the deaths.
        self._waiting: dict[int, float] = {}

    def add(self, said: list[str], survivors: set[int]) -> None:
        """One has ended that said this before."""
        self._first_is(said, replaces=False)
        self._let_wait(survivors)

    def add_abort(self, job: Job | None, said: list[str], others: set[int]) -> None:
        """One ends the others, who may be seen to end before it: it counts as the first."""
        self._first_is(said, replaces=not self._aborted)
        self._aborted = True
        self._told.add(job)
        self._let_wait(others)

    def add_silent(self, job: Job | None, ended_well: bool | None) -> None:
        """One was killed, or left by _exit; a launcher tells an exit code that is not 0.

        Hydra ends the others for one that left by _exit(0), and says nothing of it.
        """
        if ended_well:
            self._quiet.add(job)
        elif ended_well is False and job not in self._quiet | self._ended_by_others:
            self._told.add(job)
        else:
            self._ended_by_others.add(job)

    @property
    def cut_short(self) -> bool:
        """Some were ended without a word of the launcher's, as far as one can know."""
        return bool(self._ended_by_others - self._told)

    def gone(self, survivor: int) -> None:
        """A connection has ended, whatever its rank did."""
        self._waiting.pop(survivor, None)

    def may_wait(self, line: int) -> bool:
        """Whether one has died already that this one may wait for."""
        return line in self._waiting

    def missed_since(self) -> float | None:
        """When a rank died that others, still alive, may be waiting for."""
        return next(iter(self._waiting.values()), None)

    def _let_wait(self, survivors: set[int]) -> None:
        now = time.monotonic()
        for survivor in survivors:
            self._waiting.setdefault(survivor, now)

    def _first_is(self, said: list[str], *, replaces: bool) -> None:
        if self.first is None or replaces:
            aborts = [line for line in said if line.startswith("aborts ")]
            words = " ".join([said[0], *aborts]).split()
            self.first = dict(zip(words[::2], words[1::2], strict=False))
