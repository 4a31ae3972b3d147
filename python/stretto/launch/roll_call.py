"""Whether all ranks of one job run Stretto, for the guardian: standard library only."""

import contextlib
import socket
import sys
import time

# How long those ranks that have come up under Stretto wait for the others to do so.
ROLL_CALL_S = 10.0


class RollCall:
    """Whether all ranks of one job run Stretto, and the same (src/intercept/roll_call.hpp).

    They come here when MPI_Init is over for them, so within moments of each other.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._present: dict[int, str] = {}
        self._waiting: list[socket.socket] = []
        self._mixed = False  # two jobs that nothing tells apart: nobody knows who is whose
        self.until: float | None = None  # while some have come and others are missing

    def hear(self, connection: socket.socket, rank: int, what: str) -> None:
        """One has come, who runs that."""
        self._mixed |= rank in self._present
        self._present[rank] = what
        self._waiting.append(connection)
        self.until = time.monotonic() + ROLL_CALL_S
        if self._mixed:
            self._answer("several jobs ask at once whether all their ranks run Stretto")
        elif len(self._present) == self._size:
            self._answer(self._difference())

    def end(self) -> None:
        """Time is up."""
        missing = sorted(set(range(self._size)) - set(self._present))
        who = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing[:8]))}"
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        self._answer(
            f"{who}{more} of {self._size} came up without Stretto (linked statically? "
            "LD_PRELOAD cleared on the way?)"
        )

    def _difference(self) -> str | None:
        ranks = sorted(self._present)
        first = self._present[ranks[0]]
        for rank in ranks:
            if (what := self._present[rank]) != first:
                return f"rank {ranks[0]} runs Stretto {first}, rank {rank} Stretto {what}"
        return None

    def _answer(self, why_not: str | None) -> None:
        for connection in self._waiting:
            with contextlib.suppress(OSError):
                connection.sendall(b"all\n" if why_not is None else b"not\n")
        self._present, self._waiting, self.until = {}, [], None
        if why_not is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write(
                    f"stretto: {why_not}: the program runs as it is, without Stretto\n"
                )
                sys.stderr.flush()
