"""Whether all ranks of one job run Stretto, for the guardian: standard library only."""

import contextlib
import socket
import time
from dataclasses import dataclass

from stretto.launch.notices import notice

# How long those ranks that have come up under Stretto wait for the others to do so.
ROLL_CALL_S = 10.0
# How long the first of them waits at most: it gives up by itself 30 s after it asked.
LONGEST_ROLL_CALL_S = 20.0
# What a rank says whose launcher gives its job no name.
NO_NAME = "-"


@dataclass(eq=False)
class Question:
    """A rank that waits for its answer."""

    connection: socket.socket
    rank: int
    what: str  # it runs
    asked: float


class RollCall:
    """Whether all ranks of one job run Stretto, and the same (src/intercept/roll_call.hpp).

    They come here when MPI_Init is over for them, so within moments of each other. Jobs without a
    name are a pool if they are of one size: it does not matter which rank 1 a rank 0 is told of,
    as long as there is one for each.
    """

    def __init__(self, name: str, size: int) -> None:
        self._is_named = name != NO_NAME
        self._size = size
        self._waiting: dict[socket.socket, Question] = {}  # as they came
        self._alike: dict[str, dict[int, list[Question]]] = {}  # by what they run and rank

    @property
    def until(self) -> float | None:
        """When those who wait are to be told no."""
        if not self._waiting:
            return None
        first, last = (next(iter(self._waiting.values())), next(reversed(self._waiting.values())))
        return min(last.asked + ROLL_CALL_S, first.asked + LONGEST_ROLL_CALL_S)

    def hear(self, connection: socket.socket, rank: int, what: str) -> None:
        """One has come, who runs that."""
        question = Question(connection, rank, what, time.monotonic())
        self._waiting[connection] = question
        alike = self._alike.setdefault(what, {})
        alike.setdefault(rank, []).append(question)
        if len(alike) == self._size:
            self._answer([questions[0] for questions in alike.values()], b"all\n")
        elif self._is_named and len(self._waiting) == self._size and not self._missing():
            self.end()

    def withdraw(self, connection: socket.socket) -> None:
        """One that may have asked is gone, and none of another job may be told of it."""
        if (question := self._waiting.pop(connection, None)) is None:
            return
        ranks = self._alike[question.what]
        ranks[question.rank].remove(question)
        if not ranks[question.rank]:
            del ranks[question.rank]

    def end(self) -> None:
        """No rank that would make them complete has come, and none is awaited any more."""
        why_not = self._absence() or self._difference()
        self._answer(list(self._waiting.values()), b"not\n")
        notice(f"{why_not}: the program runs as it is, without Stretto")

    def _missing(self) -> list[int]:
        return sorted(
            set(range(self._size)) - {question.rank for question in self._waiting.values()}
        )

    def _absence(self) -> str | None:
        if not (missing := self._missing()):
            return None
        who = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing[:8]))}"
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        return (
            f"{who}{more} of {self._size} came up without Stretto (linked statically? "
            "LD_PRELOAD cleared on the way?)"
        )

    def _difference(self) -> str:
        by_rank = sorted(self._waiting.values(), key=lambda question: question.rank)
        first = by_rank[0]
        other = next((each for each in by_rank if each.what != first.what), first)
        return (
            f"rank {first.rank} runs Stretto {first.what}, rank {other.rank} Stretto {other.what}"
        )

    def _answer(self, questions: list[Question], words: bytes) -> None:
        for question in questions:
            with contextlib.suppress(OSError):
                question.connection.sendall(words)
            self.withdraw(question.connection)
